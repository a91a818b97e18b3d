"""What sharing does to a host: steps with their undo, what a container gets, and carrying steps out on any host."""
