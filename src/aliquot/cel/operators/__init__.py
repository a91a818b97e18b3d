"""What operators do with run-time values: arithmetic, order, equality, `in` and indexing."""
