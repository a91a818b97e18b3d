"""A thing that keeps a pod from coming to run, and how that's known."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from aliquot.kube.conditions import Condition
from aliquot.kube.pod import Pod
from aliquot.kube.workload import Event, Workload

Kind = Literal[
    "quota-exceeded",
    "quota-unspecified",
    "limit-range",
    "failed-create",
    "claim-missing",
    "claim-unbound",
    "claim-lost",
    "volume-missing",
    "missing-object",
    "image-pull",
    "container-crash",
    "container-config",
    "mount-failed",
    "sandbox-failed",
    "scheduler-absent",
    "scheduler-crashing",
    "other-scheduler",
    "driver-down",
    "queue-stopped",
    "queue-missing",
    "queue-full",
    "queue-never-fits",
    "queue-waiting",
    "deactivated",
    "group-missing",
    "group-waiting",
    "autoscaler",
]
Stage = Literal["creation", "queue", "scheduling", "starting", "capacity"]
"""What doesn't happen: the pod isn't created, isn't let in by a queue, isn't scheduled, doesn't start on its node, or
no node is added for it."""


@dataclass(frozen=True, slots=True)
class ObjectRef:
    """An object by the kind of its manifest."""

    kind: str
    namespace: str
    name: str

    def __str__(self) -> str:
        """`Kind/namespace/name`, or `Kind/name` of cluster-scoped kinds."""
        return "/".join(part for part in (self.kind, self.namespace, self.name) if part)


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """One thing that the input says, or lacks."""

    source: Literal["event", "condition", "status", "object", "absence", "reckoned"]
    """`absence`: the input holds the kind, and not the object; `reckoned`: from amounts in the objects."""
    about: ObjectRef
    reason: str = ""
    message: str = ""
    when: str | None = None
    """RFC 3339; of an event the last time."""
    count: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Blocker:
    """What keeps a pod, or the pods of a workload, from coming to run."""

    kind: Kind
    stage: Stage
    object: ObjectRef
    """The object at fault: the one to look at, to repair or to make."""
    others: tuple[ObjectRef, ...] = ()
    """Objects that belong to the story: the workload that lacks pods, the class of a claim, pods of a driver."""
    evidence: tuple[Evidence, ...] = ()
    certain: bool = True
    """False: the input leaves room for another explanation."""
    decisive: bool = True
    """The pod can't come to run while it's so. False: it's told because it explains, or would help."""
    subject: str = ""
    """A resource, an image, a scheduler's name, a storage class, a gate; of an amount that a quota demands and that
    isn't set: `requests.cpu for: main; limits.memory for: main,side`, as the server says it."""
    asked: int | None = None
    """In the units of `kube.node.Resources`; likewise the next two."""
    used: int | None = None
    limit: int | None = None
    nearest: str = ""
    """The name that was probably meant."""
    reasons: tuple[tuple[int, str], ...] = ()
    """Of an autoscaler: node groups and why they weren't enlarged."""


def pod_ref(pod: Pod) -> ObjectRef:
    """Of a pod."""
    return ObjectRef("Pod", pod.namespace, pod.name)


def workload_ref(workload: Workload) -> ObjectRef:
    """Of a workload."""
    return ObjectRef(workload.kind, workload.meta.namespace, workload.meta.name)


def event_evidence(event: Event) -> Evidence:
    """What an event says."""
    return Evidence(
        source="event",
        about=ObjectRef(event.kind, event.namespace, event.name),
        reason=event.reason,
        message=event.message,
        when=event.last_seen,
        count=event.count,
    )


def condition_evidence(about: ObjectRef, condition: Condition) -> Evidence:
    """What a condition says."""
    return Evidence(
        source="condition",
        about=about,
        reason=condition.reason or condition.type,
        message=condition.message,
        when=condition.changed,
    )


def newest(events: Iterable[Event]) -> Event | None:
    """The event that was last seen."""
    return max(events, key=lambda event: event.last_seen or "", default=None)
