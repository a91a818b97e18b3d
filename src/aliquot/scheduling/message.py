"""The scheduler's sentence about a pod that fits nowhere (FitError)."""

from collections.abc import Mapping

NO_NODES = "no nodes available to schedule pods"
GATED = "Scheduling is blocked due to non-empty scheduling gates"


def sentence(total: int, counts: Mapping[str, int], post_filter: str = "", pre_filter: str = "") -> str:
    """`0/N nodes are available: R1, R2. P`.

    Args:
        total: Nodes in the cluster.
        counts: Reason -> nodes that have it. They're sorted as text with their number, so `10 x` before `2 y`.
        post_filter: What preemption had to say.
        pre_filter: A reason that holds before any node is looked at; the counts are then left out.
    """
    parts = [f"0/{total} nodes are available:"]
    if pre_filter:
        parts.append(f"{pre_filter}.")
    elif counts:
        parts.append(", ".join(sorted(f"{number} {text}" for text, number in counts.items())) + ".")
    if post_filter:
        parts.append(post_filter)
    return " ".join(parts)
