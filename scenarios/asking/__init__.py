"""Allocation scenarios read (`question`), and what the engines say of them (`exactly`)."""
