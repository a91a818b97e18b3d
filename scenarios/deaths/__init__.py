"""A node agent that dies at any moment: a machine to run it on, and every moment at which it may die.

    python -m scenarios.deaths

`machine`: a simulated host with its state file, real folders, and claims as an API server has them.
`deadly`: the host and the disk, with a moment to die before and after each change.
`kinds`: how a claim may be shared. `killed`: an agent killed at each moment of each kind, and what comes after it.
"""
