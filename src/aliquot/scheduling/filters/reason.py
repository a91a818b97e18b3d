"""Why a node doesn't take a pod."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Reason:
    """One thing in which a node fails a pod."""

    filter: str
    """The scheduler's plugin: `TaintToleration`, `NodeResourcesFit`, ..."""
    text: str
    """The scheduler's own words, as it counts them: `Insufficient nvidia.com/gpu`."""
    asked: str = ""
    found: str = ""
    missing: str = ""
    preemptible: bool = False
    """Removing pods from the node could help (the scheduler's Unschedulable, not UnschedulableAndUnresolvable)."""
    counts: bool = True
    """False: it's told beside another of the same filter and node, which stands for both when nodes are counted."""
    subject: str = ""
    """What it's about: a resource's name, a taint, a label key, a port, a topology key."""
    asked_amount: int | None = None
    """Of a resource, in the units of `kube.node.Resources`; likewise the next two."""
    used_amount: int | None = None
    total_amount: int | None = None


def counted(reasons: tuple[Reason, ...]) -> tuple[Reason, ...]:
    """Those that the scheduler counts: of the first failing filter, for it stops there."""
    return tuple(reason for reason in reasons if reason.filter == reasons[0].filter and reason.counts)
