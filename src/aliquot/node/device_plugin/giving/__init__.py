"""What a container is given: the devices that are preferred for it, and how its runtime is told of them. Pure."""
