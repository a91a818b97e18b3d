"""Cutting a pool of devices into ResourceSlices: within the API server's limits, and changing as few as can be."""
