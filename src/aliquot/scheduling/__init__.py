"""Which node a pod fits, as kube-scheduler decides it, and what it says when there's none.

`scheduler.Scheduler` is the door: `judge` gives a pod's verdict with its story, `fits` and `reasons` look at one node,
`decide` names the node. Behind it: `cycle` (what is found out once for a pod, and the filters in their order),
`filter_phase` (all nodes), `preemption`, `attempt` (one try and its message). `filters/` holds kube-scheduler's plugins
under their names, and `volumes` what those of volumes find out once for a pod. `gangs` judges pods that are placed
together. `binding` carries a verdict out on a snapshot, and takes pods away; `placing/` is the what-if loop, which
places pod after pod at the price of what has changed (for the planner and the sandbox). `blockers/` tells what keeps a
pod from coming to run beside the filters.

Beyond the scheduler, which stops at a node's first failing filter, every failing filter of every node is told.

What it is not: a scorer (any feasible node may be chosen), no allocator of devices (`allocation` is asked), no
explainer (`advisor`).

May know: `snapshot`, `allocation`, `dra`, `kube`, `units`.
"""
