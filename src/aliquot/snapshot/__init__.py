"""A cluster at one moment as one frozen value, and changes of it for what-ifs.

What this package is: nodes, pods, claims, slices and what surrounds them, with the questions everything above asks:
what is on a node, what is left of it, who holds a resource, who owns a pod. A changed snapshot costs what the change
costs, not what the cluster costs.

What it is not: a reader of files or of an API server (`cluster`), and no judge of placement (`scheduling`).

May know: `kube`, `dra`, `units`.
"""
