"""What became of judging a pod: a Placement, or a Refusal with its story."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal, Protocol

from aliquot.scheduling.filters.reason import Reason


class NodeReasons(Protocol):
    """Every failing filter of every node, reckoned when asked for."""

    def reasons(self, node: str) -> tuple[Reason, ...]:
        """Of one node; empty if it would take the pod.

        Raises:
            KeyError: if there's no such node.
        """
        ...

    def groups(self) -> "tuple[NodeGroup, ...]":
        """All nodes, those with the same reasons together."""
        ...


@dataclass(frozen=True, slots=True)
class NodeGroup:
    """Nodes that fail a pod in the same way, numbers included; no reasons: they would take it."""

    nodes: tuple[str, ...]
    reasons: tuple[Reason, ...]


@dataclass(frozen=True, slots=True)
class Preemption:
    """Room that the scheduler makes by evicting pods of lower priority."""

    node: str
    """The nominated node."""
    victims: tuple[str, ...]
    """Keys of the pods that go, the most important first."""
    certain: bool = True
    """False: other nodes are as good, and the scheduler picks one of them by chance."""
    alternatives: tuple[str, ...] = ()
    """Those other nodes."""
    violations: int = 0
    """How many of the victims violate a PodDisruptionBudget: the scheduler evicts them all the same."""
    budgets: tuple[str, ...] = ()
    """Which budgets that violates, `namespace/name`."""


@dataclass(frozen=True, slots=True)
class GangState:
    """How a group of pods that are placed together stands."""

    group: str
    """`namespace/name` of the PodGroup; in 1.35 `namespace/workload/group`."""
    least: int
    """How many must be placed together (minCount)."""
    members: int
    """Pods of the group that have not ended; less than `least`: it waits for more, and nobody looks at it."""
    placed: int
    """How many have a node, or would get one now beside each other."""


@dataclass(frozen=True, slots=True)
class Placement:
    """The pod runs, or there's a place for it."""

    pod: str
    verdict: Literal["running", "placeable"]
    nodes: tuple[str, ...]
    """Where it runs; or every node that would take it now, in the snapshot's order."""
    preemption: Preemption | None = None
    """Set: no node would take it now, but one will after these pods went; `nodes` is empty."""
    message: str = ""
    """What the scheduler writes meanwhile (only with a preemption)."""
    not_checked: tuple[str, ...] = ()
    """What the pod uses and nothing here judges; the placement holds only if these don't object."""
    by_node: NodeReasons | None = field(default=None, compare=False, repr=False)

    @property
    def pending(self) -> bool:
        """Never."""
        return False


@dataclass(frozen=True, slots=True)
class Refusal:
    """The pod stays pending."""

    pod: str
    verdict: Literal["pending", "gated"]
    reason: Literal["Unschedulable", "SchedulingGated", "SchedulerError", ""]
    """Of the condition PodScheduled=False; empty: the scheduler writes none."""
    message: str
    """Of that condition, to the letter."""
    total: int = 0
    """Nodes in the cluster."""
    counts: Mapping[str, int] = field(default_factory=dict[str, int])
    """The scheduler's text -> nodes, before preemption."""
    preemption_counts: Mapping[str, int] = field(default_factory=dict[str, int])
    """The same of the preemption half."""
    not_checked: tuple[str, ...] = ()
    gang: GangState | None = None
    """Set: it's a pod of a gang, and the gang doesn't fit; the pod alone might (`by_node`)."""
    rejection: Reason | None = None
    """Set: a PreFilter plugin ruled out all nodes at once, so that none was looked at. Its filter, its words, and as
    subject what is at fault: a PersistentVolumeClaim's name."""
    by_node: NodeReasons | None = field(default=None, compare=False, repr=False)

    @property
    def pending(self) -> bool:
        """Always."""
        return True

    @property
    def groups(self) -> tuple[NodeGroup, ...]:
        """Nodes with the same reasons, numbers included, told together."""
        return self.by_node.groups() if self.by_node else ()

    def reasons(self, node: str) -> tuple[Reason, ...]:
        """Every failing filter of one node; the scheduler counts only the first one's (`reason.counted`)."""
        return self.by_node.reasons(node) if self.by_node else ()

    def per_node(self) -> Iterator[tuple[str, tuple[Reason, ...]]]:
        """Node by node."""
        for group in self.groups:
            for node in group.nodes:
                yield node, group.reasons


Verdict = Placement | Refusal
