"""Explanations as one self-contained page: summary, a block for each cause, and a map of the devices."""
