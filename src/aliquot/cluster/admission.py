"""What the API server's admission would have filled in for manifests that were never applied: the priority."""

from dataclasses import replace

from aliquot.cluster.items import Noun
from aliquot.kube.pod import Pod
from aliquot.kube.workload import PriorityClass, Workload

_BUILT_IN = {"system-cluster-critical": 2_000_000_000, "system-node-critical": 2_000_001_000}


def admitted(objects: tuple[Noun, ...]) -> tuple[Noun, ...]:
    """The same objects; pods and pod templates that no API server has seen (no uid) get their class's priority."""
    classes: dict[str, PriorityClass] = {
        thing.meta.name: thing for thing in objects if isinstance(thing, PriorityClass)
    }
    default = max(
        (found for found in classes.values() if found.global_default), key=lambda found: found.value, default=None
    )
    return tuple([_admitted(thing, classes, default) for thing in objects])


def _admitted(thing: Noun, classes: dict[str, PriorityClass], default: PriorityClass | None) -> Noun:
    if isinstance(thing, Pod) and not thing.meta.uid:
        return _with_priority(thing, classes, default)
    if isinstance(thing, Workload) and thing.template is not None:
        return replace(thing, template=_with_priority(thing.template, classes, default))
    return thing


def _with_priority(pod: Pod, classes: dict[str, PriorityClass], default: PriorityClass | None) -> Pod:
    if pod.priority:
        return pod
    if not pod.priority_class:
        if default is None:
            return pod
        return replace(pod, priority=default.value, preemption_policy=default.preemption_policy)
    found = classes.get(pod.priority_class)
    if found is not None:
        return replace(pod, priority=found.value, preemption_policy=found.preemption_policy)
    return replace(pod, priority=_BUILT_IN.get(pod.priority_class, 0))
