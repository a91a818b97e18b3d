"""A way past taken capacity: a PriorityClass that lets the pod preempt others."""

import shlex
from collections.abc import Iterator
from dataclasses import replace

from aliquot.advisor import changes
from aliquot.advisor.case import Case
from aliquot.advisor.owners import owner_of
from aliquot.advisor.wayout import After, Candidate, Change, Risk, Trial, harm
from aliquot.kube.meta import Meta
from aliquot.kube.workload import PriorityClass
from aliquot.scheduling.outcome import Placement

NEW_CLASS = "gpu-high"
NEW_VALUE = 100_000
MOST_VALUE = 1_000_000_000
"""User-made classes end here; above are the system's."""
CLASSES_TRIED = 4


def cures(case: Case) -> Iterator[Candidate]:
    """The lowest class that places the pod: an existing one, else a new one above all that runs."""
    pod = case.pod
    if not any(spot.short_of() for spot in case.spots):
        return  # priority frees capacity; it moves no taint and no label
    classes = sorted(
        (
            one
            for one in case.snapshot.priority_classes.values()
            if pod.priority < one.value <= MOST_VALUE and one.preemption_policy != "Never"
        ),
        key=lambda one: (one.value, one.meta.name),
    )
    for one in classes[:CLASSES_TRIED]:
        found = _candidate(case, one, new=False)
        if found is not None:
            yield found
            return
    running = [other.priority for other in case.snapshot.pods.values() if other.node_name and not other.terminal]
    value = max([NEW_VALUE, *(priority + 1 for priority in running if priority < MOST_VALUE)])
    name = NEW_CLASS
    while name in case.snapshot.priority_classes:
        name += "-1"
    found = _candidate(case, PriorityClass(Meta(name), min(value, MOST_VALUE)), new=True)
    if found is not None:
        yield found


def _candidate(case: Case, chosen: PriorityClass, *, new: bool) -> Candidate | None:
    raised = replace(
        case.pod, priority=chosen.value, priority_class=chosen.meta.name, preemption_policy=chosen.preemption_policy
    )
    decision = case.scheduler.judge(case.snapshot, raised)
    if not isinstance(decision, Placement) or decision.preemption is None:
        return None
    there = [case.snapshot.pods[key] for key in decision.preemption.victims]
    if any(owner_of(case.snapshot, pod) == case.owner for pod in there):
        return None  # its own siblings have the same priority after the change
    if all(pod.terminating for pod in there):
        return None  # they're on their way out: an eviction deletes them a second time
    name, victims = chosen.meta.name, ", ".join(decision.preemption.victims)
    made: tuple[Change, ...] = ()
    if new:
        manifest = {
            "apiVersion": "scheduling.k8s.io/v1",
            "kind": "PriorityClass",
            "metadata": {"name": name},
            "value": chosen.value,
        }
        made = (
            Change(
                f"priorityclass {name}",
                f"kubectl create priorityclass {shlex.quote(name)} --value={chosen.value}",
                manifest,
                f"kubectl delete priorityclass {shlex.quote(name)}",
            ),
        )
    return Candidate(
        kind="raise-priority",
        target="pod",
        title=f"Give it PriorityClass {name} ({chosen.value}): it preempts {victims}",
        changes=(
            *made,
            *changes.pod_spec(
                case.owner,
                case.pod.name,
                {"priorityClassName": name}
                if case.owner.templated
                else {"priorityClassName": name, "priority": None, "preemptionPolicy": None},
            ),
        ),
        apply=lambda trial: Trial(
            trial.snapshot,
            replace(
                trial.pod, priority=raised.priority, priority_class=name, preemption_policy=raised.preemption_policy
            ),
        ),
        risk=Risk("high", f"{victims} will be evicted{harm(decision.preemption)}"),
        rank=60 + min(len(decision.preemption.victims), 10) / 10,
        cures="capacity",
        tried=After(decision.preemption.node, decision.preemption.victims),
    )
