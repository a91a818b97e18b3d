"""CEL's standard library."""
