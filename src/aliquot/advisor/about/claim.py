"""A ResourceClaim: its state, its devices or why it has none, who waits for it and who keeps it."""

from collections.abc import Iterator
from dataclasses import dataclass

from aliquot.advisor.causes.cause import listed, number
from aliquot.advisor.dra.configs import problems_of_claim
from aliquot.advisor.explain import explain
from aliquot.advisor.explanation.value import Explanation
from aliquot.advisor.nearest import nearest
from aliquot.dra.claim import AllocatedDevice, Claim, Consumer
from aliquot.kube.pod import Pod
from aliquot.scheduling.scheduler import Scheduler
from aliquot.snapshot.snapshot import Snapshot


@dataclass(frozen=True, slots=True)
class Given:
    """A device that the claim holds."""

    result: AllocatedDevice
    nodes: tuple[str, ...]
    """The nodes that its slice names; empty: it isn't bound to one, or isn't published."""
    published: bool | None
    """A slice has it; None: the input has no slices."""
    conditions: tuple[str, ...]
    """What its driver reports: `Ready=False`."""


@dataclass(frozen=True, slots=True)
class Keeper:
    """Whom the claim is reserved for."""

    consumer: Consumer
    pod: Pod | None
    state: str
    """In words: running on a node, ended, gone, another pod of the same name, unknown."""
    stale: bool
    """It no longer needs the claim: the pod ended, or isn't there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AboutClaim:
    """A claim's story."""

    claim: Claim
    state: str
    """pending, allocated (nobody has it reserved), reserved, or deleting."""
    sentence: str
    made_for: str
    """The pod that a template's claim was made for: `Pod ml/train-0`; empty: it stands by itself."""
    given: tuple[Given, ...]
    keepers: tuple[Keeper, ...]
    problems: tuple[str, ...]
    """What is wrong with what it asks for: a class that isn't there, for one."""
    users: tuple[Pod, ...]
    """All pods in the input that use it."""
    waiting: tuple[Explanation, ...]
    """The stories of those that wait."""
    unknown: tuple[str, ...]

    @property
    def pending(self) -> bool:
        """It has no devices."""
        return self.claim.allocation is None


def about_claim(snapshot: Snapshot, key: str, scheduler: Scheduler, spare: Snapshot | None = None) -> AboutClaim:
    """The story of a claim of the snapshot."""
    claim = snapshot.claims[key]
    users = tuple(pod for pod in snapshot.pods.values() if key in keys_of(pod))
    keepers = tuple(_keeper(snapshot, claim, one) for one in claim.reserved_for)
    waiting = [pod for pod in users if not pod.node_name and not pod.terminal and not pod.terminating]
    stories = tuple(explain(snapshot, waiting, scheduler, spare)) if snapshot.nodes else ()
    state = (
        "deleting"
        if claim.meta.deleted is not None
        else "pending"
        if claim.allocation is None
        else "reserved"
        if keepers
        else "allocated"
    )
    owner = claim.meta.controller
    problems = tuple(_problems(snapshot, claim))
    return AboutClaim(
        claim=claim,
        state=state,
        sentence=_sentence(snapshot, claim, keepers, users, stories, problems),
        made_for=f"{owner.kind} {claim.meta.namespace}/{owner.name}" if owner is not None else "",
        given=tuple(_given(snapshot, claim)),
        keepers=keepers,
        problems=(*problems, *problems_of_claim(snapshot, claim)),
        users=users,
        waiting=stories,
        unknown=tuple(_unknown(snapshot)),
    )


def keys_of(pod: Pod) -> frozenset[str]:
    """The claims that a pod uses, by name or as they were made for it."""
    names = (one.claim_name or pod.claim_names.get(one.name) for one in pod.claims)
    return frozenset(f"{pod.namespace}/{name}" for name in names if name)


def _keeper(snapshot: Snapshot, claim: Claim, consumer: Consumer) -> Keeper:
    if consumer.resource != "pods":
        return Keeper(consumer, None, f"{consumer.resource} {consumer.name}, which isn't a pod", stale=False)
    pod = snapshot.pods.get(f"{claim.meta.namespace}/{consumer.name}")
    if "Pod" not in snapshot.kinds:
        return Keeper(consumer, None, "unknown: the input has no pods", stale=False)
    if pod is None:
        return Keeper(consumer, None, "not in the input", stale=False)
    if consumer.uid and pod.meta.uid and consumer.uid != pod.meta.uid:
        return Keeper(consumer, pod, "gone: the pod of this name that's there now is another one", stale=True)
    if pod.terminal:
        return Keeper(consumer, pod, f"ended ({pod.phase}), and still holds the reservation", stale=True)
    where = f"on {pod.node_name}" if pod.node_name else "without a node"
    if pod.terminating:
        return Keeper(consumer, pod, f"being deleted, {where}: it holds until it's gone", stale=False)
    return Keeper(consumer, pod, f"{(pod.phase or 'there').lower()} {where}", stale=False)


def _given(snapshot: Snapshot, claim: Claim) -> Iterator[Given]:
    status = {one.device: one.conditions for one in claim.devices}
    for result in claim.allocation.results if claim.allocation is not None else ():
        found = [
            (published, device)
            for published in snapshot.slices.values()
            if (published.driver, published.pool) == (result.device.driver, result.device.pool)
            for device in published.devices
            if device.name == result.device.device
        ]
        names = (published.node_name or device.node_name for published, device in found)
        conditions = status.get(result.device, {})
        yield Given(
            result,
            tuple(sorted({name for name in names if name})),
            bool(found) if "ResourceSlice" in snapshot.kinds else None,
            tuple(f"{name}={value}" for name, value in sorted(conditions.items())),
        )


def _problems(snapshot: Snapshot, claim: Claim) -> Iterator[str]:
    known = "DeviceClass" in snapshot.kinds
    for request in claim.spec.requests:
        recipes = (*((request.exactly,) if request.exactly is not None else ()), *request.first_available)
        for recipe in recipes:
            if known and recipe.class_name not in snapshot.classes:
                near = listed(nearest(recipe.class_name, snapshot.classes)[:2], last="or")
                hint = f"; nearest: {near}" if near else ""
                yield f"request {request.name} asks for DeviceClass {recipe.class_name}, which isn't there{hint}"


def _unknown(snapshot: Snapshot) -> Iterator[str]:
    if "Pod" not in snapshot.kinds:
        yield "The input has no pods: who uses the claim, and who waits for it, is unknown."
    if not snapshot.nodes:
        yield "The input has no nodes: why pods wait is unknown."
    if "ResourceSlice" not in snapshot.kinds:
        yield "The input has no ResourceSlices: which devices there are is unknown."
    if "DeviceClass" not in snapshot.kinds:
        yield "The input has no DeviceClasses: whether those of the claim are there is unknown."


def _sentence(
    snapshot: Snapshot,
    claim: Claim,
    keepers: tuple[Keeper, ...],
    users: tuple[Pod, ...],
    waiting: tuple[Explanation, ...],
    problems: tuple[str, ...],
) -> str:
    """The answer in short."""
    name = f"Claim {claim.meta.key}"
    if claim.allocation is None:
        leaving = " and is being deleted" if claim.meta.deleted is not None else ""
        return f"{name} has no devices{leaving}: {_why_none(snapshot, users, waiting, problems)}"
    devices = number(len(claim.allocation.results), "device")
    head = f"{name} has {devices}"
    if claim.meta.deleted is not None:
        kept = listed([f"finalizer {one}" for one in claim.meta.finalizers])
        head = f"{head} and is being deleted since {claim.meta.deleted}" + (f", kept by its {kept}" if kept else "")
    if not keepers:
        return (
            f"{head}, and is reserved for nobody: the devices stay allocated until a pod uses it, it's deleted, or "
            "kube-scheduler takes them back for a pod that uses it and finds no room where they are."
        )
    stale = [one.consumer.name for one in keepers if one.stale]
    if len(stale) == len(keepers):
        return f"{head}; everyone it's reserved for has ended or is gone ({listed(stale)})."
    return f"{head}, reserved for {listed([_whom(claim, one) for one in keepers])}."


def _whom(claim: Claim, keeper: Keeper) -> str:
    kind = "pod" if keeper.consumer.resource == "pods" else keeper.consumer.resource
    return f"{kind} {claim.meta.namespace}/{keeper.consumer.name}"


def _why_none(
    snapshot: Snapshot, users: tuple[Pod, ...], waiting: tuple[Explanation, ...], problems: tuple[str, ...]
) -> str:
    if problems:
        return f"{problems[0]}."
    if "Pod" not in snapshot.kinds:
        return "why is unknown, since the input has no pods."
    if not users:
        return "no pod in the input uses it, and claims are allocated when a pod that uses them is scheduled."
    if not snapshot.nodes:
        return "why is unknown, since the input has no nodes."
    if not waiting:
        return f"no pod that waits uses it (used by {listed([pod.key for pod in users])})."
    first = waiting[0]
    return f"{first.pod.key} waits. {first.sentence}"
