"""The pods that a workload's controller would make, with their own claims; which names they get is ours to choose."""

import itertools
from collections.abc import Container, Iterator
from dataclasses import dataclass, replace

from aliquot.kube.meta import Meta, Owner
from aliquot.kube.pod import Pod, Volume
from aliquot.kube.storage import PersistentVolumeClaim
from aliquot.kube.workload import Workload

MOST = 1000
"""Pods of one workload that are judged."""


@dataclass(frozen=True, slots=True)
class Made:
    """One pod, and the volume claims that are made with it."""

    pod: Pod
    volume_claims: tuple[PersistentVolumeClaim, ...] = ()


def count(workload: Workload) -> int:
    """How many pods run at a time. Of a DaemonSet one, which stands for those on all its nodes."""
    if workload.suspended and workload.kind == "Job":
        return 0
    if workload.kind in ("Job", "CronJob"):
        beside = 1 if workload.parallelism is None else workload.parallelism
        return beside if workload.completions is None else min(beside, workload.completions)
    return 1 if workload.replicas is None else workload.replicas


def made(workload: Workload, taken: Container[str], now: str) -> Iterator[Made]:
    """Its pods, waiting, one after the other.

    Args:
        workload: that makes them; without a template it makes none.
        taken: keys of pods that are there, whose names can't be given again.
        now: when they are made (RFC 3339): they wait behind all others of their priority.
    """
    if workload.template is None:
        return
    meta = workload.meta
    owner = Owner(workload.kind, meta.name, meta.uid, controller=True)
    ordered = workload.kind == "StatefulSet"
    numbered = (f"{meta.name}-{number}" for number in itertools.count(0 if ordered else 1))
    names = (name for name in numbered if ordered or f"{meta.namespace}/{name}" not in taken)
    for name in itertools.islice(names, min(count(workload), MOST)):
        pod = waiting(workload.template, name, now, (owner,))
        claims = tuple(_of_pod(claim, pod) for claim in workload.volume_claims)
        volumes = tuple(
            Volume(template.meta.name, "persistentVolumeClaim", claim.meta.name)
            for template, claim in zip(workload.volume_claims, claims, strict=True)
        )
        yield Made(replace(pod, volumes=(*pod.volumes, *volumes)), claims)


def waiting(pod: Pod, name: str, now: str, owners: tuple[Owner, ...] = ()) -> Pod:
    """A pod as the API server makes it of its spec: it has no node, and nothing has happened to it yet."""
    meta = Meta(
        name=name,
        namespace=pod.namespace,
        uid=f"not-applied/{pod.namespace}/{name}",
        labels=pod.meta.labels,
        annotations=pod.meta.annotations,
        owners=owners,
        created=now,
    )
    return replace(
        pod,
        meta=meta,
        node_name="",
        phase="Pending",
        claim_names={},
        extended_claim=None,
        nominated_node="",
        scheduled=None,
        started=None,
        conditions=(),
        statuses=(),
    )


def _of_pod(claim: PersistentVolumeClaim, pod: Pod) -> PersistentVolumeClaim:
    return replace(claim, meta=replace(claim.meta, name=f"{claim.meta.name}-{pod.name}", namespace=pod.namespace))
