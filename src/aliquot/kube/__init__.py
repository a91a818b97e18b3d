"""Kubernetes nouns as frozen values: nodes, pods, taints, selectors, owners, workloads.

What this package is: the part of the core API that deciding where a pod runs needs, each kind a frozen dataclass, with
the defaults that the API server would have filled in. Reading them from JSON, with every problem at once, is in
`kube.reading`.

What it is not: a client, and no copy of the API: fields that no decision reads are left out.

May know: `units`.
"""
