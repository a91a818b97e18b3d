"""Fixed allocation scenarios that are timed, or whose number of search steps is pinned.

`everyday`: what clusters do all day, on a node of eight GPUs. `thousand`: one pod tried on a thousand nodes.
`explosive`: what makes an exhaustive search explode. They're made of the parts in `node`.
"""
