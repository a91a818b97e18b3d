"""A way out by one more node: which could be added, which is bought, how each is offered."""
