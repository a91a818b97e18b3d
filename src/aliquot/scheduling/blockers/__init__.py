"""What keeps a pod from coming to run beside the scheduler's filters, as values with their evidence.

`find` is the door. Each other module knows one place to look: quotas and admission (`creation`), the pod's volumes, the
objects it names (`missing`), its containers, its scheduler, other schedulers' groups and queues (`groups`, `kueue`),
the drivers of what it asks (`drivers`), the autoscaler. What isn't in the input is never called absent, unless the
input holds the kind; where that leaves room for doubt a blocker says that it isn't certain.
"""
