"""A node with its agent as a process of its own, between a kubelet and an API server that speak the real interfaces."""
