"""Filters that look at what the node carries: host ports and resources."""

from dataclasses import replace

import pytest

from aliquot.kube.pod import Container, HostPort, Pod
from aliquot.kube.release import Kubernetes
from aliquot.scheduling.filters.node_ports import clash, host_ports, taken_ports
from aliquot.scheduling.filters.node_resources_fit import amount_text, short
from aliquot.snapshot.effective import effective_request
from scenarios.nouns.clusters import GI, GPU, NOW, cluster, node, pod


def asking(*ports: HostPort, on: str = "", name: str = "p") -> Pod:
    return replace(pod(name, on), containers=(Container("c", ports=ports),))


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        (HostPort(80), HostPort(80), True),
        (HostPort(80), HostPort(81), False),
        (HostPort(80, "UDP"), HostPort(80), False),
        (HostPort(80, "TCP", "10.0.0.1"), HostPort(80, "TCP", "10.0.0.2"), False),
        (HostPort(80, "TCP", "10.0.0.1"), HostPort(80, "TCP", "10.0.0.1"), True),
        (HostPort(80, "TCP", "10.0.0.1"), HostPort(80), True),
        (HostPort(80, "", ""), HostPort(80, "TCP", "10.0.0.2"), True),
    ],
)
def test_ports_clash_by_number_protocol_and_address(one: HostPort, other: HostPort, expected: bool) -> None:
    assert clash(one, other) is expected
    assert clash(other, one) is expected


def test_a_taken_port_says_who_has_it() -> None:
    there = cluster(node("n"), asking(HostPort(80), HostPort(90), on="n", name="web"), pod("other", "n"))
    found = taken_ports((HostPort(80), HostPort(90), HostPort(70)), there.load("n"))
    assert [(r.text, r.found, r.counts) for r in found] == [
        ("node(s) didn't have free ports for the requested pod ports", "held by default/web", True),
        ("node(s) didn't have free ports for the requested pod ports", "held by default/web", False),
    ]
    assert all(reason.preemptible for reason in found)


def test_sidecars_keep_their_ports_and_init_containers_do_not() -> None:
    found = Pod(
        pod("p").meta,
        (Container("c", ports=(HostPort(3), HostPort(0))),),
        (Container("i", ports=(HostPort(1),)), Container("s", ports=(HostPort(2),), sidecar=True)),
    )
    assert [port.port for port in host_ports(found)] == [2, 3]


def test_every_short_resource_is_told_with_its_numbers() -> None:
    there = cluster(node("n", gpu=4, pods=2), pod("a", "n", gpu=3, cpu=3000), pod("b", "n"))
    want = pod("p", cpu=1500, memory=GI, gpu=2)
    found = short(effective_request(want), there.load("n"), (), NOW)
    assert [(r.text, r.asked, r.found, r.missing) for r in found] == [
        ("Too many pods", "1", "0 free of 2", "1"),
        ("Insufficient cpu", "1500m", "1 free of 4", "500m"),
        ("Insufficient nvidia.com/gpu", "2", "1 free of 4", "1"),
    ]
    assert [(r.asked_amount, r.used_amount, r.total_amount) for r in found][2] == (2, 3, 4)
    assert all(reason.preemptible and reason.counts for reason in found)


def test_nothing_asked_needs_only_room_for_a_pod() -> None:
    there = cluster(node("n", cpu=0, memory=0, pods=1))
    assert not short({"cpu": 0}, there.load("n"), (), NOW)


@pytest.mark.parametrize(("minor", "preemptible"), [(33, True), (34, False), (36, False)])
def test_a_request_beyond_the_node_is_beyond_help_since_1_34(minor: int, preemptible: bool) -> None:
    there = cluster(node("n", gpu=1))
    found = short({GPU: 2}, there.load("n"), (), Kubernetes(minor))
    assert [reason.preemptible for reason in found] == [preemptible]


def test_what_a_device_class_serves_is_judged_only_where_the_node_offers_it() -> None:
    there = cluster(node("dra"), node("counted", gpu=1))
    assert not short({GPU: 2}, there.load("dra"), {GPU}, NOW)
    assert [r.text for r in short({GPU: 2}, there.load("counted"), {GPU}, NOW)] == ["Insufficient nvidia.com/gpu"]


def test_an_overbooked_node_has_nothing_free() -> None:
    there = cluster(node("n", gpu=1), pod("a", "n", gpu=3))
    found = short({GPU: 1}, there.load("n"), (), NOW)
    assert [(r.found, r.missing) for r in found] == [("0 free of 1", "3")]


@pytest.mark.parametrize(
    ("resource", "amount", "text"),
    [
        ("cpu", 1500, "1500m"),
        ("cpu", 2000, "2"),
        ("memory", 3 * GI, "3Gi"),
        ("memory", 1536 << 20, "1536Mi"),
        ("memory", 1000, "1000"),
        ("memory", 0, "0"),
        ("hugepages-2Mi", 4 << 20, "4Mi"),
        ("ephemeral-storage", 1 << 40, "1Ti"),
        (GPU, 1024, "1024"),
    ],
)
def test_amounts_read_as_kubernetes_writes_them(resource: str, amount: int, text: str) -> None:
    assert amount_text(resource, amount) == text
