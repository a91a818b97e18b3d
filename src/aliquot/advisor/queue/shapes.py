"""Pods of one owner that the scheduler can't tell apart, save by name and age."""

from dataclasses import replace

from aliquot.advisor.owners import owner_of
from aliquot.kube.pod import Pod
from aliquot.scheduling.equal_pods import verdict_key
from aliquot.snapshot.snapshot import Snapshot


def shape_of(snapshot: Snapshot, pod: Pod) -> object:
    """Equal for pods that the scheduler can't tell apart, save by name and age."""
    if pod.node_name or pod.nominated_node or pod.terminating:
        return pod.key
    volumes = tuple((one.kind, one.claim_name) for one in pod.volumes)
    claims = _claims_shape(snapshot, pod)
    kind = verdict_key(replace(pod, claims=()) if claims is not None else pod)
    return (owner_of(snapshot, pod), kind, claims, pod.scheduling_gates, pod.scheduler_name, volumes, pod.phase)


def _claims_shape(snapshot: Snapshot, pod: Pod) -> object:
    """Claims that say the same get the same answer: those made from templates, that nobody has allocated yet."""
    if not pod.claims or pod.extended_claim is not None:
        return None
    specs: list[str] = []
    for wanted in pod.claims:
        name = pod.claim_names.get(wanted.name)
        claim = snapshot.claims.get(f"{pod.namespace}/{name}") if name else None
        if wanted.template_name is None or claim is None or claim.allocation is not None:
            return None
        specs.append(f"{wanted.name} {claim.spec!r}")
    return tuple(specs)
