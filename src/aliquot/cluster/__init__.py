"""The only door to a cluster: so far files (`FileCluster`), read into `kube` and `dra` values and a Snapshot.

What this package is: an edge. It opens files, tells JSON from YAML by content, takes lists apart, and gives every
problem a file, a line where it's cheap, a path and a hint; one broken object doesn't spoil the others.

What it is not: a judge. It decides nothing about pods, and doesn't check what the API server would have rejected.

May know: everything below it.
"""
