"""What devices there are, node by node, and who holds each: as the input says, nothing forecast."""
