"""One plan for all that wait: the fewest of the offered ways out that together place as many pods as possible."""
