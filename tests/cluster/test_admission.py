"""Priorities of manifests that no API server has seen."""

from typing import Any

import pytest

from aliquot.cluster.admission import admitted
from aliquot.kube.meta import Meta
from aliquot.kube.pod import Pod
from aliquot.kube.workload import PriorityClass, Workload

HIGH = PriorityClass(Meta("high"), 1000, preemption_policy="Never")
DEFAULT = PriorityClass(Meta("default"), 10, global_default=True)


@pytest.mark.parametrize(
    ("pod", "classes", "priority", "policy"),
    [
        ({}, (), 0, "PreemptLowerPriority"),
        ({}, (HIGH,), 0, "PreemptLowerPriority"),
        ({}, (HIGH, DEFAULT), 10, "PreemptLowerPriority"),
        ({"priority_class": "high"}, (HIGH, DEFAULT), 1000, "Never"),
        ({"priority_class": "gone"}, (HIGH, DEFAULT), 0, "PreemptLowerPriority"),
        ({"priority_class": "system-node-critical"}, (), 2_000_001_000, "PreemptLowerPriority"),
        ({"priority_class": "high", "priority": 5}, (HIGH,), 5, "PreemptLowerPriority"),
        ({"priority_class": "high", "meta": Meta("p", uid="u")}, (HIGH,), 0, "PreemptLowerPriority"),
    ],
)
def test_priority(pod: dict[str, Any], classes: tuple[PriorityClass, ...], priority: int, policy: str) -> None:
    read = Pod(**{"meta": Meta("p"), **pod})
    made = admitted((*classes, read))[-1]
    assert isinstance(made, Pod)
    assert (made.priority, made.preemption_policy) == (priority, policy)


def test_templates() -> None:
    template = Pod(Meta("w"), priority_class="high")
    owner = Workload("Deployment", Meta("w", uid="u"), template=template)
    with_pods, without = admitted((owner, Workload("Job", Meta("j")), HIGH))[:2]
    assert isinstance(with_pods, Workload)
    assert with_pods.template is not None
    assert with_pods.template.priority == 1000
    assert without == Workload("Job", Meta("j"))
