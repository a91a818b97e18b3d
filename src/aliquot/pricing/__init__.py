"""What a GPU hour costs: a catalogue of instance types with list prices.

What it is: on-demand list prices with the day they were read, which a user may override. What it isn't: a bill, or a
choice of instance. It may know `units`, `kube` and `devices`.
"""
