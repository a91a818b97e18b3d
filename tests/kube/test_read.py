"""Nodes, workloads, events, priority classes and namespaces from JSON."""

import json
from typing import Any

import pytest

from aliquot.kube.node import Node
from aliquot.kube.reading.kinds import KINDS, Noun
from aliquot.kube.reading.memo import Memo
from aliquot.kube.taints import Taint
from aliquot.kube.workload import Event, Namespace, PriorityClass, Workload

Json = dict[str, Any]
_KINDS = {(kind.group, kind.name): kind for kind in KINDS}


def read(group: str, kind: str, **fields: Any) -> Noun:
    thing = {"metadata": {"name": "x"}, **fields}
    noun, faults = _KINDS[group, kind].read(json.dumps(thing).encode(), Memo())
    assert faults == ()
    assert noun is not None
    return noun


def node(spec: Json | None = None, status: Json | None = None) -> Node:
    noun = read("", "Node", spec=spec, status=status)
    assert isinstance(noun, Node)
    return noun


def workload(group: str, kind: str, **fields: Any) -> Workload:
    noun = read(group, kind, **fields)
    assert isinstance(noun, Workload)
    return noun


@pytest.mark.parametrize(
    ("status", "allocatable", "capacity"),
    [
        (None, {}, {}),
        ({"capacity": {"cpu": "2", "pods": "110"}}, {"cpu": 2000, "pods": 110}, {"cpu": 2000, "pods": 110}),
        ({"capacity": {"cpu": "2"}, "allocatable": {"cpu": "1900m"}}, {"cpu": 1900}, {"cpu": 2000}),
        ({"capacity": {"cpu": "2"}, "allocatable": {}}, {}, {"cpu": 2000}),
        ({"allocatable": {"nvidia.com/gpu": 8, "memory": "1Ki"}}, {"nvidia.com/gpu": 8, "memory": 1024}, {}),
    ],
)
def test_node_resources(status: Json | None, allocatable: Json, capacity: Json) -> None:
    """The API server copies capacity where allocatable is absent, not where it's empty."""
    made = node(status=status)
    assert (made.allocatable, made.capacity) == (allocatable, capacity)


@pytest.mark.parametrize(
    ("conditions", "ready"),
    [
        (None, None),
        ([{"type": "MemoryPressure", "status": "True"}], None),
        ([{"type": "Ready", "status": "True"}], True),
        ([{"type": "Ready", "status": "False"}], False),
        ([{"type": "Ready", "status": "Unknown"}], None),
        ([{"type": "Ready"}], None),
    ],
)
def test_node_ready(conditions: Any, ready: bool | None) -> None:
    assert node(status={"conditions": conditions}).ready is ready


def test_node() -> None:
    made = node(
        {
            "unschedulable": True,
            "taints": [
                {"key": "a", "effect": "NoSchedule"},
                {"key": "b", "value": "c", "effect": "NoExecute", "timeAdded": None},
            ],
        },
        {
            "nodeInfo": {"kubeletVersion": "v1.36.2"},
            "declaredFeatures": ["A"],
            "images": [{"names": ["one", "two"], "sizeBytes": 1}, {"names": None}],
        },
    )  # fmt: skip
    assert made.name == "x"
    assert made.meta.namespace == ""
    assert made.unschedulable
    assert made.taints == (Taint("a", "NoSchedule"), Taint("b", "NoExecute", "c"))
    assert (made.kubelet_version, made.declared_features, made.images) == ("v1.36.2", ("A",), ("one", "two"))
    bare = node()
    assert (bare.unschedulable, bare.taints, bare.kubelet_version, bare.images) == (False, (), "", ())


@pytest.mark.parametrize(
    ("group", "kind", "spec", "replicas"),
    [
        ("apps", "Deployment", {"replicas": 0}, 0),
        ("apps", "Deployment", {}, 1),
        ("apps", "ReplicaSet", None, 1),
        ("apps", "StatefulSet", {"replicas": 3}, 3),
        ("", "ReplicationController", {}, 1),
        ("apps", "DaemonSet", {}, None),
        ("batch", "Job", {}, None),
    ],
)
def test_workloads(group: str, kind: str, spec: Any, replicas: int | None) -> None:
    made = workload(group, kind, spec=spec)
    assert (made.kind, made.meta.key, made.replicas, made.complete, made.template) == (
        kind,
        "default/x",
        replicas,
        False,
        None,
    )


@pytest.mark.parametrize(
    ("conditions", "complete"),
    [
        ([{"type": "Complete", "status": "True"}], True),
        ([{"type": "Failed", "status": "True"}], True),
        ([{"type": "Complete", "status": "False"}, {"type": "Suspended", "status": "True"}], False),
        (None, False),
    ],
)
def test_finished_jobs(conditions: Any, complete: bool) -> None:
    assert workload("batch", "Job", status={"conditions": conditions}).complete is complete
    assert not workload("apps", "Deployment", status={"conditions": conditions}).complete


TEMPLATE: Json = {
    "metadata": {"labels": {"app": "a"}, "annotations": {"b": "c"}},
    "spec": {"containers": [{"name": "c", "resources": {"limits": {"nvidia.com/gpu": 1}}}]},
}


def test_pod_templates() -> None:
    for made in (
        workload("apps", "Deployment", spec={"template": TEMPLATE}),
        workload("batch", "CronJob", spec={"jobTemplate": {"spec": {"template": TEMPLATE}}}),
    ):
        assert made.template is not None
        assert made.template.key == "default/x"
        assert (made.template.meta.labels, made.template.meta.annotations) == ({"app": "a"}, {"b": "c"})
        assert made.template.containers[0].requests == {"nvidia.com/gpu": 1}
    bare = workload("apps", "Deployment", spec={"template": {"spec": {}}}).template
    assert bare is not None
    assert bare.meta.labels == {}
    assert workload("apps", "Deployment", spec={"template": {}}).template is None
    assert workload("batch", "CronJob").template is None
    assert workload("batch", "CronJob", spec={"jobTemplate": {}}).template is None


def test_priority_class() -> None:
    made = read("scheduling.k8s.io", "PriorityClass", value=7)
    assert isinstance(made, PriorityClass)
    assert (made.value, made.global_default, made.preemption_policy) == (7, False, "PreemptLowerPriority")
    made = read("scheduling.k8s.io", "PriorityClass", value=-7, globalDefault=True, preemptionPolicy="Never")
    assert isinstance(made, PriorityClass)
    assert (made.value, made.global_default, made.preemption_policy) == (-7, True, "Never")


def test_namespace() -> None:
    made = read("", "Namespace")
    assert isinstance(made, Namespace)
    assert made.meta.key == "x"


ABOUT: Json = {"kind": "Pod", "namespace": "n", "name": "p", "uid": "u"}


@pytest.mark.parametrize(
    ("group", "fields", "message", "count", "seen"),
    [
        ("", {"involvedObject": ABOUT, "message": "m", "count": 3, "lastTimestamp": "t"}, "m", 3, "t"),
        ("", {"involvedObject": ABOUT, "message": "m", "lastTimestamp": None, "eventTime": "e"}, "m", 1, "e"),
        (
            "events.k8s.io",
            {"regarding": ABOUT, "note": "m", "series": {"count": 9, "lastObservedTime": "s"}, "eventTime": "e"},
            "m",
            9,
            "s",
        ),
        ("events.k8s.io", {"regarding": ABOUT, "deprecatedCount": 2, "deprecatedLastTimestamp": "d"}, "", 2, "d"),
        ("", {"involvedObject": ABOUT, "series": {}, "metadata": {"name": "x", "creationTimestamp": "c"}}, "", 1, "c"),
    ],
)
def test_events(group: str, fields: Json, message: str, count: int, seen: str) -> None:
    made = read(group, "Event", reason="FailedScheduling", **fields)
    assert isinstance(made, Event)
    assert (made.kind, made.namespace, made.name, made.uid) == ("Pod", "n", "p", "u")
    assert (made.reason, made.type, made.message, made.count, made.last_seen) == (
        "FailedScheduling",
        "Normal",
        message,
        count,
        seen,
    )


def test_event_about_nothing() -> None:
    made = read("", "Event")
    assert isinstance(made, Event)
    assert (made.kind, made.last_seen) == ("", None)
