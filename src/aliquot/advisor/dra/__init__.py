"""Dynamic Resource Allocation as the advisor tells it: claims and their sources, attributes, pools, devices."""
