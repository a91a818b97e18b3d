"""What expressions compute with: the types of run-time values."""
