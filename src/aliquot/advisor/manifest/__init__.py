"""A manifest that isn't applied yet: the cluster as it would be, and the pods that would wait in it."""
