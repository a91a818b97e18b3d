"""What a container gets, by each way to hand devices over: every answer whole."""

from pathlib import Path

import pytest
import yaml

from aliquot.cdi.generate.inventory import FoundNode, Inventory, WslStore
from aliquot.cdi.generate.spec import Options, generate
from aliquot.cdi.machine.files import write_spec
from aliquot.sandbox.kubelet.answers import ContainerGets, DeviceNode, Mount
from aliquot.sharing.inventory import inventory_of
from tests.node.device_plugin.conftest import Begin
from tests.node.device_plugin.files import CONTROL, machine
from tests.node.device_plugin.node import G0, G1, Node, replicas, settings

ENV = "NVIDIA_VISIBLE_DEVICES"
FOLDER = "/var/run/nvidia-container-devices"
CUT = f"""
gpus:
  - {{model: A100-40GB, uuid: {G0}, mig: true, instances: ["3g.20gb@0"]}}
  - {{model: A100-40GB, uuid: {G1}}}
"""


def flags(strategy: str | list[str] = "envvar", root: str | None = None, **plugin: object) -> str:
    given = {"nvidiaDevRoot": root, "plugin": {"deviceListStrategy": strategy, **plugin}}
    return yaml.safe_dump({"version": "v1", "flags": given})


def nodes(*paths: str, root: str = "") -> tuple[DeviceNode, ...]:
    return tuple(DeviceNode(path, f"{root}{path}", "rw") for path in paths)


def both(begin: Begin, config: str, files: Inventory | None = None) -> ContainerGets:
    """Two GPUs for a container."""
    node = begin(settings(config), updated=False)
    node.files = files
    node.update()
    node.until(gpu=2)
    return node.gets(gpu=2)


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        ("", ContainerGets(envs={ENV: f"{G0},{G1}"})),
        (flags(deviceIDStrategy="index"), ContainerGets(envs={ENV: "0,1"})),
        (
            flags("volume-mounts"),
            ContainerGets(
                envs={ENV: FOLDER}, mounts=(Mount(f"{FOLDER}/{G0}", "/dev/null"), Mount(f"{FOLDER}/{G1}", "/dev/null"))
            ),
        ),
        (flags("cdi-cri"), ContainerGets(cdi_devices=(f"nvidia.com/gpu={G0}", f"nvidia.com/gpu={G1}"))),
        (
            flags("cdi-cri", deviceIDStrategy="index", passDeviceSpecs=True),
            ContainerGets(cdi_devices=("nvidia.com/gpu=0", "nvidia.com/gpu=1")),
        ),
        (
            flags("cdi-annotations"),
            ContainerGets(annotations={"cdi.k8s.io/aliquot_gpu": f"nvidia.com/gpu={G0},nvidia.com/gpu={G1}"}),
        ),
        (
            flags("cdi-annotations", deviceIDStrategy="index", cdiAnnotationPrefix="example.com/cdi-"),
            ContainerGets(annotations={"example.com/cdi-aliquot_gpu": "nvidia.com/gpu=0,nvidia.com/gpu=1"}),
        ),
        (
            flags(["envvar", "cdi-annotations", "cdi-cri"], deviceIDStrategy="index"),
            ContainerGets(
                cdi_devices=("nvidia.com/gpu=0", "nvidia.com/gpu=1"),
                envs={ENV: "0,1"},
                annotations={"cdi.k8s.io/aliquot_gpu": "nvidia.com/gpu=0,nvidia.com/gpu=1"},
            ),
        ),
        (
            "flags: {gdrcopyEnabled: true, gdsEnabled: true, mofedEnabled: true}",
            ContainerGets(
                envs={
                    ENV: f"{G0},{G1}",
                    "NVIDIA_GDRCOPY": "enabled",
                    "NVIDIA_GDS": "enabled",
                    "NVIDIA_MOFED": "enabled",
                }
            ),
        ),
    ],
)
def test_each_strategys_answer(begin: Begin, config: str, expected: ContainerGets) -> None:
    assert both(begin, config) == expected


def test_device_nodes_of_the_driver_come_first(begin: Begin) -> None:
    gets = both(begin, flags(passDeviceSpecs=True), machine("/dev/dri/card0"))
    assert gets.devices == nodes("/dev/nvidia-modeset", "/dev/nvidia-uvm-tools", "/dev/nvidia-uvm", "/dev/nvidiactl",
                                 "/dev/nvidia0", "/dev/nvidia1")  # fmt: skip
    assert gets.envs == {ENV: f"{G0},{G1}"}


def test_only_control_nodes_that_exist_and_below_the_hosts_root(begin: Begin) -> None:
    files = machine(lacking=CONTROL[:3], dev_root="/run/nvidia/driver")
    assert both(begin, flags(passDeviceSpecs=True), files).devices == nodes(
        "/dev/nvidiactl", "/dev/nvidia0", "/dev/nvidia1", root="/run/nvidia/driver"
    )


def test_the_files_root_counts_more(begin: Begin) -> None:
    files = machine(lacking=CONTROL[:3], dev_root="/driver")
    assert both(begin, flags(root="/host", passDeviceSpecs=True), files).devices[0] == DeviceNode(
        "/dev/nvidiactl", "/host/dev/nvidiactl", "rw"
    )


def test_device_nodes_of_a_mig_device(begin: Begin) -> None:
    config = "flags: {migStrategy: mixed, plugin: {passDeviceSpecs: true}}"
    node = begin(settings(config), CUT, updated=False)
    (instance,) = node.host.survey().gpus[0].instances
    node.files = machine(
        lacking=CONTROL, caps={f"gpu0/gi{instance.id}/access": 12, f"gpu0/gi{instance.id}/ci0/access": 13}
    )
    node.update()
    node.until_all({"nvidia.com/gpu": 1, "nvidia.com/mig-3g.20gb": 1})
    gets = node.gets("p-1", **{"mig-3g.20gb": 1})
    assert gets.devices == nodes("/dev/nvidia0", "/dev/nvidia-caps/nvidia-cap12", "/dev/nvidia-caps/nvidia-cap13")
    node.files = machine()
    node.update()
    assert node.refused(instance.uuid or "", resource="nvidia.com/mig-3g.20gb") == (
        f"nvidia.com/mig-3g.20gb: the number of the MIG capability gpu0/gi{instance.id}/access of 0:0 isn't known; "
        f"the number of the MIG capability gpu0/gi{instance.id}/ci0/access of 0:0 isn't known"
    )


def test_device_nodes_that_are_not_there(begin: Begin) -> None:
    node = begin(settings(flags(passDeviceSpecs=True)))
    node.until(gpu=2)
    assert node.refused(G0) == "nvidia.com/gpu: which device nodes the host has isn't known"
    node.files = machine(lacking=("/dev/nvidia1",))
    node.update()
    assert node.refused(G0, G1) == "nvidia.com/gpu: not all device nodes of gpu 1 (0000:11:00.0) exist"
    assert [spec.host_path for spec in node.allocate(G0).devices][-1] == "/dev/nvidia0"


@pytest.mark.parametrize("way", ["cdi-cri", "cdi-annotations"])
def test_the_base_spec_has_what_is_asked_of_the_runtime(begin: Begin, root: Path, way: str) -> None:
    config = f"flags: {{migStrategy: mixed, plugin: {{deviceListStrategy: {way}}}}}"
    node = begin(settings(config), CUT, updated=False, cdi=[root / "cdi"])
    survey = node.host.survey()
    (instance,) = survey.gpus[0].instances
    node.files = machine(caps={f"gpu0/gi{instance.id}/access": 12, f"gpu0/gi{instance.id}/ci0/access": 13})
    spec = generate(inventory_of(node.files, survey), Options()).spec
    node.cdi_names = frozenset(device.name for device in spec.devices)
    node.update()
    node.until_all({"nvidia.com/gpu": 1, "nvidia.com/mig-3g.20gb": 1})
    assert node.event("p-1", gpu=1) == f"CDI device injection failed: unresolvable CDI devices nvidia.com/gpu={G1}"
    (root / "cdi").mkdir()
    write_spec(root / "cdi", "nvidia", spec)
    gets = node.gets("p-2", gpu=0, **{"mig-3g.20gb": 1})
    asked = gets.cdi_devices if way == "cdi-cri" else tuple(gets.annotations.values())
    assert asked == (f"nvidia.com/gpu={instance.uuid}",)


def test_a_device_that_the_base_spec_has_not(begin: Begin) -> None:
    node = begin(settings(flags("cdi-cri")), updated=False)
    node.cdi_names = frozenset({"0", "1", G0})
    node.update()
    node.until(gpu=2)
    assert node.refused(G0, G1) == f"nvidia.com/gpu: the CDI spec of nvidia.com/gpu has no {G1} (yet)"
    assert [device.name for device in node.allocate(G0).cdi_devices] == [f"nvidia.com/gpu={G0}"]


def test_two_resources_of_a_container_have_two_annotations(begin: Begin) -> None:
    node = begin(settings("flags: {migStrategy: mixed, plugin: {deviceListStrategy: cdi-annotations}}"), CUT)
    node.until_all({"nvidia.com/gpu": 1, "nvidia.com/mig-3g.20gb": 1})
    (instance,) = node.host.survey().gpus[0].instances
    assert node.gets("p-1", gpu=1, **{"mig-3g.20gb": 1}).annotations == {
        "cdi.k8s.io/aliquot_gpu": f"nvidia.com/gpu={G1}",
        "cdi.k8s.io/aliquot_mig-3g.20gb": f"nvidia.com/gpu={instance.uuid}",
    }


def test_extras_that_cdi_cannot_add_are_told(begin: Begin) -> None:
    config = "flags: {gdsEnabled: true, plugin: {deviceListStrategy: [cdi-cri, cdi-annotations]}}"
    node = begin(settings(config))
    assert node.plugins.status().problems == (
        "flags.gdsEnabled: with CDI only, no device of them is added; the container's runtime gets a variable",
    )


def wsl(begin: Begin, config: str) -> Node:
    node = begin(settings(config), updated=False)
    node.files = Inventory(wsl=WslStore(required=()), nodes=(FoundNode(path="/dev/dxg", major=10, minor=125),))
    node.update()
    return node


def test_under_wsl_there_is_one_device(begin: Begin) -> None:
    node = wsl(begin, flags(["envvar", "cdi-cri"], passDeviceSpecs=True))
    node.until(gpu=1)
    assert node.kubelet.devices("nvidia.com/gpu") == {"all": True}
    assert node.gets(gpu=1) == ContainerGets(
        cdi_devices=("nvidia.com/gpu=all",), envs={ENV: "all"}, devices=nodes("/dev/dxg")
    )
    node.plugins.set_health(G0, healthy=False, reason="XID 79")
    node.plugins.set_health(G1, healthy=False, reason="XID 48")
    node.until(gpu=0)
    assert node.refused("all") == "all GPUs (all) isn't healthy: XID 79; XID 48"
    node.plugins.set_health(G1, healthy=True)
    node.until(gpu=1)


def test_under_wsl_it_is_time_sliced(begin: Begin) -> None:
    node = wsl(begin, replicas(3))
    node.until(gpu=3)
    assert dict(node.allocate("all::2", "all::0").envs) == {ENV: "all"}


def test_under_wsl_there_is_no_mps(begin: Begin) -> None:
    node = wsl(begin, replicas(3, "mps"))
    node.until(gpu=3)
    assert node.refused("all::0") == "nvidia.com/gpu: the MPS daemon of all GPUs doesn't run"


def test_odd_requests(begin: Begin) -> None:
    node = begin()
    node.until(gpu=2)
    assert node.refused() == "no device of nvidia.com/gpu was asked for"
    assert node.refused(f"{G0}::0") == f"nvidia.com/gpu has no {G0}::0 (any more): it has {G0}, {G1}"
    assert dict(node.allocate(G0, G0).envs) == {ENV: G0}
    many = [f"GPU-{number}" for number in range(10)]
    assert node.refused(*many).startswith("nvidia.com/gpu has no GPU-0, GPU-1, GPU-2, GPU-3, GPU-4, GPU-5, GPU-6, ")
    assert "GPU-7 and 2 more (any more)" in node.refused(*many)
