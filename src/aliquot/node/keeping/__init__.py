"""What the agent keeps on this machine, at the edge: the checkpoint, claims' CDI specs, the lock between two agents."""
