"""Which node a pod fits, as kube-scheduler decides it, and what it says when there's none.

What this package is: the scheduler's filters over a Snapshot, each a small pure function with the scheduler's own
words; its preemption; and the sentence it writes on the pod. Beyond the scheduler, which stops at a node's first
failing filter, every failing filter of every node is told. And what comes next: `whatif` carries a verdict out on a
snapshot, `loop` places pod after pod at the price of what has changed.

What it is not: a scorer (any feasible node may be chosen), no allocator of devices (a `DynamicResources` from above or
beside is asked), no explainer (`advisor`).

May know: `snapshot`, `allocation`, `dra`, `kube`, `units`.
"""
