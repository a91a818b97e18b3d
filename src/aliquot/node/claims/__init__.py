"""Claims as this node sees them, as values: what one asks, what the checkpoint remembers, what follows from both.

Pure: no file, no clock, no host. A survey of the host is an argument; what is to be done comes back as steps.
"""
