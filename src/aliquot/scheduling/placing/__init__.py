"""The what-if loop: pods are placed one after the other, and what changed is all that's judged again."""
