"""The functions that expressions can call: declared with their types, implemented on run-time values."""
