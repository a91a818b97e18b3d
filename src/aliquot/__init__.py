"""Aliquot: the share of a GPU that every pod needs.

This package is a namespace of small packages, each one noun; ARCHITECTURE.md draws who may import whom. Nothing is
re-exported here, so that importing `aliquot` costs nothing.
"""

__version__ = "0.1.0"
