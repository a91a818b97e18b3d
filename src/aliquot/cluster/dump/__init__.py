"""A cluster's objects in a file: `from_server` and `from_files` give them, `prune` takes out what never leaves."""
