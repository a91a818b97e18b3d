"""The node agent: what runs on every GPU node and speaks with its kubelet.

What it is: a process at the edge. `protos` has the kubelet's gRPC messages and services, as the wire has them; the rest
of the agent (prepare and unprepare, checkpoint, health, publishing) stands on it.

What it isn't: a scheduler, or a judge of how a GPU may be shared (`sharing` is). It decides nothing that the claim
doesn't say. It may know everything below it; `controller` and `web` are beside it and meet it only by the cluster.
"""
