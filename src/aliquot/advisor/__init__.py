"""Findings and remedies from a Snapshot: why a pod is pending, and ways out that were tried first.

What this package is: the part that turns the scheduler's decision into an explanation for a person. Every way out that
changes something is applied to a changed Snapshot and judged again before it's offered.

What it is not: it changes no cluster, prints nothing, and reads no file.

May know: everything below it (`scheduling`, `pricing`, `sharing`, `snapshot`, `dra`, `devices`, `kube`, `units`).
"""
