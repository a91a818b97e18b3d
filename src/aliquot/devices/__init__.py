"""What a GPU or a network card is: the catalogue of models, MIG geometry, a host's devices at one moment, and hosts.

What it is: tables as data (with the source and the certainty of each row), the rules over them, and values for what a
node reports, which counts more than any table. `hosts` is its edge: NVML, /sys, and simulated machines behind one
protocol. What it isn't: how a GPU is shared (that is `sharing`), published or prepared. It may know `units`, `kube`
and `cel`.
"""
