"""A way past taken capacity: a PriorityClass, or a preemptionPolicy, that lets the pod preempt others."""

import shlex
from collections.abc import Iterator
from dataclasses import replace

from aliquot.advisor import changes
from aliquot.advisor.case import Case, on_pod
from aliquot.advisor.owners import owner_of
from aliquot.advisor.wayout import After, Candidate, Change, Risk, Trial, harm
from aliquot.kube.meta import Meta
from aliquot.kube.pod import Pod
from aliquot.kube.workload import PriorityClass
from aliquot.scheduling.outcome import Placement, Preemption
from aliquot.snapshot.snapshot import Snapshot

NEW_CLASS = "gpu-high"
NEW_VALUE = 100_000
PREEMPTING_CLASS = "gpu-preempting"
"""Of a pod whose priority would do, had it leave to preempt."""
NEVER, LOWER = "Never", "PreemptLowerPriority"
MOST_VALUE = 1_000_000_000
"""User-made classes end here; above are the system's."""
CLASSES_TRIED = 4


def cures(case: Case) -> Iterator[Candidate]:
    """Leave to preempt, where that's all it lacks; else the lowest class that places it, an existing or a new one."""
    pod = case.pod
    if not any(spot.short_of() for spot in case.spots):
        return  # priority frees capacity; it moves no taint and no label
    never = pod.preemption_policy == NEVER
    if never and not _by_class(case):
        found = _permitted(case)
        if found is not None:
            yield found
            return
    least = pod.priority if never else pod.priority + 1
    classes = sorted(
        (
            one
            for one in case.snapshot.priority_classes.values()
            if least <= one.value <= MOST_VALUE and one.preemption_policy != NEVER
        ),
        key=lambda one: (one.value, one.meta.name),
    )
    for one in classes[:CLASSES_TRIED]:
        found = _candidate(case, one, new=False)
        if found is not None:
            yield found
            return
    if never and pod.priority <= MOST_VALUE:
        found = _candidate(case, PriorityClass(Meta(_unused(case, PREEMPTING_CLASS)), pod.priority), new=True)
        if found is not None:
            yield found
            return
    value = max(NEW_VALUE, case.snapshot.recall("highest priority that runs", _highest) + 1)
    found = _candidate(case, PriorityClass(Meta(_unused(case, NEW_CLASS)), min(value, MOST_VALUE)), new=True)
    if found is not None:
        yield found


def _highest(snapshot: Snapshot) -> int:
    """Of the pods that have a node, below the system's; 0 without any."""
    running = (one.priority for one in snapshot.pods.values() if one.node_name and not one.terminal)
    return max((priority for priority in running if priority < MOST_VALUE), default=0)


def _unused(case: Case, name: str) -> str:
    while name in case.snapshot.priority_classes:
        name += "-1"
    return name


def _by_class(case: Case) -> bool:
    """Its class says Never (or may, where it isn't in the input): the API server takes no other policy beside it."""
    own = case.snapshot.priority_classes.get(case.pod.priority_class)
    return bool(case.pod.priority_class) and (own is None or own.preemption_policy == NEVER)


def _permitted(case: Case) -> Candidate | None:
    """The same priority, with leave to preempt."""
    preemption = _preempting(case, replace(case.pod, preemption_policy=LOWER))
    if preemption is None:
        return None
    victims = ", ".join(preemption.victims)
    return Candidate(
        kind="raise-priority",
        target="pod",
        title=f"Let it preempt (preemptionPolicy {LOWER} instead of {NEVER}): it preempts {victims}",
        changes=changes.pod_spec(case.owner, case.pod.name, {"preemptionPolicy": LOWER}),
        apply=on_pod(lambda pod: replace(pod, preemption_policy=LOWER)),
        risk=Risk("high", f"{victims} will be evicted{harm(preemption)}"),
        rank=59 + min(len(preemption.victims), 10) / 10,
        cures="capacity",
        tried=After(preemption.node, preemption.victims),
    )


def _preempting(case: Case, changed: Pod) -> Preemption | None:
    """What the pod does with another priority or policy, where that's a help."""
    decision = case.scheduler.judge(case.snapshot, changed)
    if not isinstance(decision, Placement) or decision.preemption is None:
        return None
    there = [case.snapshot.pods[key] for key in decision.preemption.victims]
    if any(owner_of(case.snapshot, pod) == case.owner for pod in there):
        return None  # its own siblings have the same priority after the change
    if all(pod.terminating for pod in there):
        return None  # they're on their way out: an eviction deletes them a second time
    return decision.preemption


def _candidate(case: Case, chosen: PriorityClass, *, new: bool) -> Candidate | None:
    raised = replace(
        case.pod, priority=chosen.value, priority_class=chosen.meta.name, preemption_policy=chosen.preemption_policy
    )
    preemption = _preempting(case, raised)
    if preemption is None:
        return None
    name, victims = chosen.meta.name, ", ".join(preemption.victims)
    never = case.pod.preemption_policy == NEVER
    leave = f" and with it preemptionPolicy {LOWER} instead of {NEVER}" if never else ""
    spec: dict[str, object] = {"priorityClassName": name}
    if never:
        spec["preemptionPolicy"] = LOWER
    if not case.owner.templated:
        # the API server fills in what the class says, and takes nothing else
        spec = {"priority": None, "preemptionPolicy": None, **spec}
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
        title=f"Give it PriorityClass {name} ({chosen.value}){leave}: it preempts {victims}",
        changes=(
            *made,
            *changes.pod_spec(case.owner, case.pod.name, spec),
        ),
        apply=lambda trial: Trial(
            trial.snapshot,
            replace(
                trial.pod, priority=raised.priority, priority_class=name, preemption_policy=raised.preemption_policy
            ),
        ),
        risk=Risk("high", f"{victims} will be evicted{harm(preemption)}"),
        rank=60 + min(len(preemption.victims), 10) / 10,
        cures="capacity",
        tried=After(preemption.node, preemption.victims),
    )
