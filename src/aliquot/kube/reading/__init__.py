"""Reading the nouns from JSON: the shapes of the wire, every fault with its path, and which kinds are read."""
