"""The scheduler's queue: which pods are alike in it, who goes first, and what a way out is worth once those went."""
