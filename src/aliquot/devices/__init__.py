"""What a GPU is: the catalogue of models, and the geometry of MIG.

What it is: tables as data (with the source and the certainty of each row) and the rules over them: which MIG instances
fit beside each other, and why not. What it isn't: how a GPU is shared (that is `sharing`) or what a cluster holds. What
a node reports beats these tables; every answer drawn from a table can be told apart. It may know `units`, `kube` and
`cel`.
"""
