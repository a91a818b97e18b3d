"""Who else serves GPUs on this node, whether we may start beside them, and how one hands over to the other.

`look` and `ask` are edges: folders and sockets. All else is judgement over what they found and what the cluster says.
Nobody is asked what they might answer to only one: of a device plugin it's only seen that it listens.
"""
