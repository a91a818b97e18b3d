"""Slices of a simulated host, published to an API server and kept there."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from time import monotonic, sleep
from typing import Any

import pytest

from aliquot.cluster.api.connection import Connection
from aliquot.cluster.api.kube_cluster import KubeCluster
from aliquot.cluster.api.kubeconfig import account
from aliquot.cluster.memory.cluster import MemoryCluster
from aliquot.cluster.objects.protocol import Objects
from aliquot.cluster.objects.resources import NODES, SLICES
from aliquot.devices.hosts.simulated.file import read_host
from aliquot.devices.hosts.simulated.host import SimulatedHost
from aliquot.devices.hosts.simulated.presets import preset_text
from aliquot.devices.mig import Geometry
from aliquot.dra.device import Device, DeviceTaint
from aliquot.dra.slices.pool import Pool
from aliquot.kube.release import Kubernetes
from aliquot.node.publishing.publisher import Publisher
from aliquot.sandbox.rest.server import RestServer
from aliquot.sharing.publish.options import Options
from aliquot.sharing.publish.pools import published

pytestmark = pytest.mark.enable_socket
Json = dict[str, Any]
GPU = "gpu.nvidia.com"
TAINT = DeviceTaint("gpu.nvidia.com/xid", "NoSchedule", "79", "2026-12-01T10:00:00Z")


class Node:
    """What the agent would have to offer; the tests add taints."""

    def __init__(self) -> None:
        host = SimulatedHost(read_host(preset_text("hgx-h100") or "", "hgx-h100"))
        self._survey = host.survey()
        found = {gpu.uuid: host.geometry(gpu.uuid) for gpu in self._survey.gpus}
        self._geometries = {uuid: one for uuid, one in found.items() if isinstance(one, Geometry)}
        self.asked: list[Kubernetes] = []
        self.taints: dict[str, DeviceTaint] = {}

    def offer(self, kubernetes: Kubernetes) -> Sequence[Pool]:
        self.asked.append(kubernetes)
        offered = published(self._survey, self._geometries, Options(node="n1", kubernetes=kubernetes))
        if not kubernetes.on("DRADeviceTaints"):
            return offered.pools
        return [replace(pool, devices=tuple(map(self._tainted, pool.devices))) for pool in offered.pools]

    def _tainted(self, device: Device) -> Device:
        taint = self.taints.get(device.name)
        return device if taint is None else replace(device, taints=(taint,))


def cluster(**options: Any) -> MemoryCluster:
    memory = MemoryCluster(**options)
    memory.create(NODES, {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n1"}})
    return memory


def until(condition: Callable[[], object], seconds: float = 60) -> None:
    end = monotonic() + seconds
    while not condition():
        assert monotonic() < end, "it didn't come to be"
        sleep(0.02)


def slices(objects: Objects, driver: str = GPU) -> list[Json]:
    return [one for one in objects.list(SLICES).items if one["spec"]["driver"] == driver]


def devices(things: list[Json]) -> dict[str, Json]:
    return {device["name"]: device for one in things for device in one["spec"].get("devices", ())}


def whole(there: list[Json], count: int) -> bool:
    """Each device once, in a pool that is complete."""
    counts = {one["spec"]["pool"]["resourceSliceCount"] for one in there}
    return counts == {len(there)} and sum(len(one["spec"].get("devices", ())) for one in there) == count


@pytest.fixture
def node() -> Node:
    return Node()


@contextmanager
def publishing(objects: Objects, node: Node, minor: int = 36) -> Iterator[Publisher]:
    with Publisher(objects, "n1", node.offer, Kubernetes(minor)) as publisher:
        assert publisher.published.wait(60), publisher.trouble
        yield publisher


@pytest.fixture(params=["memory", "rest"])
def objects(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Objects]:
    memory = cluster()
    with ExitStack() as stack:
        if request.param == "memory":
            yield memory
            return
        server = stack.enter_context(RestServer(memory))
        yield KubeCluster(stack.enter_context(Connection(account(None, server.kubeconfig(tmp_path / "config")))))


def test_what_a_node_has_is_published_and_belongs_to_it(objects: Objects, node: Node) -> None:
    with publishing(objects, node):
        there = slices(objects)
        gpus = next(pool for pool in node.offer(Kubernetes(36)) if pool.driver == GPU)
        assert set(devices(there)) == {one.name for one in gpus.devices}
        assert len(devices(there)) > 8 * 20
        (generation,) = {one["spec"]["pool"]["generation"] for one in there}
        assert (generation, there[0]["spec"]["pool"]["resourceSliceCount"]) == (1, len(there))
        (owner,) = {one["metadata"]["ownerReferences"][0]["uid"] for one in there}
        assert owner == objects.get(NODES, "n1")["metadata"]["uid"]
        assert slices(objects, "nic.aliquot.dev"), "the second driver's"


def test_one_devices_change_writes_one_slice(objects: Objects, node: Node) -> None:
    with publishing(objects, node) as publisher:
        before = {one["metadata"]["name"]: one for one in slices(objects)}
        node.taints["gpu-3"] = TAINT
        publisher.changed()
        until(lambda: devices(slices(objects))["gpu-3"].get("taints"))
        after = {one["metadata"]["name"]: one for one in slices(objects)}
        changed = [name for name, one in after.items() if one != before[name]]
        assert len(changed) == 1
        assert after[changed[0]]["spec"]["pool"] == before[changed[0]]["spec"]["pool"]
        node.taints["gpu-3"] = replace(TAINT, time_added="2026-12-01T11:11:11Z")
        node.taints["gpu-4"] = TAINT
        publisher.changed()
        until(lambda: devices(slices(objects))["gpu-4"].get("taints"))
        (taint,) = devices(slices(objects))["gpu-3"]["taints"]
        assert taint["timeAdded"] == "2026-12-01T10:00:00Z", "it's the same taint"


def test_what_the_kubelet_wiped_comes_back(objects: Objects, node: Node) -> None:
    with publishing(objects, node) as publisher:
        wanted = devices(slices(objects))
        for one in slices(objects):
            objects.delete(SLICES, one["metadata"]["name"])
        until(lambda: devices(slices(objects)) == wanted)
        until(lambda: publisher.trouble == "")


def test_what_somebody_else_wrote_is_put_right_and_others_are_left_alone(objects: Objects, node: Node) -> None:
    theirs = {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "ResourceSlice",
        "metadata": {"name": "theirs"},
        "spec": {
            "driver": "other.example.com",
            "nodeName": "n1",
            "pool": {"name": "n1", "generation": 1, "resourceSliceCount": 1},
        },
    }
    objects.create(SLICES, theirs)
    with publishing(objects, node):
        wanted = devices(slices(objects))
        one = next(one for one in slices(objects) if one["spec"].get("devices"))
        one["spec"]["devices"] = one["spec"]["devices"][1:]
        objects.update(SLICES, one)
        extra = {**slices(objects)[0], "metadata": {"name": "zzz"}}
        objects.create(SLICES, extra)
        until(lambda: devices(slices(objects)) == wanted)
        until(lambda: whole(slices(objects), len(wanted)))
        assert slices(objects, "other.example.com")[0]["metadata"]["name"] == "theirs"


def test_it_ends_without_taking_anything_away(objects: Objects, node: Node) -> None:
    with publishing(objects, node):
        there = slices(objects)
    assert slices(objects) == there
    with publishing(objects, node):
        sleep(0.3)
    assert slices(objects) == there, "a new agent finds them as they should be"


def test_an_outage_is_waited_out(tmp_path: Path, node: Node) -> None:
    memory = cluster()
    with (
        RestServer(memory) as server,
        Connection(account(None, server.kubeconfig(tmp_path / "config"))) as connection,
        publishing(KubeCluster(connection), node) as publisher,
    ):
        server.down()
        node.taints["gpu-3"] = TAINT
        publisher.changed()
        until(lambda: "doesn't answer" in publisher.trouble)
        server.up()
        until(lambda: devices(slices(memory))["gpu-3"].get("taints"))
        until(lambda: publisher.trouble == "")


def test_fields_that_the_server_drops_are_told_and_done_without() -> None:
    memory = cluster(unknown={"ResourceSlice": ["spec.devices.taints"]})
    node = Node()
    node.taints["gpu-3"] = TAINT
    with Publisher(memory, "n1", node.offer, Kubernetes(36)) as publisher:
        until(lambda: not publisher.kubernetes.on("DRADeviceTaints"))
        assert node.asked[0].on("DRADeviceTaints")
        assert publisher.published.wait(60), publisher.trouble
        assert "gpu-3" in devices(slices(memory)), "published without its taint: who offers must withdraw it"


def test_a_node_that_is_not_there_is_said(node: Node) -> None:
    with Publisher(MemoryCluster(), "n1", node.offer, Kubernetes(36)) as publisher:
        until(lambda: 'nodes "n1" not found (404)' in publisher.trouble)
