"""What both engines and the story share: pools and nodes, taints, capacity policies, selectors, results."""
