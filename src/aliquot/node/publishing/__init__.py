"""A node's ResourceSlices kept as they should be, whoever changes them: level-triggered, nothing is remembered.

`reconcile` says from what is wanted and what is there what has to be written; `stored` says what an API server dropped
of what was sent; `publisher` does it, again and again.
"""
