"""`aliquot node run`, `node status` and `node doctor`: the agent itself, and how it is."""
