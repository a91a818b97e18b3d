"""Defects of kube-scheduler patch releases that leave pods pending: which, where fixed, and how they're known.

From the issues of kubernetes/kubernetes and the release notes; a patch that isn't known proves nothing.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from aliquot.dra.claim import Claim
from aliquot.kube.pod import Pod
from aliquot.kube.release import Kubernetes
from aliquot.snapshot.snapshot import Snapshot


@dataclass(frozen=True, slots=True)
class Defect:
    """One defect. `applies` sees the cluster and the pod: whether it's on the path."""

    issue: str
    affected: tuple[tuple[int, int], ...]
    """(minor, first patch with the fix)."""
    says: str
    """What it does, for people."""
    applies: Callable[[Snapshot, Pod], bool]
    stops: bool
    """The pod can't come to run while the scheduler has it; False: a change gets around it."""

    def fixed_in(self, minor: int) -> str:
        """`1.36.2`."""
        return next((f"1.{one}.{patch}" for one, patch in self.affected if one == minor), "a later release")


def _asks_all(snapshot: Snapshot, pod: Pod) -> bool:
    """A claim of mode All, and nobody has told the pod anything yet."""
    if pod.scheduled is not None and pod.scheduled.message:
        return False
    return any(
        recipe.mode == "All"
        for claim in _claims(snapshot, pod)
        for request in claim.spec.requests
        for recipe in (*((request.exactly,) if request.exactly else ()), *request.first_available)
    )


def _claims(snapshot: Snapshot, pod: Pod) -> Iterator[Claim]:
    for wanted in pod.claims:
        name = wanted.claim_name or pod.claim_names.get(wanted.name)
        claim = snapshot.claims.get(f"{pod.namespace}/{name}") if name else None
        if claim is not None:
            yield claim


def _score_failed(_: Snapshot, pod: Pod) -> bool:
    said = pod.scheduled.message if pod.scheduled is not None else ""
    return "running Score plugins" in said and "number of allocations" in said


def _rule_without_selector(snapshot: Snapshot, pod: Pod) -> bool:
    rules = snapshot.taint_rules.values()
    return bool(pod.claims) and any(one.driver is None and one.pool is None and one.device is None for one in rules)


DEFECTS: tuple[Defect, ...] = (
    Defect(
        issue="kubernetes#138882",
        affected=((36, 2),),
        says="panics (crashes) when a claim asks for all devices (allocationMode All)",
        applies=_asks_all,
        stops=True,
    ),
    Defect(
        issue="kubernetes#139016",
        affected=((35, 6), (36, 2)),
        says='fails in Score: "number of allocations is smaller than number of claims"',
        applies=_score_failed,
        stops=True,
    ),
    Defect(
        issue="kubernetes#141620",
        affected=((37, 1),),
        says="takes a DeviceTaintRule without a deviceSelector for one about every device",
        applies=_rule_without_selector,
        stops=False,
    ),
)


def defects(snapshot: Snapshot, pod: Pod, kubernetes: Kubernetes) -> Iterator[Defect]:
    """Those that this release has, as far as its patch is known, and that are on this pod's path."""
    if kubernetes.patch is None:
        return
    for one in DEFECTS:
        if any(kubernetes.minor == minor and kubernetes.patch < fixed for minor, fixed in one.affected) and one.applies(
            snapshot, pod
        ):
            yield one
