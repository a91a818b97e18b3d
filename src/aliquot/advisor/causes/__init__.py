"""The root cause of a pending pod, as an expert would say it in one sentence, with the objects that make it.

`diagnose` asks in the order in which causes hide each other: what stops the pod before any node is looked at; whether
what it asks for exists at all; whether any node is large enough; which of those nodes it may use; and only then who
holds what. Nodes that lack the asked hardware say nothing about the cause.
"""
