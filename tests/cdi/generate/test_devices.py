"""What a spec of NVIDIA's GPUs holds, and what is left out with a warning."""

from dataclasses import replace

import pytest

from aliquot.cdi.generate.device_ids import NameStrategy
from aliquot.cdi.generate.inventory import Gpu, MigDevice
from aliquot.cdi.problems import SpecError
from tests.cdi.generated import host, made, names, paths


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
