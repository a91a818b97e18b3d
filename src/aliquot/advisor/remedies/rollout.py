"""Ways out of a rollout that waits for itself: let the old pod go before the new one comes."""

import json
import shlex
from collections.abc import Iterator

from aliquot.advisor import undo
from aliquot.advisor.case import Case, device_requests
from aliquot.advisor.causes.rollout import predecessors
from aliquot.advisor.wayout import Candidate, Change, Patch, Risk, Trial
from aliquot.scheduling.binding import without_pods

STRATEGIES: tuple[tuple[str, Patch], ...] = (
    ("Recreate: the old pods go first", {"type": "Recreate", "rollingUpdate": None}),
    (
        "rolling update with maxSurge 0 and maxUnavailable 1: one old pod goes before each new one",
        {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 0, "maxUnavailable": 1}},
    ),
)


def _before(case: Case) -> Patch | None:
    """The strategy as it is; None: the input doesn't say."""
    owner = case.owner
    workload = case.snapshot.workloads.get(f"{owner.kind}/{owner.namespace}/{owner.name}")
    if workload is None:
        return None
    now = workload.strategy
    amounts = {"maxSurge": now.max_surge, "maxUnavailable": now.max_unavailable}
    rolling = {key: int(text) if text.isdecimal() else text for key, text in amounts.items() if text}
    return {"spec": {"strategy": {"type": now.type or "RollingUpdate", "rollingUpdate": rolling or None}}}


def cures(case: Case) -> Iterator[Candidate]:
    """Where an older pod of the same Deployment holds what this one waits for."""
    wanted = device_requests(case.pod)
    nodes = [spot.node.name for spot in case.spots]
    old = predecessors(case.snapshot, case.pod, nodes, wanted)
    most_stay = len(old) > 1  # then one after the other comes first
    for nth, (words, strategy) in enumerate(STRATEGIES if old else ()):
        at_once = nth == 0
        gone = old if at_once else old[:1]
        keys = tuple(pod.key for pod in gone)
        patch: Patch = {"spec": {"strategy": strategy}}
        owner = case.owner
        command = f"kubectl patch {owner.kind.lower()} {shlex.quote(owner.name)} -n {shlex.quote(owner.namespace)}"
        changed = f"{command} --type=merge -p {shlex.quote(json.dumps(patch))}"
        before, kept = _before(case), undo.Kept(owner.kind, owner.name, owner.namespace)
        yield Candidate(
            kind="fix-rollout",
            target=owner.short,
            title=f"Roll {owner.short} out by {words}",
            changes=(
                Change(
                    owner.full,
                    kept.before(changed) if before is None else changed,
                    patch,
                    kept.undo if before is None else f"{command} --type=merge -p {shlex.quote(json.dumps(before))}",
                ),
            ),
            apply=lambda trial, keys=keys: Trial(without_pods(trial.snapshot, keys), trial.pod),  # type: ignore[misc]
            risk=_risk(len(old), at_once=at_once),
            rank=6 + (nth if not most_stay else 1 - nth),
            node=gone[0].node_name,
            cures=min(wanted, default="DynamicResources"),
            stops=keys,
        )


def _risk(pods: int, *, at_once: bool) -> Risk:
    if pods == 1:
        return Risk("medium", "the workload is down from the end of the old pod until the new one is ready")
    if at_once:
        return Risk("high", f"all {pods} old pods end at once: the workload is down until new ones are ready")
    rest = f"the other {pods - 1} run" if pods > 2 else "the other one runs"
    return Risk("low", f"one old pod at a time ends before a new one is ready: {rest} on")
