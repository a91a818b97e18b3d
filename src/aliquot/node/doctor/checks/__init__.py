"""Judging what was found, subject by subject. Pure."""
