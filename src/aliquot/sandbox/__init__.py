"""Stand-ins for a cluster's outside, as real second implementations: what the sandbox, the demo and tests run against.

What it is: an edge, like what it stands in for. `kubelet` is a node's kubelet, as far as plugins and drivers see it;
`rest` is an API server over a cluster in memory; `cluster_api` is what the kubelet asks of either.

What it isn't: a mock. It speaks the real interfaces over real sockets, keeps its state over restarts, and has the
quirks of the real thing. Nothing outside `cli` and the tests may know it; it may know everything below it.
"""
