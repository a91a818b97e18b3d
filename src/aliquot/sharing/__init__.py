"""How one GPU is divided: whole, by time-slicing, by MPS or by MIG.

What it is: what each way isolates, its limits and its arithmetic, and the configuration that sets it up. What it isn't:
the setting up itself (that is the node agent) or the choice (that is the planner). It may know `devices` and below.
"""
