"""A way out for a gang that doesn't fit: fewer pods that must be placed together."""

import json
import shlex
from collections.abc import Iterator
from dataclasses import replace

from aliquot.advisor.case import Case
from aliquot.advisor.wayout import Candidate, Change, Risk, Trial
from aliquot.kube.groups import KUBERNETES, PodGroup
from aliquot.scheduling.outcome import Refusal


def cures(case: Case) -> Iterator[Candidate]:
    """As many as there's room for now."""
    verdict = case.scheduler.judge(case.snapshot, case.pod) if case.pod.scheduling_group else None
    gang = verdict.gang if isinstance(verdict, Refusal) else None
    if gang is None or not 0 < gang.placed < gang.least:
        return
    name = gang.group.rpartition("/")[2]
    group = case.snapshot.objects(PodGroup).get(f"{KUBERNETES}/{gang.group}")
    if group is None:
        return
    smaller = replace(group, least=gang.placed)
    patch = {"spec": {"schedulingPolicy": {"gang": {"minCount": gang.placed}}}}
    before = {"spec": {"schedulingPolicy": {"gang": {"minCount": gang.least}}}}
    yield Candidate(
        kind="shrink",
        target=f"podgroup/{name}",
        title=f"Lower minCount of PodGroup {name} from {gang.least} to {gang.placed}, if so many members will do",
        changes=(
            Change(
                f"podgroup {gang.group}",
                f"kubectl patch podgroups.scheduling.k8s.io {shlex.quote(name)} -n {shlex.quote(case.pod.namespace)}"
                f" --type=merge -p {shlex.quote(json.dumps(patch))}",
                patch,
                f"kubectl patch podgroups.scheduling.k8s.io {shlex.quote(name)} -n {shlex.quote(case.pod.namespace)}"
                f" --type=merge -p {shlex.quote(json.dumps(before))}",
            ),
        ),
        apply=lambda trial: Trial(trial.snapshot.with_object(smaller), trial.pod),
        risk=Risk("high", "the workload must be able to run with fewer members"),
        rank=30,
        cures="gang",
        anywhere=True,
    )
