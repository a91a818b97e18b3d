"""Which devices are preferred, asked as the kubelet asks."""

import time
from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations

import pytest

from aliquot.devices.hosts.simulated.host import SimulatedHost
from aliquot.devices.links import NvLink
from aliquot.devices.survey import Survey
from tests.node.device_plugin.conftest import Begin
from tests.node.device_plugin.node import Node, host_of, replicas, settings
from tests.node.device_plugin.presets import preset

DGX = preset("dgx-a100")
PACKED = "flags: {plugin: {sharedDevicesAllocationPolicy: packed}}\n"
PAIRS = "gpus:\n" + "".join(f"  - {{model: A100-40GB, numa: {number // 4}}}\n" for number in range(8))


def uuids(node: Node) -> list[str]:
    return [gpu.uuid for gpu in node.host.survey().gpus]


def numbers(node: Node, ids: Sequence[str]) -> list[int]:
    order = uuids(node)
    return [order.index(each.partition("::")[0]) for each in ids]


def prefers(node: Node, free: Sequence[int], size: int, must: Sequence[int] = ()) -> list[int]:
    order = uuids(node)
    return numbers(node, node.preferred([order[each] for each in free], size, [order[each] for each in must]))


def bridged(survey: Survey, *pairs: tuple[int, int], links: int = 4) -> Survey:
    """The host with NVLink bridges between pairs."""
    gpus = list(survey.gpus)
    for pair in pairs:
        for one, other in (pair, pair[::-1]):
            more = tuple(
                NvLink(number=number, active=True, remote="gpu", remote_pci=survey.gpus[other].pci)
                for number in range(links)
            )
            gpus[one] = replace(gpus[one], links=(*gpus[one].links, *more))
    return replace(survey, gpus=tuple(gpus))


# --- whole GPUs -----------------------------------------------------------------------------------------------------
def test_behind_switches_roots_and_numa_nodes_decide(begin: Begin) -> None:
    node = begin(settings(), DGX)
    node.until(gpu=8)
    assert prefers(node, range(8), 2) == [0, 1]
    assert prefers(node, [1, 2, 4, 5, 7], 2) == [4, 5]
    assert prefers(node, range(8), 4) == [0, 1, 2, 3]
    assert prefers(node, [1, 2, 3, 4, 6, 7], 4) == [2, 3, 6, 7]
    assert prefers(node, range(8), 8) == list(range(8))


def test_one_is_taken_where_it_splits_no_pair(begin: Begin) -> None:
    node = begin(settings(), DGX)
    node.until(gpu=8)
    assert prefers(node, [0, 1, 2, 3, 5, 6, 7], 1) == [5]
    assert prefers(node, [1, 2, 3, 6], 1) == [1]
    assert prefers(node, [0, 1, 2, 4, 5, 6, 7], 3) == [0, 1, 2]


def test_what_must_be_included_draws_its_neighbours(begin: Begin) -> None:
    node = begin(settings(), DGX)
    node.until(gpu=8)
    assert prefers(node, range(8), 2, must=[6]) == [6, 7]
    assert prefers(node, range(8), 4, must=[3, 6]) == [2, 3, 6, 7]
    assert prefers(node, [0, 2, 4], 3, must=[7]) == [0, 2, 7]


def test_nvlink_bridges_count_more_than_the_board(begin: Begin) -> None:
    node = begin(settings(), PAIRS, updated=False)
    node.plugins.update(bridged(node.host.survey(), (0, 5), (3, 6), links=4))
    node.until(gpu=8)
    assert prefers(node, range(8), 2) == [0, 5]
    assert prefers(node, [1, 2, 3, 6, 7], 2) == [3, 6]
    assert prefers(node, [0, 1, 3, 4, 5, 6], 4) == [0, 3, 5, 6]
    assert prefers(node, [1, 2, 3, 4, 7], 2) == [4, 7], "without a bridge the NUMA node; three are left on the other"


def test_links_that_are_down_join_nothing(begin: Begin) -> None:
    node = begin(settings(), PAIRS, updated=False)
    survey = bridged(node.host.survey(), (0, 5))
    down = [replace(gpu, links=tuple(replace(link, active=False) for link in gpu.links)) for gpu in survey.gpus]
    node.plugins.update(replace(survey, gpus=tuple(down)))
    node.until(gpu=8)
    assert prefers(node, range(8), 2) == [0, 1]


def test_nothing_better_is_possible_on_eight_gpus(begin: Begin) -> None:
    """Beside the closest pairs that all subsets have, by the host's own roots."""
    node = begin(settings(), DGX)
    node.until(gpu=8)
    roots = [gpu.pcie_root for gpu in node.host.survey().gpus]

    def pairs(chosen: Sequence[int]) -> int:
        return sum(roots[one] == roots[other] for one, other in combinations(chosen, 2))

    for free in combinations(range(8), 6):
        for size in (2, 3, 4, 5):
            most = max(pairs(each) for each in combinations(free, size))
            assert pairs(prefers(node, free, size)) == most, (free, size)


def test_sixteen_gpus_take_no_time(begin: Begin) -> None:
    host = "gpus:\n" + "".join(
        f"  - {{model: H100-SXM-80GB, numa: {number // 8}, pcieRoot: 'pci0000:{number // 2:02x}'}}\n"
        for number in range(16)
    )
    node = begin(settings(), host)
    node.until(gpu=16)
    start = time.monotonic()
    assert prefers(node, range(1, 16), 8) == list(range(8, 16))
    assert time.monotonic() - start < 2.0


def test_the_kubelet_takes_what_is_preferred(begin: Begin) -> None:
    node = begin(settings("flags: {plugin: {deviceIDStrategy: index}}"), DGX)
    node.until(gpu=8)
    assert node.gets("p-1", gpu=1).envs == {"NVIDIA_VISIBLE_DEVICES": "0"}
    assert node.gets("p-2", gpu=2).envs == {"NVIDIA_VISIBLE_DEVICES": "2,3"}
    assert node.gets("p-3", gpu=1).envs == {"NVIDIA_VISIBLE_DEVICES": "1"}
    assert node.gets("p-4", gpu=4).envs == {"NVIDIA_VISIBLE_DEVICES": "4,5,6,7"}


# --- replicas -------------------------------------------------------------------------------------------------------
def test_distributed_takes_the_gpus_with_the_fewest_in_use(begin: Begin) -> None:
    node = begin(settings(replicas(3)), PAIRS)
    node.until(gpu=24)
    ids = [f"{uuid}::{number}" for uuid in uuids(node) for number in range(3)]
    used = {ids[0], ids[1], ids[3]}  # two of GPU 0, one of GPU 1
    free = [each for each in ids if each not in used]
    assert numbers(node, node.preferred(free, 1)) == [2]
    assert numbers(node, node.preferred(free, 2)) == [2, 3], "close together"
    assert numbers(node, node.preferred(free, 8)) == list(range(8)), "each of another GPU"
    assert sorted(numbers(node, node.preferred(free, 10))) == [0, 1, 2, 2, 3, 3, 4, 5, 6, 7]


def test_packed_takes_the_gpus_with_the_most_in_use(begin: Begin) -> None:
    node = begin(settings(PACKED + replicas(3)), PAIRS)
    node.until(gpu=24)
    ids = [f"{uuid}::{number}" for uuid in uuids(node) for number in range(3)]
    free = [each for each in ids if each not in {ids[0], ids[1], ids[18]}]  # two of GPU 0, one of GPU 6
    assert numbers(node, node.preferred(free, 1)) == [0]
    assert numbers(node, node.preferred(free, 2)) == [0, 6], "of one container on two GPUs, all the same"
    assert numbers(node, node.preferred(free, 2, must=[ids[20]])) == [0, 6]


@pytest.mark.parametrize(("policy", "expected"), [("", [0, 1, 0, 1]), (PACKED, [0, 0, 0, 1])])
def test_pods_one_after_the_other(begin: Begin, policy: str, expected: list[int]) -> None:
    host = "gpus: [{model: L4}, {model: L4}]"
    node = begin(settings(policy + replicas(3)), host)
    node.until(gpu=6)
    seen = [node.gets(f"p-{number}", gpu=1).envs["NVIDIA_VISIBLE_DEVICES"] for number in range(4)]
    assert numbers(node, seen) == expected


# --- MIG devices ----------------------------------------------------------------------------------------------------
def migs(host: SimulatedHost) -> list[list[str]]:
    return [[each.uuid or "" for each in gpu.instances] for gpu in host.survey().gpus]


def test_mig_devices_are_taken_from_the_fullest_gpu(begin: Begin) -> None:
    cut = ", ".join(f"1g.5gb@{start}" for start in range(7))
    host = "gpus:\n" + f"  - {{model: A100-40GB, mig: true, numa: 0, links: 12, instances: [{cut}]}}\n" * 8
    node = begin(settings("flags: {migStrategy: mixed}"), host)
    resource = "nvidia.com/mig-1g.5gb"
    node.until_all({resource: 56})
    devices = migs(node.host)
    free = [uuid for number, gpu in enumerate(devices) for uuid in gpu[: 3 if number == 5 else 7]]
    start = time.monotonic()
    (one,) = node.preferred(free, 1, resource=resource)
    assert one in devices[5]
    six = node.preferred(free, 6, resource=resource)
    assert any(len(set(six) & set(gpu)) == 6 for gpu in devices)
    assert time.monotonic() - start < 5.0


# --- odd questions --------------------------------------------------------------------------------------------------
def test_odd_questions(begin: Begin) -> None:
    node = begin()
    node.until(gpu=2)
    first, second = uuids(node)
    assert node.preferred(["GPU-none", second], 1) == [second]
    assert node.preferred([first, second], 5) == [first, second], "no more than there are"
    assert node.preferred([first, second], 0) == []
    assert node.preferred([first, second], -1) == []
    assert node.preferred([], 2) == []
    assert node.preferred([first], 1, must=[second, second, "GPU-none"]) == [second]
    assert host_of(DGX).survey().gpus[0].uuid not in node.preferred([first, second], 2)
