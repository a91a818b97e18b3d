"""Commands about the node agent."""
