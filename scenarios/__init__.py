"""One kit of scenarios, for tests, benchmarks and the comparisons with the reference implementations.

By hand
    `api`: the objects of Kubernetes as JSON: devices, slices, classes, claims, nodes, pods, allocation scenarios.
    `nouns`: the same as Aliquot's own values; `written`: such values as JSON.
    `shapes`: allocation scenarios whose time is measured, and those on which an exhaustive search explodes.
By chance, from a seed or a `random.Random`
    `ordinary`: allocation scenarios that mix all features (MIG, shares, taints, odd pools, broken selectors ...).
    `tight`: scenarios in which about as much is asked for as there is, so that a search has to turn back.
    `strategies`: clusters and pods for hypothesis.
    `mixed`: whole clusters whose pending pods wait for one cause each, which the generator knows.
On a node
    `deaths`: a machine to prepare claims on, and an agent that dies at every moment; `python -m scenarios.deaths`.
Asked and judged
    `asking`: a scenario read, and what the engines say of it.
    `explained`: a cluster's pending pod explained; `diagnosed`: held against what a generator knows of it.
    `commands`: a line that a person is told to type, held against what it claims to be.
    `oracle`: an independent judge of allocations, by rules and by brute force; `soak` asks it about thousands.

A generator of one more kind of input is a room of its own beside these. Nothing here imports `tests`, `speed` or
`conformance`; `api`, `mixed`, `ordinary`, `tight` and `shapes` don't import `aliquot` either: what they make could be
given to any implementation.
"""
