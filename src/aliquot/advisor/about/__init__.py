"""What `explain node/N` and `explain claim/C` tell: about one node's devices, about one claim."""
