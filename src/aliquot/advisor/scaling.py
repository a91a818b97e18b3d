"""Stopping as few pods of a workload as it takes: which pods go, and the commands that make just these go."""

import shlex
from collections.abc import Sequence
from dataclasses import dataclass

from aliquot.advisor import changes
from aliquot.advisor.owners import OwnerRef, pods_of
from aliquot.advisor.wayout import Change
from aliquot.kube.pod import Pod
from aliquot.snapshot.snapshot import Snapshot

SCALED = ("Deployment", "ReplicaSet", "ReplicationController")
"""Of the pods that their controllers could stop, the one with the lowest deletion cost goes first."""
COST = "controller.kubernetes.io/pod-deletion-cost"


@dataclass(frozen=True, slots=True)
class Stop:
    """What to do, and which pods end by it."""

    changes: tuple[Change, ...]
    gone: tuple[Pod, ...]
    words: str
    """`Scale deployment/embed from 112 to 111`."""
    ends: bool
    """The whole workload stops."""


def stop(snapshot: Snapshot, owner: OwnerRef, wanted: Sequence[Pod]) -> Stop:
    """Make these pods go; where the workload can't lose single pods, all of it."""
    pods = pods_of(snapshot, owner)
    where = f"{owner.kind.lower()} {shlex.quote(owner.name)} -n {shlex.quote(owner.namespace)}"
    replicas = _replicas(snapshot, owner, pods)
    if owner.kind in SCALED and len(wanted) < replicas:
        names = " ".join(shlex.quote(pod.name) for pod in wanted)
        left = replicas - len(wanted)
        first = Change(
            f"pod {', '.join(pod.key for pod in wanted)}",
            f"kubectl annotate pod {names} -n {shlex.quote(owner.namespace)} --overwrite {COST}=-1000",
            {"metadata": {"annotations": {COST: "-1000"}}},
            f"kubectl annotate pod {names} -n {shlex.quote(owner.namespace)} {COST}-",
        )
        scaled = _scaled(owner, where, replicas, left)
        return Stop((first, scaled), tuple(wanted), f"Scale {owner.short} from {replicas} to {left}", ends=False)
    if owner.kind == "StatefulSet" and len(wanted) < replicas:
        lowest = min(_ordinal(pod) for pod in wanted)
        gone = tuple(pod for pod in pods if _ordinal(pod) >= lowest)
        if lowest > 0:
            scaled = _scaled(owner, where, replicas, lowest)
            return Stop((scaled,), gone, f"Scale {owner.short} from {replicas} to {lowest}", ends=False)
    verb = {"Pod": "Delete", "DaemonSet": "Delete", "Job": "Suspend", "CronJob": "Suspend"}.get(owner.kind, "Scale")
    to = " to 0" if verb == "Scale" else ""
    known = snapshot.workloads.get(f"{owner.kind}/{owner.namespace}/{owner.name}")
    made = (changes.stop(owner, tuple(pod.name for pod in pods), known.replicas if known is not None else None),)
    return Stop(made, tuple(pods), f"{verb} {owner.short}{to}", ends=True)


def _scaled(owner: OwnerRef, where: str, before: int, after: int) -> Change:
    scale = f"kubectl scale {where} --replicas="
    return Change(owner.full, f"{scale}{after}", {"spec": {"replicas": after}}, f"{scale}{before}")


def _replicas(snapshot: Snapshot, owner: OwnerRef, pods: Sequence[Pod]) -> int:
    workload = snapshot.workloads.get(f"{owner.kind}/{owner.namespace}/{owner.name}")
    return workload.replicas if workload is not None and workload.replicas is not None else len(pods)


def _ordinal(pod: Pod) -> int:
    tail = pod.name.rpartition("-")[2]
    return int(tail) if tail.isdecimal() else 0
