"""Replicas by time-slicing (case T8)."""

import pytest
import yaml

from aliquot.devices.gpu import TimeSlice
from aliquot.devices.hosts.simulated.shape import Fault
from aliquot.kube.reading.shape import FaultsError
from aliquot.sharing.plugin_config.offers import offers
from aliquot.sharing.plugin_config.read import read_plugin_config
from tests.node.device_plugin.conftest import Begin
from tests.node.device_plugin.node import G0, G1, TWO, Memory, Node, replicas, settings

FOUR = replicas(4, failRequestsGreaterThanOne=False)
ONE_EACH = replicas(4, failRequestsGreaterThanOne=True)


def slices(node: Node) -> list[TimeSlice | None]:
    return [gpu.time_slice for gpu in node.host.survey().gpus]


def test_each_gpu_is_offered_four_times(begin: Begin) -> None:
    node = begin(settings(FOUR))
    node.until(gpu=8)
    ids = [f"{gpu}::{number}" for gpu in (G0, G1) for number in range(4)]
    assert list(node.kubelet.devices("nvidia.com/gpu")) == ids


def test_visible_devices_are_each_once_in_the_hosts_order(begin: Begin) -> None:
    node = begin(settings(FOUR))
    node.until(gpu=8)
    for ids in ([f"{G0}::1", f"{G0}::3", f"{G1}::0"], [f"{G1}::0", f"{G0}::3", f"{G0}::1"]):
        assert dict(node.allocate(*ids).envs) == {"NVIDIA_VISIBLE_DEVICES": f"{G0},{G1}"}


def test_two_replicas_of_a_container_are_of_two_gpus(begin: Begin) -> None:
    node = begin(settings(FOUR))
    node.until(gpu=8)
    assert node.gets(gpu=2).envs == {"NVIDIA_VISIBLE_DEVICES": f"{G0},{G1}"}


def test_more_than_one_is_refused_where_the_file_says_so(begin: Begin) -> None:
    node = begin(settings(ONE_EACH))
    node.until(gpu=8)
    words = (
        "2 of nvidia.com/gpu were asked for, and a container may have 1: these are shares of a GPU (time-slicing), "
        "and more of them give no more time or memory than one does. Ask for 1"
    )
    assert node.refused(f"{G0}::0", f"{G1}::0") == words
    assert words in node.event(gpu=2)
    assert node.gets("p-2", gpu=1).envs == {"NVIDIA_VISIBLE_DEVICES": G0}


def test_a_gpu_that_fails_fails_with_all_its_replicas_and_comes_back_with_them(begin: Begin) -> None:
    node = begin(settings(FOUR))
    node.until(gpu=8)
    node.plugins.set_health(G0, healthy=False, reason="XID 79: the GPU fell off the bus")
    node.until(gpu=4)
    assert node.kubelet.devices("nvidia.com/gpu") == {
        **{f"{G0}::{number}": False for number in range(4)},
        **{f"{G1}::{number}": True for number in range(4)},
    }
    assert node.refused(f"{G1}::0", f"{G0}::0") == (
        f"gpu 0 (0000:10:00.0) ({G0}) isn't healthy: XID 79: the GPU fell off the bus"
    )
    assert node.gets(gpu=1).envs == {"NVIDIA_VISIBLE_DEVICES": G1}
    node.plugins.set_health(G0, healthy=True)
    node.until(gpu=8)
    assert [line for line in node.told if "healthy" in line] == [
        f"gpu 0 (0000:10:00.0) ({G0}) isn't healthy: XID 79: the GPU fell off the bus",
        f"gpu 0 (0000:10:00.0) ({G0}) is healthy again",
    ]


@pytest.mark.parametrize(
    ("sharing", "where"),
    [
        ({"timeSlicing": {"resources": [{"name": "gpu", "replicas": 1}]}}, "sharing.timeSlicing.resources[0].replicas"),
        (
            {key: {"resources": [{"name": "gpu", "replicas": 2}]} for key in ("timeSlicing", "mps")},
            "sharing",
        ),
    ],
    ids=["one replica", "two strategies"],
)
def test_files_that_are_refused(sharing: dict[str, object], where: str) -> None:
    with pytest.raises(FaultsError) as refused:
        read_plugin_config({"version": "v1", "sharing": sharing})
    assert [fault.path for fault in refused.value.faults] == [where]


def test_memory_is_shared_never_divided(begin: Begin) -> None:
    node = begin(settings(FOUR))
    (offer,), _ = offers(settings(FOUR).plugin, node.host.survey())
    assert (offer.units, offer.memory_mib, offer.memory_shared) == (8, 40960, True)


def test_the_interval_is_set_on_the_host_and_taken_back(begin: Begin) -> None:
    node = begin(settings(FOUR, interval=TimeSlice.LONG))
    assert slices(node) == [TimeSlice.LONG, TimeSlice.LONG]
    node.plugins.configure(settings(FOUR, interval=TimeSlice.SHORT))
    assert slices(node) == [TimeSlice.SHORT, TimeSlice.SHORT]
    node.plugins.configure(settings())
    assert slices(node) == [TimeSlice.DEFAULT, TimeSlice.DEFAULT]
    node.until(gpu=2)


def test_an_interval_that_cannot_be_set_is_told_and_the_replicas_are_offered(begin: Begin) -> None:
    node = begin(settings(FOUR, interval=TimeSlice.LONG), TWO + "privileged: false\n")
    node.until(gpu=8)
    problems = node.plugins.status().problems
    assert len(problems) == 2
    assert problems[0].startswith("gpu 0 (0000:10:00.0): set time-slice long on")
    assert problems[0] in node.told


def test_what_fails_is_tried_again_at_the_next_look(begin: Begin) -> None:
    node = begin(settings(FOUR, interval=TimeSlice.LONG), started=False, updated=False)
    node.host.inject(Fault(call="setTimeSlice", gpu=1, nth=1, refused="in use"))
    node.update()
    assert slices(node) == [TimeSlice.LONG, None]
    node.update()
    assert slices(node) == [TimeSlice.LONG, TimeSlice.LONG]
    assert node.plugins.status().problems == ()


def test_renamed(begin: Begin) -> None:
    node = begin(settings(replicas(3, renameByDefault=True)))
    node.until(gpu_shared=6)
    assert node.status("nvidia.com/gpu.shared").socket == str(node.folder / "aliquot-gpu.shared.sock")
    node.plugins.configure(settings(FOUR))
    node.until(gpu=8)
    assert [path.name for path in sorted(node.folder.glob("*.sock"))] == ["aliquot-gpu.sock", "kubelet.sock"]


def test_replicas_are_more_after_a_reload_without_a_restart(begin: Begin) -> None:
    node = begin(settings(yaml.safe_dump({"version": "v1"})))
    node.until(gpu=2)
    for count in (2, 5):
        node.plugins.configure(settings(replicas(count)))
        node.until(gpu=2 * count)
    assert sum("registered" in line for line in node.told) == 1


def test_nothing_is_done_twice_after_a_restart(begin: Begin) -> None:
    kept = Memory()
    node = begin(settings(FOUR, interval=TimeSlice.LONG), kept=kept)
    node.host.inject(Fault(call="setTimeSlice", refused="in use"))
    again = Node(node.root, node.host, settings(FOUR, interval=TimeSlice.LONG), kept)
    again.update()
    assert again.plugins.status().problems == ()
