"""What an expression costs: the static estimate, and what a run charges."""
