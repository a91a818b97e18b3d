"""One pending pod as the remedies see it: what blocks it where, and who owns it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache

from aliquot.advisor.owners import OwnerRef
from aliquot.advisor.scheduler_notes.known_defects import Defect
from aliquot.advisor.wayout import Trial
from aliquot.advisor.wishes import NO_WISHES, Wishes
from aliquot.allocation.answer import Story
from aliquot.kube.node import Node
from aliquot.kube.pod import Pod
from aliquot.scheduling.blockers.blocker import Blocker
from aliquot.scheduling.filters.dynamic_resources import DYNAMIC_RESOURCES
from aliquot.scheduling.filters.reason import Reason
from aliquot.scheduling.outcome import Placement
from aliquot.scheduling.scheduler import Scheduler
from aliquot.snapshot.effective import effective_request
from aliquot.snapshot.snapshot import Snapshot

PLAIN_RESOURCES = frozenset({"cpu", "memory", "ephemeral-storage", "pods"})
CORDON = "node.kubernetes.io/unschedulable"
"""The taint that a cordon brings."""
PER_GROUP = 4
"""Nodes of one group of alike nodes that are tried; they differ only in what they hold."""


@dataclass(frozen=True, slots=True)
class Shortage:
    """A resource that a node has too little of, in the units of `kube.node.Resources`."""

    resource: str
    asked: int
    free: int
    """Negative where the node is overbooked."""
    total: int

    @property
    def missing(self) -> int:
        """What would have to come free."""
        return self.asked - self.free


def shortage(reason: Reason) -> Shortage | None:
    """The numbers of a reason that is about a resource; None for others."""
    if reason.asked_amount is None or reason.total_amount is None or reason.used_amount is None:
        return None
    free = reason.total_amount - reason.used_amount
    return Shortage(reason.subject, reason.asked_amount, free, reason.total_amount)


@dataclass(frozen=True, slots=True)
class Spot:
    """A node that the pod could be helped onto, and every reason that it isn't there now."""

    node: Node
    reasons: tuple[Reason, ...]
    alike: int = 1
    """Nodes with the same reasons, this one included."""

    def short_of(self) -> Mapping[str, Shortage]:
        """Resource -> how short it is."""
        found = (shortage(reason) for reason in self.reasons)
        return {one.resource: one for one in found if one is not None}

    @property
    def lacks_devices(self) -> bool:
        """Its devices can't serve the pod's claims."""
        return any(reason.filter == DYNAMIC_RESOURCES for reason in self.reasons)

    @property
    def problems(self) -> frozenset[str]:
        """What has to be cured, one key for each: a filter's name, or an extended resource's."""
        return frozenset(problem_of(reason) for reason in self.reasons)


def problem_of(reason: Reason) -> str:
    """cpu, memory and the like are one problem (one corrected request cures them), each device resource is its own."""
    short = shortage(reason)
    if short is not None and short.resource not in PLAIN_RESOURCES:
        return short.resource
    return reason.filter


@dataclass(frozen=True, slots=True)
class Case:
    """A pending pod in its cluster."""

    snapshot: Snapshot
    pod: Pod
    owner: OwnerRef
    scheduler: Scheduler
    spots: tuple[Spot, ...]
    stories: Mapping[str, Story] = field(default_factory=dict[str, Story])
    """Node -> why its devices can't serve the pod's claims, where that was looked at."""
    whole: Mapping[str, Story] = field(default_factory=dict[str, Story])
    """The same of nodes with incomplete pools, as if those were published whole."""
    node_groups: "Snapshot | None" = None
    """Nodes that could be added, one of each group, with what their drivers would publish: groups that may be empty."""
    blockers: tuple[Blocker, ...] = ()
    """What keeps the pod from coming to run beside the scheduler's filters."""
    defect: Defect | None = None
    """A defect of this release of kube-scheduler that is on the pod's path."""
    message: str = ""
    """The scheduler's, about this pod."""
    error: bool = False
    """The scheduler gives up with an error, whatever some nodes could offer."""
    wishes: Wishes = NO_WISHES
    """Which ways out are wanted."""

    def placed(self, trial: Trial, node: str) -> bool:
        """Whether the pod is placed in that world, by this node's taking it.

        A claim's CEL error on another node ends the whole attempt, so that a pod with claims is judged on all nodes.
        """
        if not self.scheduler.fits(trial.snapshot, trial.pod, node):
            return False
        together = trial.pod.claims or trial.pod.scheduling_group
        return not together or isinstance(self.scheduler.judge(trial.snapshot, trial.pod), Placement)

    def offered(self, resource: str) -> bool:
        """Any node has some of it."""
        return resource in self.snapshot.recall("resources that nodes have", _offered)

    @property
    def trial(self) -> Trial:
        """The world as it is."""
        return Trial(self.snapshot, self.pod)


def _offered(snapshot: Snapshot) -> frozenset[str]:
    amounts = (given for node in snapshot.nodes.values() for given in (node.capacity, node.allocatable))
    return frozenset(name for given in amounts for name, amount in given.items() if amount)


def on_pod(change: Callable[[Pod], Pod]) -> Callable[[Trial], Trial]:
    """A trial step that changes the pod only."""

    def step(trial: Trial) -> Trial:
        return Trial(trial.snapshot, change(trial.pod))

    return step


def device_requests(pod: Pod) -> dict[str, int]:
    """Extended resources that the pod asks for in total."""
    return {name: amount for name, amount in effective_request(pod).items() if amount > 0 and is_extended(name)}


@cache
def is_extended(name: str) -> bool:
    """A device resource: a qualified name outside Kubernetes' own domain."""
    domain, slash, _ = name.partition("/")
    return bool(slash) and not (domain == "kubernetes.io" or domain.endswith(".kubernetes.io"))
