"""The JSON shapes of objects: which fields are read, and of which type."""
