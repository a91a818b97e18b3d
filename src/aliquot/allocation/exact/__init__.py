"""The correct and fast allocator: claims compiled, bound to a node's devices, and asked of `search`."""
