"""How one GPU is divided: whole, by time-slicing, by MPS, by MIG, or by MPS on a MIG instance.

What it is: what each way isolates, its limits and its arithmetic, what is legal together, the configurations that ask
for it, and from devices and a configuration the steps on the host and the edits of the container. What it isn't: the
choice (that is the planner), or a host: steps are carried out on any that keeps the protocol. It may know `devices`,
`cdi`, `dra` and below.
"""
