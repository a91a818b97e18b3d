"""Edges on this host: its device nodes, its driver's files, and what it has as an inventory."""
