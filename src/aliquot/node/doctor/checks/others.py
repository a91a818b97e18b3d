"""Who else is on this node: may we start, is a GPU offered twice, what becomes of claims that are held."""

from collections.abc import Iterator, Mapping
from typing import Final

from aliquot.node.doctor.found import Found
from aliquot.node.doctor.value import Check, Status
from aliquot.node.neighbours.checkpoint import Unreadable
from aliquot.node.neighbours.components import Component
from aliquot.node.neighbours.found import GPU_DRIVER, Voice
from aliquot.node.neighbours.judge import Verdict
from aliquot.node.neighbours.steps import to_us
from aliquot.node.neighbours.taking_over import TakenOver, named, take_over

_BESIDE: Final[Mapping[Component, tuple[Status, str, tuple[str, ...]]]] = {
    Component.DCGM_EXPORTER: (
        Status.OK,
        "aliquot's metrics leave DCGM's names to it, unless they're asked for",
        (),
    ),
    Component.MIG_MANAGER: (
        Status.WARN,
        "it divides GPUs anew when the node's label nvidia.com/mig.config changes, whoever has claims on them",
        ("kubectl label node NODE nvidia.com/gpu.deploy.mig-manager=false   # where claims make MIG instances",),
    ),
    Component.FEATURE_DISCOVERY: (Status.OK, "the labels that it owns are left to it", ()),
}


def other_checks(found: Found, verdict: Verdict, *, asked: bool) -> Iterator[Check]:
    """Of neighbours.

    Args:
        found: what was seen of the machine.
        verdict: who was found.
        asked: whether the cluster was asked for them, too.
    """
    taken = taken_over(found)
    yield _neighbours(found, verdict, taken, asked=asked)
    yield _twice(found, verdict)
    for one in verdict.beside:
        if one.component in _BESIDE:
            status, why, fix = _BESIDE[one.component]
            if status is Status.OK:
                yield Check(f"{one.component}", status, f"{'; '.join(one.evidence)}: {why}")
            else:
                yield Check(f"{one.component}", status, "; ".join(one.evidence), why, fix)
    yield from _operator(found)
    yield from _claims(found, taken)


def taken_over(found: Found) -> TakenOver | None:
    """What becomes of the claims of NVIDIA's driver; None: it has no checkpoint that can be read."""
    if found.checkpoint is None or isinstance(found.checkpoint, Unreadable):
        return None
    return take_over(found.checkpoint, found.kubelet.boot or "")


def _neighbours(found: Found, verdict: Verdict, taken: TakenOver | None, *, asked: bool) -> Check:
    name = "others that serve GPUs"
    if verdict.refusal is not None:
        told = "; ".join(map(str, verdict.in_the_way))
        why = "the agent refuses to start beside them: a GPU that two offer is given to two pods"
        fix = to_us(verdict.in_the_way, found.kubelet_path, taken)
        return Check(name, Status.FAIL, told, why, fix)
    if verdict.unknown:
        why = "the agent refuses to start beside NVIDIA's device plugin and NVIDIA's DRA driver for GPUs"
        return Check(name, Status.UNKNOWN, "; ".join(verdict.unknown), why, ("run this as root",))
    left = f"; left from before: {'; '.join(verdict.leftovers)}" if verdict.leftovers else ""
    where = (
        "none, on this machine and in the cluster"
        if asked
        else "none can be seen on this machine; the cluster wasn't asked"
    )
    return Check(name, Status.OK, f"{where}{left}")


def _twice(found: Found, verdict: Verdict) -> Check:
    """A device plugin and a DRA driver at one time: the scheduler counts them apart."""
    name = "GPUs offered twice"
    ours = any(
        one.driver == GPU_DRIVER and one.socket.voice is Voice.LIVE and one.socket.ours
        for one in found.neighbours.registered
    )
    offering = [str(one.component) for one in verdict.in_the_way] + (["aliquot's own agent"] if ours else [])
    if len(offering) > 1:
        why = "the scheduler doesn't count nvidia.com/gpu against ResourceSlices: a GPU may get two pods"
        return Check(name, Status.FAIL, f"by {' and '.join(offering)}", why, ("keep one of them on this node",))
    unknown = bool(verdict.unknown)
    told = "not that it could be seen" if unknown else "no"
    return Check(name, Status.UNKNOWN if unknown else Status.OK, told)


def _operator(found: Found) -> Iterator[Check]:
    machine = found.machine
    if not machine.operator and not machine.operator_driver:
        return
    parts = ", ".join(machine.operator)
    told = f"it says that these are ready: {parts}" if parts else "its driver is at /run/nvidia/driver"
    if machine.operator_driver:
        told += "; the driver is its container's, at /run/nvidia/driver"
    fix = ["--driver-root /run/nvidia/driver   # for CDI specs"] if machine.operator_driver else []
    yield Check("GPU Operator", Status.OK, told, "", tuple(fix))


def _claims(found: Found, taken: TakenOver | None) -> Iterator[Check]:
    name = "claims of NVIDIA's DRA driver"
    if isinstance(found.checkpoint, Unreadable):
        why = "which devices its claims hold isn't known, so none can be taken over"
        fix = ("end all pods with claims for gpu.nvidia.com on this node before the agent starts",)
        yield Check(name, Status.WARN, f"its checkpoint can't be read: {found.checkpoint.why}", why, fix)
    elif taken is not None:
        commands = tuple(command for left in taken.left for command in left.afterwards)
        status = Status.WARN if taken.left else Status.OK
        why = "when its pods have ended, nobody else undoes what was set up for it" if taken.left else ""
        yield Check(name, status, "; ".join(_told(taken)) or "none", why, commands)


def _told(taken: TakenOver) -> Iterator[str]:
    if taken.adopted:
        yield f"taken over: {', '.join(named(one.claim) for one in taken.adopted)}"
    for left in taken.left:
        yield f"left until its pods end: {left}"
    if taken.again:
        yield f"begun, and asked for again: {', '.join(named(one.claim) for one in taken.again)}"
    if taken.stale:
        yield f"of an earlier boot, so that nothing of it runs: {', '.join(named(one.claim) for one in taken.stale)}"
