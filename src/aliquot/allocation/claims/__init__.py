"""A pod's claims through their life: found or generated, checked node by node, bound, and given back."""
