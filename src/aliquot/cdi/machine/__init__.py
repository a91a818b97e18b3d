"""Edges on files: spec files and their folders, containers' root file systems, runtimes' configuration files."""
