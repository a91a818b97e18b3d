"""Quantities, versions and durations as Kubernetes parses, compares and prints them."""
