"""What a spec holds for each mode beside NVML: management, nodes alone, IMEX, WSL, other vendors, network cards."""

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aliquot.cdi.check import check
from aliquot.cdi.documents.write import to_data, to_json
from aliquot.cdi.generate.hook_calls import HookCalls
from aliquot.cdi.generate.inventory import DrmGpu, FoundNode, Inventory, Nic, WslStore
from aliquot.cdi.generate.spec import MODES, Mode
from aliquot.cdi.problems import SpecError
from aliquot.cdi.versions import minimum_version
from tests.cdi.generated import host, made, names, paths, words


def test_management_has_every_node_but_those_of_file_systems_and_fabrics() -> None:
    result = made(host(2), "management", hooks=HookCalls(enabled=frozenset({"chmod"})))
    assert result.spec.kind == "management.nvidia.com/gpu"
    found = paths(result.spec.device("all"))
    assert {
        "/dev/nvidia1",
        "/dev/nvidiactl",
        "/dev/nvidia-caps/nvidia-cap1",
        "/dev/nvidia-caps-imex-channels/channel7",
    } <= set(found)
    assert not any(name in path for path in found for name in ("-fs", "nvswitch", "nvlink", "/dri/"))
    device = result.spec.device("all")
    assert device is not None
    assert device.edits.hooks[0].args[-1] == "/dev/nvidia-caps"
    assert {line[1] for line in words(result)} == {"create-symlinks", "enable-cuda-compat", "update-ldcache"}


@pytest.mark.parametrize(
    ("mode", "expected"),
    [
        ("gds", ["/dev/nvidia-fs0"]),
        ("gdrcopy", ["/dev/gdrdrv"]),
        ("mofed", ["/dev/infiniband/rdma_cm", "/dev/infiniband/uverbs0"]),
        ("nvswitch", ["/dev/nvidia-nvswitch0", "/dev/nvidia-nvswitchctl"]),
    ],
)
def test_nodes_alone(mode: Mode, expected: list[str]) -> None:
    result = made(host(2), mode)
    assert result.spec.kind == f"nvidia.com/{mode}"
    assert names(result) == ["all"]
    assert paths(result.spec.device("all")) == expected
    assert result.spec.edits.env == ("NVIDIA_VISIBLE_DEVICES=void",)


def test_gds_brings_its_files() -> None:
    device = made(host(2), "gds").spec.devices[0]
    assert [mount.container_path for mount in device.edits.mounts] == ["/etc/cufile.json", "/run/udev"]
    assert made(host(2, driver=None), "gds").spec.devices[0].edits.mounts == ()


@pytest.mark.parametrize("mode", MODES)
def test_a_host_without_anything_has_no_spec(mode: Mode) -> None:
    with pytest.raises(SpecError) as caught:
        made(Inventory(), mode)
    assert caught.value.category == "host"
    assert all(problem.hint for problem in caught.value.problems)


@pytest.mark.parametrize(
    ("wanted", "expected"),
    [(("all",), ["0", "7", "all"]), (("7", "channel7"), ["7", "all"]), (("channelall",), ["0", "7", "all"])],
)
def test_imex_channels(wanted: tuple[str, ...], expected: list[str]) -> None:
    result = made(host(), "imex", devices=wanted)
    assert names(result) == expected
    assert result.spec.devices[0].edits.device_nodes[0].major == 0


def test_imex_channels_that_arent_there() -> None:
    with pytest.raises(SpecError) as caught:
        made(host(), "imex", devices=("3", "x", str(1 << 20), "²"))
    assert [problem.category for problem in caught.value.problems] == ["host", "name", "name", "name"]


def test_wsl() -> None:
    store = "/usr/lib/wsl/drivers/nv_dispi"
    wsl = WslStore(
        required=(f"{store}/libcuda.so.1.1", f"{store}/nvidia-smi", "/usr/lib/wsl/lib/libdxcore.so"),
        others=(f"{store}/nvcuda.dll",),
    )
    nodes = (FoundNode(path="/dev/dxg", major=10, minor=125),)
    result = made(Inventory(wsl=wsl, nodes=nodes), "wsl")
    assert names(result) == ["all"]
    assert paths(result.spec.devices[0]) == ["/dev/dxg"]
    assert len(result.spec.edits.mounts) == 4
    assert words(result) == [
        ("nvidia-cdi-hook", "create-symlinks", "--link", f"{store}/nvidia-smi::/usr/bin/nvidia-smi"),
        ("nvidia-cdi-hook", "update-ldcache", "--folder", store, "--folder", "/usr/lib/wsl/lib"),
    ]
    bare = made(Inventory(wsl=WslStore(required=(f"{store}/nvcubins.bin",)), nodes=nodes), "wsl")
    assert words(bare) == []


def drm(vendor: Any, **changes: Any) -> Inventory:
    nodes = (
        FoundNode(path="/dev/kfd", major=234, minor=0, mode=0o660, gid=109),
        *(
            FoundNode(path=f"/dev/dri/{name}", major=226, minor=n, mode=0o660, gid=44)
            for n, name in enumerate(("card0", "renderD128", "renderD129"))
        ),
    )
    found = (
        DrmGpu(vendor=vendor, address="0000:03:00.0", drm_nodes=("card0", "renderD128"), unique_id="0xabc"),
        DrmGpu(vendor=vendor, address="amdgpu_xcp_1", drm_nodes=("renderD129",)),
        DrmGpu(vendor=vendor, address="0000:04:00.0", drm_nodes=("card7",)),
    )
    return Inventory(nodes=nodes, drm_gpus=found, **changes)


def test_amd() -> None:
    result = made(drm("amd"), "amd")
    assert result.spec.kind == "amd.com/gpu"
    assert names(result) == ["0", "0xabc", "1", "all", "amdgpu_xcp_1"]
    assert [node.path for node in result.spec.edits.device_nodes] == ["/dev/kfd"]
    assert result.spec.edits.additional_gids == (109,)
    assert paths(result.spec.device("0")) == ["/dev/dri/card0", "/dev/dri/renderD128"]
    assert "0000:04:00.0 is left out" in str(result.warnings[0])


def test_intel() -> None:
    result = made(drm("intel"), "intel", strategies=("type-index", "uuid"))
    assert result.spec.kind == "intel.com/gpu"
    assert names(result) == ["0xabc", "all", "amdgpu_xcp_1", "gpu0", "gpu1"]
    assert not result.spec.edits


def test_a_name_that_no_device_may_have() -> None:
    odd = DrmGpu(vendor="amd", address="0000:03:00.0", drm_nodes=("renderD128",), unique_id="a b")
    with pytest.raises(SpecError) as caught:
        made(replace(drm("amd"), drm_gpus=(odd,)), "amd", strategies=("uuid",))
    assert caught.value.category == "name"


def test_nics() -> None:
    inventory = host(
        nics=(Nic(name="mlx5_0", nodes=("uverbs0",), address="0000:21:00.0"), Nic(name="mlx5_1", nodes=("umad1",)))
    )
    result = made(inventory, "nic")
    assert names(result) == ["0000:21:00.0", "all", "mlx5_0"]
    assert paths(result.spec.device("mlx5_0")) == ["/dev/infiniband/uverbs0"]
    assert [node.path for node in result.spec.edits.device_nodes] == ["/dev/infiniband/rdma_cm"]
    assert "mlx5_1" in str(result.warnings[0])


def test_notes_of_the_inventory_become_warnings() -> None:
    assert "looked askew" in str(made(host(1, notes=("looked askew",))).warnings[0])


@pytest.mark.law
@given(
    count=st.integers(0, 3),
    mig=st.lists(st.integers(0, 2), max_size=1),
    mode=st.sampled_from(MODES),
    strategies=st.lists(st.sampled_from(["index", "uuid", "type-index"]), max_size=3),
    numbers=st.booleans(),
    gids=st.booleans(),
)
def test_what_is_generated_is_a_good_spec_at_its_lowest_version(
    count: int, mig: list[int], mode: Mode, strategies: list[Any], numbers: bool, gids: bool
) -> None:
    inventory = replace(
        host(count, *mig), nics=(Nic(name="mlx5_0", nodes=("uverbs0",)),), drm_gpus=drm("amd").drm_gpus[:1]
    )
    options = {"strategies": tuple(strategies), "numbers": numbers, "additional_gids": gids}
    try:
        result = made(inventory, mode, **options)
    except SpecError:
        return  # nothing to write, or no names: other tests say so
    assert check(result.spec) == ()
    assert result.spec.version == minimum_version(result.spec)
    assert to_json(result.spec) == to_json(made(inventory, mode, **options).spec)
    for device in to_data(result.spec)["devices"]:
        common = result.spec.edits
        given_nodes = device["containerEdits"].get("deviceNodes", [])
        assert len(given_nodes) == len({json.dumps(node) for node in given_nodes})
        assert device["containerEdits"]
        assert not common.net_devices
