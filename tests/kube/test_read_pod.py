"""Pods from JSON: what is read, and the API server's defaults."""

import json
from typing import Any

import pytest

from aliquot.kube.meta import Owner
from aliquot.kube.pod import (
    Container,
    ContainerClaim,
    ExtendedResourceClaim,
    HostPort,
    Pod,
    PodClaim,
    Scheduled,
    Volume,
)
from aliquot.kube.reading.kinds import KINDS
from aliquot.kube.reading.memo import Memo
from aliquot.kube.selectors import (
    Affinity,
    LabelSelector,
    NodeSelector,
    NodeSelectorTerm,
    PodAffinityTerm,
    Requirement,
    TopologySpread,
)
from aliquot.kube.taints import Toleration

Json = dict[str, Any]
POD = next(kind for kind in KINDS if kind.name == "Pod")


def pod(spec: Json, status: Json | None = None, **meta: Any) -> Pod:
    thing = {"metadata": {"name": "p", **meta}, "spec": spec, "status": status}
    noun, faults = POD.read(json.dumps(thing).encode(), Memo())
    assert faults == ()
    assert isinstance(noun, Pod)
    return noun


def container(**fields: Any) -> Container:
    return pod({"containers": [{"name": "c", **fields}]}).containers[0]


def test_the_barest_pod() -> None:
    noun, faults = POD.read(b'{"metadata": {"name": "p"}}', Memo())
    assert faults == ()
    assert isinstance(noun, Pod)
    assert (noun.key, noun.phase, noun.priority, noun.node_name, noun.scheduler_name, noun.preemption_policy) == (
        "default/p",
        "Pending",
        0,
        "",
        "default-scheduler",
        "PreemptLowerPriority",
    )
    assert noun.pod_requests is None
    assert noun.scheduled is None


def test_metadata() -> None:
    read = pod(
        {},
        namespace="ns",
        uid="u",
        labels={"a": "b", "none": None},
        annotations={"c": "d", "kubectl.kubernetes.io/last-applied-configuration": "{}"},
        ownerReferences=[{"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "r", "uid": "v", "controller": True}],
        creationTimestamp="2026-11-30T00:00:00Z",
        deletionTimestamp="2026-11-30T01:00:00Z",
        generation=3,
        resourceVersion="9",
    ).meta
    assert (read.key, read.uid, read.created, read.deleted) == (
        "ns/p",
        "u",
        "2026-11-30T00:00:00Z",
        "2026-11-30T01:00:00Z",
    )
    assert (read.generation, read.resource_version) == (3, "9")
    assert read.labels == {"a": "b", "none": ""}
    assert read.annotations == {"c": "d"}
    assert read.owners == (Owner("ReplicaSet", "r", "v", True, "apps/v1"),)


@pytest.mark.parametrize(
    ("resources", "requests", "limits"),
    [
        (None, {}, {}),
        ({}, {}, {}),
        ({"limits": {"nvidia.com/gpu": "1"}}, {"nvidia.com/gpu": 1}, {"nvidia.com/gpu": 1}),
        ({"limits": {"cpu": 2}, "requests": {"cpu": "100m"}}, {"cpu": 100}, {"cpu": 2000}),
        ({"requests": {"cpu": 0.1, "memory": "1.5Gi"}}, {"cpu": 100, "memory": 1610612736}, {}),
        ({"requests": {"cpu": "1u", "memory": "100m"}}, {"cpu": 1, "memory": 1}, {}),
        ({"requests": {"memory": 1e3, "cpu": None}}, {"memory": 1000, "cpu": 0}, {}),
    ],
)
def test_resources(resources: Any, requests: Json, limits: Json) -> None:
    read = container(resources=resources)
    assert (read.requests, read.limits) == (requests, limits)


def test_a_quantity_keeps_its_text() -> None:
    """1e3 is a number in JSON, and a quantity of a thousand; a float in between would print it differently."""
    raw = b'{"metadata": {"name": "p"}, "spec": {"containers": [{"resources": {"requests": {"memory": 1e3}}}]}}'
    noun, faults = POD.read(raw, Memo())
    assert faults == ()
    assert isinstance(noun, Pod)
    assert noun.containers[0].requests == {"memory": 1000}


@pytest.mark.parametrize(
    ("ports", "host_network", "taken"),
    [
        (None, False, ()),
        ([{"containerPort": 80}], False, ()),
        ([{"containerPort": 80}], True, (HostPort(80),)),
        ([{"containerPort": 80, "hostPort": 8080}], False, (HostPort(8080),)),
        ([{"hostPort": 53, "protocol": "UDP", "hostIP": "10.0.0.1"}], False, (HostPort(53, "UDP", "10.0.0.1"),)),
        ([{"hostPort": 53, "hostIP": ""}, {"hostPort": 0}], False, (HostPort(53),)),
    ],
)
def test_host_ports(ports: Any, host_network: bool, taken: tuple[HostPort, ...]) -> None:
    read = pod({"hostNetwork": host_network, "containers": [{"name": "c", "ports": ports}]})
    assert read.containers[0].ports == taken
    assert read.host_network is host_network


def test_containers() -> None:
    read = pod(
        {
            "containers": [
                {"name": "c", "image": "i", "resources": {"claims": [{"name": "g"}, {"name": "h", "request": "r"}]}}
            ],
            "initContainers": [{"name": "once"}, {"name": "proxy", "restartPolicy": "Always"}],
        }
    )  # fmt: skip
    assert read.containers == (Container("c", claims=(ContainerClaim("g"), ContainerClaim("h", "r")), image="i"),)
    assert [(one.name, one.sidecar) for one in read.init_containers] == [("once", False), ("proxy", True)]


@pytest.mark.parametrize(
    ("resources", "expected"),
    [
        (None, None),
        ({}, {}),
        ({"requests": {"cpu": 1}}, {"cpu": 1000}),
        ({"limits": {"cpu": 1, "memory": "1Gi"}}, {"memory": 2**30}),
        ({"limits": {"cpu": 1}, "requests": {"cpu": "1m"}}, {"cpu": 1}),
    ],
)
def test_pod_level_resources(resources: Any, expected: Json | None) -> None:
    read = pod({"resources": resources, "containers": [{"resources": {"requests": {"cpu": 1}}}]})
    assert read.pod_requests == expected


@pytest.mark.parametrize(
    ("given", "read"),
    [
        ({}, Toleration()),
        ({"operator": "Exists"}, Toleration(operator="Exists")),
        ({"key": "a", "value": "b", "effect": "NoExecute", "tolerationSeconds": 5},
         Toleration("a", "Equal", "b", "NoExecute", 5)),
        ({"key": "a", "operator": "Gt", "value": "5", "effect": None}, Toleration("a", "Gt", "5")),
    ],
)  # fmt: skip
def test_tolerations(given: Json, read: Toleration) -> None:
    assert pod({"tolerations": [given]}).tolerations == (read,)


@pytest.mark.parametrize(
    ("given", "read"),
    [
        ({"name": "v"}, Volume("v", "emptyDir")),
        ({"name": "v", "emptyDir": {}}, Volume("v", "emptyDir")),
        ({"configMap": {}, "name": "v"}, Volume("v", "configMap")),
        ({"name": "v", "secret": None, "csi": {}}, Volume("v", "csi")),
        ({"name": "v", "persistentVolumeClaim": {"claimName": "data"}}, Volume("v", "persistentVolumeClaim", "data")),
        ({"persistentVolumeClaim": None, "name": None}, Volume("", "emptyDir")),
    ],
)
def test_volumes(given: Json, read: Volume) -> None:
    assert pod({"volumes": [given]}).volumes == (read,)


def test_scheduling_fields() -> None:
    read = pod(
        {
            "nodeName": "n",
            "priority": -5,
            "priorityClassName": "low",
            "preemptionPolicy": "Never",
            "schedulerName": "other",
            "schedulingGates": [{"name": "wait"}],
            "nodeSelector": {"a": "b"},
            "overhead": {"cpu": "250m"},
            "schedulingGroup": {"podGroupName": "g"},
        },
        {"phase": "Running", "nominatedNodeName": "m", "startTime": "2026-11-30T00:00:00Z"},
    )
    assert (read.node_name, read.priority, read.priority_class, read.preemption_policy) == ("n", -5, "low", "Never")
    assert (read.scheduler_name, read.scheduling_gates, read.node_selector) == ("other", ("wait",), {"a": "b"})
    assert (read.overhead, read.scheduling_group) == ({"cpu": 250}, "g")
    assert (read.phase, read.nominated_node, read.started) == ("Running", "m", "2026-11-30T00:00:00Z")
    assert pod({"workloadRef": {"name": "w", "podGroup": "h"}}).scheduling_group == "h"
    assert pod({"schedulingGroup": {}}).scheduling_group == ""


@pytest.mark.parametrize(
    ("spec", "needs"),
    [
        ({}, ()),
        ({"hostNetwork": True, "hostUsers": True}, ()),
        ({"hostNetwork": True, "hostUsers": False}, ("UserNamespacesHostNetworkSupport",)),
        ({"containers": [{"restartPolicyRules": [{"action": "Restart"}]}]}, ()),
        (
            {"initContainers": [{"restartPolicyRules": [{"action": "RestartAllContainers"}]}]},
            ("RestartAllContainersOnContainerExits",),
        ),
    ],
)
def test_features_that_the_node_must_declare(spec: Json, needs: tuple[str, ...]) -> None:
    assert pod(spec).needs_features == needs


def test_claims() -> None:
    read = pod(
        {
            "resourceClaims": [
                {"name": "a", "resourceClaimName": "one"},
                {"name": "b", "resourceClaimTemplateName": "two"},
                {"name": "c", "source": {"resourceClaimTemplateName": "three"}},
                {"name": "d", "source": {"resourceClaimName": "four"}},
            ]
        },
        {
            "resourceClaimStatuses": [{"name": "b", "resourceClaimName": "b-x"}, {"name": "c"}],
            "extendedResourceClaimStatus": {
                "resourceClaimName": "made",
                "requestMappings": [{"containerName": "c", "resourceName": "nvidia.com/gpu", "requestName": "r"}],
            },
        },
    )
    assert read.claims == (
        PodClaim("a", "one"),
        PodClaim("b", None, "two"),
        PodClaim("c", None, "three"),
        PodClaim("d", "four"),
    )
    assert read.claim_names == {"b": "b-x", "c": None}
    assert read.extended_claim == ExtendedResourceClaim("made", (("c", "nvidia.com/gpu", "r"),))


@pytest.mark.parametrize(
    ("conditions", "read"),
    [
        (None, None),
        ([], None),
        ([{"type": "Ready", "status": "True"}], None),
        ([{"type": "Ready"}, {"type": "PodScheduled", "status": "True"}], Scheduled("True")),
        (
            [{"type": "PodScheduled", "status": "False", "reason": "Unschedulable", "message": "0/1"}],
            Scheduled("False", "Unschedulable", "0/1"),
        ),
    ],
)  # fmt: skip
def test_scheduled(conditions: Any, read: Scheduled | None) -> None:
    assert pod({}, {"conditions": conditions}).scheduled == read


HOST = "kubernetes.io/hostname"


@pytest.mark.parametrize(
    ("given", "read"),
    [
        ({}, Affinity()),
        ({"nodeAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": [{"weight": 1}]}}, Affinity()),
        (
            {
                "nodeAffinity": {
                    "requiredDuringSchedulingIgnoredDuringExecution": {
                        "nodeSelectorTerms": [
                            {"matchExpressions": [{"key": "a", "operator": "In", "values": ["b"]}]},
                            {"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["n"]}]},
                            {},
                        ]
                    }
                }
            },
            Affinity(
                NodeSelector(
                    (
                        NodeSelectorTerm((Requirement("a", "In", ("b",)),)),
                        NodeSelectorTerm((), (Requirement("metadata.name", "In", ("n",)),)),
                        NodeSelectorTerm(),
                    )
                )
            ),
        ),
        (
            {
                "podAffinity": {
                    "requiredDuringSchedulingIgnoredDuringExecution": [
                        {"topologyKey": HOST, "labelSelector": {"matchLabels": {"a": "b"}}, "namespaceSelector": {}},
                    ]
                },
                "podAntiAffinity": {
                    "requiredDuringSchedulingIgnoredDuringExecution": [{"topologyKey": HOST, "namespaces": ["x"]}]
                },
            },
            Affinity(
                None,
                (PodAffinityTerm(HOST, LabelSelector({"a": "b"}), (), LabelSelector()),),
                (PodAffinityTerm(HOST, None, ("x",)),),
            ),
        ),
    ],
)
def test_affinity(given: Json, read: Affinity) -> None:
    assert pod({"affinity": given}).affinity == read


def test_label_keys_become_selectors() -> None:
    """As the API server does when the pod is created; an object that has been through it doesn't change."""
    term = {"topologyKey": HOST, "labelSelector": {}, "matchLabelKeys": ["v", "none"], "mismatchLabelKeys": ["t"]}
    given = {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term, {"topologyKey": HOST}]}}
    read = pod({"affinity": given}, labels={"v": "1", "t": "x"}).affinity
    wanted = (Requirement("v", "In", ("1",)), Requirement("t", "NotIn", ("x",)))
    assert read is not None
    assert read.pod_anti[0].selector == LabelSelector({}, wanted)
    assert read.pod_anti[1].selector is None
    term["labelSelector"] = {
        "matchExpressions": [
            {"key": "v", "operator": "In", "values": ["1"]},
            {"key": "t", "operator": "NotIn", "values": ["x"]},
        ]
    }
    again = pod({"affinity": given}, labels={"v": "1", "t": "x"}).affinity
    assert again is not None
    assert again.pod_anti[0].selector == LabelSelector({}, wanted)


def test_topology_spread() -> None:
    read = pod(
        {
            "topologySpreadConstraints": [
                {"maxSkew": 1, "topologyKey": "zone"},
                {
                    "maxSkew": 2,
                    "topologyKey": "host",
                    "whenUnsatisfiable": "ScheduleAnyway",
                    "labelSelector": {"matchExpressions": [{"key": "a", "operator": "Exists"}]},
                    "minDomains": 3,
                    "nodeAffinityPolicy": "Ignore",
                    "nodeTaintsPolicy": "Honor",
                    "matchLabelKeys": ["v"],
                },
            ]
        }
    )
    assert read.topology_spread == (
        TopologySpread(1, "zone"),
        TopologySpread(
            2,
            "host",
            "ScheduleAnyway",
            LabelSelector({}, (Requirement("a", "Exists"),)),
            3,
            "Ignore",
            "Honor",
            ("v",),
        ),
    )
    assert read.topology_spread[0].selector is None


def test_equal_parts_are_shared() -> None:
    memo = Memo()
    raw = b'{"metadata": {"name": "%s", "labels": {"a": "b"}}, "spec": {"containers": [{"name": "c", "image": "i"}]}}'
    first, _ = POD.read(raw % b"x", memo)
    second, _ = POD.read(raw % b"y", memo)
    assert isinstance(first, Pod)
    assert isinstance(second, Pod)
    assert first.meta.labels is second.meta.labels
    assert first.containers[0] is second.containers[0]
