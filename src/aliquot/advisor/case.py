"""One pending pod as the remedies see it: what blocks it where, and who owns it."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from aliquot.advisor.owners import OwnerRef
from aliquot.advisor.wayout import Trial
from aliquot.kube.node import Node
from aliquot.kube.pod import Container, Pod
from aliquot.scheduling.dynamic import DynamicResources
from aliquot.scheduling.judge import fits, judge
from aliquot.scheduling.outcome import Verdict
from aliquot.scheduling.reason import Reason
from aliquot.scheduling.versions import Release
from aliquot.snapshot.snapshot import Snapshot

PLAIN_RESOURCES = frozenset({"cpu", "memory", "ephemeral-storage", "pods"})
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
class Judge:
    """The scheduler that decides: its release, and who answers for claims."""

    release: Release
    dynamic: DynamicResources | None = None

    def decide(self, snapshot: Snapshot, pod: Pod) -> Verdict:
        """What becomes of the pod."""
        return judge(snapshot, pod, self.release, self.dynamic)

    def reasons(self, snapshot: Snapshot, pod: Pod, node: str) -> tuple[Reason, ...]:
        """Why this node wouldn't take the pod now; empty if it would."""
        return fits(snapshot, pod, node, self.release, self.dynamic)

    def takes(self, snapshot: Snapshot, pod: Pod, node: str) -> bool:
        """Whether this node would take the pod now."""
        return fits(snapshot, pod, node, self.release, self.dynamic) == ()


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
    judge: "Judge"
    spots: tuple[Spot, ...]

    @property
    def trial(self) -> Trial:
        """The world as it is."""
        return Trial(self.snapshot, self.pod)


def on_pod(change: Callable[[Pod], Pod]) -> Callable[[Trial], Trial]:
    """A trial step that changes the pod only."""

    def step(trial: Trial) -> Trial:
        return Trial(trial.snapshot, change(trial.pod))

    return step


def containers_of(pod: Pod) -> Iterator[Container]:
    """All containers, init containers first."""
    yield from pod.init_containers
    yield from pod.containers


def device_requests(pod: Pod) -> dict[str, int]:
    """Extended resources that the pod asks for: the larger of what init and ordinary containers ask."""
    total: dict[str, int] = {}
    for container in pod.containers:
        for name, amount in container.requests.items():
            if is_extended(name):
                total[name] = total.get(name, 0) + amount
    for container in pod.init_containers:
        for name, amount in container.requests.items():
            if is_extended(name):
                total[name] = max(total.get(name, 0), amount)
    return {name: amount for name, amount in total.items() if amount > 0}


def is_extended(name: str) -> bool:
    """A device resource: a qualified name outside Kubernetes' own domain."""
    domain, slash, _ = name.partition("/")
    return bool(slash) and not (domain == "kubernetes.io" or domain.endswith(".kubernetes.io"))
