"""A change of one claim as a candidate, and what a recipe asks of which devices."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from aliquot.advisor import changes
from aliquot.advisor.case import Case
from aliquot.advisor.dra.claims import Place, Source
from aliquot.advisor.wayout import Candidate, Kind, Patch, Risk, Trial
from aliquot.allocation.answer import (
    RequestStory,
)
from aliquot.dra.claim import ClaimSpec, SubRequest

PROBLEM = "DynamicResources"


@dataclass(frozen=True, slots=True)
class Asked:
    """One recipe of the pod's claims, where it's written, and what devices have against it."""

    source: Source
    place: Place
    recipe: SubRequest
    story: RequestStory


def claim_candidate(
    case: Case,
    node: str,
    source: Source,
    spec: ClaimSpec,
    operations: Sequence[Patch],
    *,
    kind: Kind,
    title: str,
    risk: Risk,
    rank: float,
) -> Candidate:
    """A change of one claim's spec, made in its template where it comes from one."""
    new = replace(source.claim, spec=spec)
    return Candidate(
        kind=kind,
        target="claim",
        title=title,
        changes=changes.claim_spec(source.kind, source.namespace, source.name, operations, case.owner, case.pod.name),
        apply=lambda trial: Trial(trial.snapshot.with_object(new), trial.pod),
        risk=risk,
        rank=rank,
        node=node,
        cures=PROBLEM,
        anywhere=True,
        own=True,
    )
