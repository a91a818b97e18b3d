"""The search of the exact engine, in whole numbers: it knows no device, no name and no quantity."""
