"""What a spec holds for each mode, what is left out with a warning, and what is refused."""

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aliquot.cdi.check import check
from aliquot.cdi.documents.write import to_data, to_json
from aliquot.cdi.generate.device_ids import NameStrategy
from aliquot.cdi.generate.hook_calls import OWN_VERBS, HookCalls, nvidia_tool, own_tool
from aliquot.cdi.generate.inventory import DrmGpu, FoundNode, Gpu, Inventory, Library, MigDevice, Nic, WslStore
from aliquot.cdi.generate.inventory_json import inventory_of
from aliquot.cdi.generate.spec import MODES, Generated, Mode, Options, generate
from aliquot.cdi.problems import SpecError
from aliquot.cdi.spec import Device
from aliquot.cdi.versions import minimum_version
from conformance.cdi_generate import RECORDED, gpus


def host(count: int = 2, *mig: int, **changes: Any) -> Inventory:
    """The recorded host with so many GPUs and MIG devices on them."""
    recorded = inventory_of(json.loads(RECORDED.read_text()))
    return replace(recorded, gpus=gpus(count, mig), **changes)


def made(inventory: Inventory, mode: Mode = "nvml", **options: Any) -> Generated:
    return generate(inventory, Options(mode=mode, **options))


def names(result: Generated) -> list[str]:
    return [device.name for device in result.spec.devices]


def paths(device: Device | None) -> list[str]:
    assert device is not None
    return [node.path for node in device.edits.device_nodes]


def words(result: Generated) -> list[tuple[str, ...]]:
    return [hook.args for hook in result.spec.edits.hooks]


# --- NVIDIA -----------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("strategies", "expected"),
    [
        (("index",), ["0:0", "0:1", "1", "all"]),
        (("type-index",), ["all", "gpu1", "mig0:0", "mig0:1"]),
        (
            ("uuid",),
            [
                f"GPU-{'0' * 8}-0000-0000-0000-{1:012d}",
                *(f"MIG-{'0' * 8}-0000-0000-0000-{n:012d}" for n in (0, 1)),
                "all",
            ],
        ),
    ],
)
def test_names(strategies: tuple[NameStrategy, ...], expected: list[str]) -> None:
    assert names(made(host(2, 2), strategies=strategies)) == expected


def test_a_gpu_without_a_node_is_left_out() -> None:
    result = made(host(3), strategies=("index",))
    assert names(result) == ["0", "1", "all"]
    assert [str(warning) for warning in result.warnings] == [
        "the device 2 is left out: not all of its nodes exist (run nvidia-smi, or nvidia-modprobe)"
    ]


def test_a_mig_device_without_its_capability_node_is_left_out() -> None:
    inventory = host(1, 2)
    nodes = tuple(node for node in inventory.nodes if not node.path.endswith("cap30"))
    result = made(replace(inventory, nodes=nodes), strategies=("index",))
    assert names(result) == ["0:0", "all"]
    assert "0:1" in str(result.warnings[0])


def test_mig_devices_whose_capabilities_arent_known_are_refused_all_at_once() -> None:
    with pytest.raises(SpecError) as caught:
        made(host(2, 0, 2))
    assert len(caught.value.problems) == 4
    assert caught.value.category == "host"


def test_a_mig_device_that_may_draw_has_the_drm_nodes_and_their_links() -> None:
    inventory = host(1, 1)
    drawing = MigDevice(index=0, gpu_instance=1, compute_instance=0, graphics=True)
    inventory = replace(inventory, gpus=(replace(inventory.gpus[0], mig=(drawing,)),))
    device = made(inventory, strategies=("index",)).spec.device("0:0")
    assert paths(device)[:3] == ["/dev/nvidia0", "/dev/dri/card0", "/dev/dri/renderD128"]
    assert device is not None
    assert device.edits.hooks[0].args[2:4] == ("--link", "../card0::/dev/dri/by-path/pci-0000:07:00.0-card")


def test_by_path_links_to_nodes_that_arent_given_are_left_out() -> None:
    inventory = host(1)
    inventory = replace(inventory, gpus=(replace(inventory.gpus[0], drm_nodes=("renderD128",)),))
    device = made(inventory, strategies=("index",)).spec.device("0")
    assert device is not None
    assert device.edits.hooks[0].args == (
        "nvidia-cdi-hook",
        "create-symlinks",
        "--link",
        "../renderD128::/dev/dri/by-path/pci-0000:07:00.0-render",
    )


def test_mig_switched_on_without_instances_leaves_nothing() -> None:
    inventory = host(1)
    inventory = replace(inventory, gpus=(replace(inventory.gpus[0], mig=()),))
    with pytest.raises(SpecError, match="there's no device for the mode 'nvml'"):
        made(inventory)


def test_a_gpu_without_a_uuid_has_no_name_by_it() -> None:
    inventory = host(1)
    inventory = replace(inventory, gpus=(replace(inventory.gpus[0], uuid=""),))
    assert names(made(inventory)) == ["0", "all"]
    with pytest.raises(SpecError, match="no UUID that is known"):
        made(inventory, strategies=("uuid",))


def test_the_minor_counts_for_the_node_not_the_index() -> None:
    inventory = host(1)
    swapped = Gpu(index=0, minor=1)
    result = made(replace(inventory, gpus=(swapped,)), strategies=("index",))
    assert paths(result.spec.device("0")) == ["/dev/nvidia1"]


@pytest.mark.parametrize(
    ("wanted", "expected"),
    [
        (("1",), ["1", "all"]),
        (("0:1", "1"), ["0:1", "1", "all"]),
        (("none",), ["none"]),
        (("MIG-00000000-0000-0000-0000-000000000001",), ["0:1", "all"]),
        (("1", "all"), ["0:0", "0:1", "1", "all"]),
    ],
)
def test_only_some_devices(wanted: tuple[str, ...], expected: list[str]) -> None:
    assert names(made(host(2, 2), strategies=("index",), devices=wanted)) == expected


def test_devices_that_arent_there_are_all_told() -> None:
    with pytest.raises(SpecError) as caught:
        made(host(2), devices=("7", "foo", "0:3", "0"))
    assert [problem.message for problem in caught.value.problems] == [
        "there's no device '7'",
        "'foo' is no index and no UUID",
        "there's no device '0:3'",
    ]
    assert "this host has: 0, 1" in str(caught.value)


def test_no_all_device() -> None:
    assert names(made(host(1), strategies=("index",), all_device=False)) == ["0"]


def test_without_a_driver() -> None:
    with pytest.raises(SpecError, match=r"no libcuda\.so\.VERSION"):
        made(host(1, driver=None))


def test_numbers_left_out_leave_everything_else() -> None:
    nodes = made(host(1), numbers=False).spec.edits.device_nodes
    assert {(node.major, node.minor, node.permissions, node.file_mode) for node in nodes} == {(0, 0, "rwm", 0o666)}


def test_groups_need_a_version_that_old_engines_lack() -> None:
    assert made(host(1)).spec.version == "0.7.0"
    without = made(host(1), additional_gids=False).spec
    assert without.version == "0.5.0"
    assert all(device.edits.additional_gids == () for device in without.devices)


def test_the_mps_folder_is_mounted_writable() -> None:
    mounts = {mount.container_path: mount.options for mount in made(host(1)).spec.edits.mounts}
    assert "ro" not in mounts["/tmp/nvidia-mps"]
    assert "ro" in mounts["/usr/bin/nvidia-smi"]
    assert "/tmp/nvidia-mps" not in {m.container_path for m in made(host(1), sockets=False).spec.edits.mounts}


def test_links_of_graphics_libraries() -> None:
    inventory = host(1)
    assert inventory.driver is not None
    version, folder = inventory.driver.version, inventory.driver.folders[0]
    added = tuple(
        Library(path=f"{folder}/{name}.{version}")
        for name in ("libnvidia-vulkan-producer.so", "libglxserver_nvidia.so")
    )
    driver = replace(
        inventory.driver,
        graphics=added,
        explicit=(Library(path="/usr/lib/libGL.so.1.7", soname="libGL.so.1", links=("libGL.so.1",)),),
    )
    result = made(replace(inventory, driver=driver), explicit_libraries=True)
    assert words(result)[0][2:] == (
        *("--link", f"{added[0].name}::{folder}/libnvidia-vulkan-producer.so"),
        *("--link", f"{added[1].name}::{folder}/libglxserver_nvidia.so"),
    )
    assert "libGL.so.1.7::/usr/lib/libGL.so.1" in words(result)[1]
    assert words(result)[3][-1] == "/usr/lib"


@pytest.mark.parametrize("name", ["libcuda.dat.1", "lib.so.1", "libx.so1", "x.so"])
def test_what_isnt_a_library_gets_no_folder_in_the_loaders_cache(name: str) -> None:
    inventory = host(1)
    assert inventory.driver is not None
    driver = replace(inventory.driver, libraries=(Library(path=f"/odd/{name}"),))
    assert not any("update-ldcache" in line for line in words(made(replace(inventory, driver=driver))))


# --- hooks ------------------------------------------------------------------------------------------------------------
def test_our_own_hook_does_what_it_can_and_the_rest_is_told() -> None:
    result = made(host(1), hooks=HookCalls(own_tool("/opt/bin/aliquot")))
    verbs = {line[3] for line in words(result)}
    assert verbs < OWN_VERBS
    assert {hook.path for hook in result.spec.edits.hooks} == {"/opt/bin/aliquot"}
    assert words(result)[0][:3] == ("aliquot", "cdi", "hook")
    assert "enable-cuda-compat" in str(result.warnings[-1])


@pytest.mark.parametrize(
    ("disabled", "enabled", "verbs"),
    [
        ({"all"}, (), set()),
        ({"all"}, {"chmod"}, {"chmod"}),
        (
            {"create-symlinks", "enable-cuda-compat", "update-application-profile"},
            (),
            {"update-ldcache", "disable-device-node-modification"},
        ),
        (
            {"chmod"},
            {"chmod"},
            {
                "chmod",
                "create-symlinks",
                "enable-cuda-compat",
                "update-application-profile",
                "update-ldcache",
                "disable-device-node-modification",
            },
        ),
    ],
)
def test_hooks_switched_off_and_on(disabled: set[str], enabled: set[str], verbs: set[str]) -> None:
    hooks = HookCalls(nvidia_tool(), frozenset(disabled), frozenset(enabled))
    spec = made(host(1), hooks=hooks).spec
    blocks = [spec.edits, *(device.edits for device in spec.devices)]
    assert {hook.args[1] for edits in blocks for hook in edits.hooks} == verbs


def test_another_ldconfig() -> None:
    result = made(host(1), hooks=HookCalls(ldconfig="/opt/ldconfig"))
    line = next(line for line in words(result) if "update-ldcache" in line)
    assert line[2:4] == ("--ldconfig-path", "/opt/ldconfig")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"vendor": "nvidia.com-"}, "vendor: "),
        ({"class_": "-"}, "class: "),
        ({"hooks": HookCalls(disabled=frozenset({"symlinks"}))}, "disable-hook: there's no hook 'symlinks'"),
        ({"hooks": HookCalls(enabled=frozenset({"all"}))}, "enable-hook: there's no hook 'all'"),
        ({"strategies": ()}, "device-name-strategy: "),
    ],
)
def test_wrong_options(options: dict[str, Any], said: str) -> None:
    with pytest.raises(SpecError, match=said):
        made(host(1), **options)


def test_all_wrong_options_are_told_at_once() -> None:
    with pytest.raises(SpecError) as caught:
        made(host(1), vendor="-", class_="-", hooks=HookCalls(disabled=frozenset({"x"})))
    assert len(caught.value.problems) == 3


# --- the other modes --------------------------------------------------------------------------------------------------
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


# --- laws -------------------------------------------------------------------------------------------------------------
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
