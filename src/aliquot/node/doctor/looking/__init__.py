"""Edges: a machine's files below a root, the kubelet's folders and sockets, this process."""
