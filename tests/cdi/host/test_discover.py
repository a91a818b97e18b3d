"""Finding a driver, GPUs, MIG devices, AMD and Intel GPUs and network cards in trees made for it."""

import os
from pathlib import Path

import pytest

from aliquot.cdi.generate.inventory import Inventory
from aliquot.cdi.host.discover import discover, driver_version
from aliquot.cdi.host.driver_files import find_driver, find_wsl
from aliquot.cdi.host.tree import Tree
from tests.cdi.host.driver_root import VERSION, build_driver_root
from tests.cdi.host.elf_file import shared_library
from tests.cdi.host.loader_cache import X86_64, cache

root_only = pytest.mark.skipif(os.geteuid() != 0, reason="only root may make device nodes")
INFORMATION = """\
Model: \t\t NVIDIA A100-SXM4-40GB
GPU UUID: \t {uuid}
Bus Location: \t {address}
Device Minor: \t {minor}
GPU Excluded:\t {excluded}
"""


def put(path: Path, text: str = "") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def gpu(system: Path, address: str, minor: int, *, uuid: str = "GPU-1", excluded: str = "No") -> None:
    text = INFORMATION.format(uuid=uuid, address=address, minor=minor, excluded=excluded)
    put(system / f"proc/driver/nvidia/gpus/{address}/information", text)
    for name in (f"card{minor}", f"renderD{128 + minor}", "by-something"):
        (system / f"sys/bus/pci/devices/{address}/drm" / name).mkdir(parents=True)


def found(tmp_path: Path) -> Inventory:
    (tmp_path / "root").mkdir(exist_ok=True)
    return discover(str(tmp_path / "root"), system_root=str(tmp_path / "system"))


def test_gpus_of_the_driver_in_the_order_of_their_addresses(tmp_path: Path) -> None:
    gpu(tmp_path / "system", "0000:0f:00.0", 0, uuid="GPU-?????-????")
    gpu(tmp_path / "system", "0000:07:00.0", 1)
    gpu(tmp_path / "system", "0000:ff:00.0", 7, excluded="Yes")
    first, second = found(tmp_path).gpus
    assert (first.index, first.minor, first.uuid, first.address) == (0, 1, "GPU-1", "0000:07:00.0")
    assert first.drm_nodes == ("card1", "renderD129")
    assert (second.index, second.minor, second.uuid) == (1, 0, "")
    assert first.mig is None


def test_an_information_file_without_a_minor(tmp_path: Path) -> None:
    put(tmp_path / "system/proc/driver/nvidia/gpus/0000:07:00.0/information", "Model: x\n")
    assert [one.minor for one in found(tmp_path).gpus] == [0]


def test_mig_devices_and_capabilities(tmp_path: Path) -> None:
    system = tmp_path / "system"
    gpu(system, "0000:07:00.0", 0)
    for place in ("gi10/ci0", "gi2/ci1", "gi2/ci0"):
        put(system / f"proc/driver/nvidia/capabilities/gpu0/mig/{place}/access")
    put(system / "proc/driver/nvidia/capabilities/gpu0/mig/gi2/cix/access")
    put(system / "proc/driver/nvidia-caps/mig-minors", "config 1\ngpu0/gi2/access 30\nodd line here\nx y\n")
    inventory = found(tmp_path)
    assert inventory.capabilities == {"config": 1, "gpu0/gi2/access": 30}
    mig = inventory.gpus[0].mig or ()
    assert [(one.index, one.gpu_instance, one.compute_instance) for one in mig] == [(0, 2, 0), (1, 2, 1), (2, 10, 0)]


@root_only
def test_without_the_drivers_files_gpus_are_their_nodes(tmp_path: Path) -> None:
    build_driver_root(tmp_path / "root")
    inventory = found(tmp_path)
    assert [(one.minor, one.address, one.drm_nodes) for one in inventory.gpus] == [
        (0, "0000:07:00.0", ("card0", "renderD128")),
        (1, "0000:0f:00.0", ("card1", "renderD129")),
    ]
    assert "order of their PCI addresses" in inventory.notes[0]
    put(tmp_path / "system/sys/bus/pci/devices/0000:07:00.0/vendor", "0x8086\n")
    inventory = found(tmp_path)
    assert [one.address for one in inventory.gpus] == ["", ""]
    assert inventory.notes == (
        "/proc/driver/nvidia/gpus isn't there: GPUs are taken from their device nodes, without UUIDs",
    )


@root_only
def test_another_dev_root(tmp_path: Path) -> None:
    build_driver_root(tmp_path / "devices")
    (tmp_path / "root").mkdir()
    inventory = discover(str(tmp_path / "root"), str(tmp_path / "devices"), str(tmp_path / "system"))
    assert inventory.dev_root == str(tmp_path / "devices")
    assert inventory.driver is None
    node = inventory.node("/dev/dri/card0")
    assert node is not None
    assert (node.major, node.minor, node.mode, node.gid) == (226, 0, 0o660, 44)
    assert inventory.node("/dev/dri/by-path") is None


def drm(system: Path, name: str, device: str, vendor: str = "", unique: str = "") -> None:
    place = system / "sys/devices" / device
    (place / "drm" / name).mkdir(parents=True)
    if vendor:
        put(place / "vendor", f"{vendor}\n")
    if unique:
        put(place / "unique_id", f"{unique}\n")
    link = system / "sys/class/drm" / name
    link.mkdir(parents=True)
    (link / "device").symlink_to(f"../../../devices/{device}")


def test_amd_and_intel(tmp_path: Path) -> None:
    system = tmp_path / "system"
    drm(system, "renderD130", "pci0000:00/0000:c3:00.0", "0x1002", "d1c2")
    drm(system, "renderD131", "platform/amdgpu_xcp_0")
    drm(system, "renderD128", "pci0000:00/0000:03:00.0", "0x8086")
    drm(system, "renderD129", "pci0000:00/0000:04:00.0", "0x10de")
    (system / "sys/class/drm/renderD140").mkdir()
    (system / "sys/class/drm/renderD140/device").symlink_to("../../../devices/gone")
    assert [(one.vendor, one.address, one.drm_nodes, one.unique_id) for one in found(tmp_path).drm_gpus] == [
        ("intel", "0000:03:00.0", ("renderD128",), ""),
        ("amd", "0000:c3:00.0", ("renderD130",), "d1c2"),
        ("amd", "amdgpu_xcp_0", ("renderD131",), ""),
    ]


def test_network_cards(tmp_path: Path) -> None:
    device = tmp_path / "system/sys/devices/pci0000:00/0000:21:00.0"
    for name in ("infiniband_verbs/uverbs0", "infiniband_mad/umad0", "infiniband_mad/issm0"):
        (device / name).mkdir(parents=True)
    link = tmp_path / "system/sys/class/infiniband/mlx5_0"
    link.mkdir(parents=True)
    (link / "device").symlink_to("../../../devices/pci0000:00/0000:21:00.0")
    (tmp_path / "system/sys/class/infiniband/rxe0").mkdir()
    (nic,) = found(tmp_path).nics
    assert (nic.name, nic.nodes, nic.address) == ("mlx5_0", ("uverbs0", "issm0", "umad0"), "0000:21:00.0")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "NVRM version: NVIDIA UNIX x86_64 Kernel Module  550.54.15  Tue Mar  5\nGCC version: 12\n",
            "550.54.15",
        ),
        ("NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  595.10  Release Build\n", "595.10"),
        ("something", None),
        (None, None),
    ],
)
def test_the_version_of_the_kernel_module(text: str | None, expected: str | None, tmp_path: Path) -> None:
    if text is not None:
        put(tmp_path / "proc/driver/nvidia/version", text)
    assert driver_version(Tree(tmp_path)) == expected


# --- the driver's files -----------------------------------------------------------------------------------------------
def test_a_driver_that_only_the_loaders_cache_knows(tmp_path: Path) -> None:
    library = tmp_path / f"opt/nvidia/lib/libnvidia-ml.so.{VERSION}"
    put(library)
    library.write_bytes(shared_library("libnvidia-ml.so.1"))
    put(tmp_path / "etc/ld.so.cache").write_bytes(cache((X86_64, "/opt/nvidia/lib/libnvidia-ml.so.1")))
    driver = find_driver(Tree(tmp_path))
    assert driver is not None
    assert (driver.version, driver.folders) == (VERSION, ("/opt/nvidia/lib",))
    assert driver.libraries[0].links == ()


def test_firmware_of_this_kernel_and_of_its_custom_folder(tmp_path: Path) -> None:
    build_driver_root(tmp_path, nodes=False)
    for folder in ("/opt/firmware", "/lib/firmware/updates/6.1", "/lib/firmware/5.0"):
        put(tmp_path / f"{folder[1:]}/nvidia/{VERSION}/gsp_x.bin")
    driver = find_driver(Tree(tmp_path), kernel="6.1", firmware_folder="/opt/firmware")
    assert driver is not None
    folders = [
        file.path.removesuffix(f"/nvidia/{VERSION}/gsp_x.bin")
        for file in driver.files
        if file.path.endswith("gsp_x.bin")
    ]
    assert folders == ["/opt/firmware", "/lib/firmware/updates/6.1"]


def test_x_modules_old_compiler_and_configuration_in_another_place(tmp_path: Path) -> None:
    build_driver_root(tmp_path, nodes=False)
    libraries = "usr/lib/x86_64-linux-gnu"
    put(tmp_path / f"{libraries}/libnvidia-nvvm70.so.4")
    put(tmp_path / "usr/lib64/xorg/modules/drivers/nvidia_drv.so")
    put(tmp_path / f"{libraries}/nvidia/xorg/libglxserver_nvidia.so.{VERSION}")
    put(tmp_path / "usr/X11R6/lib/modules/extensions/nvidia_drv.so")
    put(tmp_path / "usr/local/share/glvnd/egl_vendor.d/10_nvidia.json")
    put(tmp_path / "usr/bin/nvidia-xconfig").chmod(0o755)
    put(tmp_path / "usr/bin/nvidia-imex")  # nobody may execute it
    driver = find_driver(Tree(tmp_path))
    assert driver is not None
    assert f"/{libraries}/libnvidia-nvvm70.so.4" in [library.path for library in driver.libraries]
    names = [library.path for library in driver.graphics]
    assert names[-2:] == [
        "/usr/lib64/xorg/modules/drivers/nvidia_drv.so",
        f"/{libraries}/nvidia/xorg/libglxserver_nvidia.so.{VERSION}",
    ]
    config = next(file for file in driver.files if file.path.endswith("10_nvidia.json"))
    assert config.path == "/usr/share/glvnd/egl_vendor.d/10_nvidia.json"
    assert config.host_path == f"{tmp_path}/usr/local/share/glvnd/egl_vendor.d/10_nvidia.json"
    assert "graphics-binary" in {file.kind for file in driver.files}
    assert "/usr/bin/nvidia-imex" not in {file.path for file in driver.files}


def test_wsl(tmp_path: Path) -> None:
    store = tmp_path / "usr/lib/wsl/drivers/nv_dispi.inf"
    for name in ("libcuda.so.1.1", "nvidia-smi", "nvcubins.bin", "libnvoptix.so.1", "nvcuda.dll"):
        put(store / name)
    put(tmp_path / "usr/lib/wsl/lib/libdxcore.so")
    found_store = find_wsl(Tree(tmp_path))
    assert found_store is not None
    assert [path.rpartition("/")[2] for path in found_store.required] == [
        "libcuda.so.1.1",
        "nvcubins.bin",
        "nvidia-smi",
        "libdxcore.so",
    ]
    assert [path.rpartition("/")[2] for path in found_store.others] == ["libnvoptix.so.1", "nvcuda.dll"]
    (tmp_path / "usr/lib/wsl/lib/libdxcore.so").unlink()
    again = find_wsl(Tree(tmp_path))
    assert again is not None
    assert len(again.required) == 3
    assert find_wsl(Tree(tmp_path / "elsewhere")) is None


# --- trees ------------------------------------------------------------------------------------------------------------
def test_links_lead_to_places_within_the_tree(tmp_path: Path) -> None:
    put(tmp_path / "real/file", "within")
    (tmp_path / "absolute").symlink_to("/real")
    (tmp_path / "upwards").symlink_to("../../../../real")
    (tmp_path / "loop").symlink_to("loop")
    (tmp_path / "gone").symlink_to("nowhere")
    tree = Tree(tmp_path)
    for name in ("absolute", "upwards", "real", "./real", "real/../real"):
        assert tree.resolve(f"/{name}/file") == "/real/file"
        assert tree.text(f"/{name}/file") == "within"
    assert tree.resolve("/loop") is None
    assert tree.resolve("/") == "/"
    assert tree.content("/gone") is None
    assert tree.content("/real") is None
    assert tree.link_text("/absolute") == "/real"
    assert tree.link_text("/real") is None
    assert tree.names("/absolute") == ["file"]
    assert tree.names("/gone") == []
    assert list(tree.glob("/absolute/*")) == ["/absolute/file"]
    assert list(tree.glob("/*/f*")) == ["/absolute/file", "/real/file", "/upwards/file"]
    assert list(tree.glob("/real/none")) == []
    assert list(tree.glob("/")) == ["/"]
    assert not tree.is_file("/real")
    assert tree.is_folder("/absolute")
    assert not tree.is_folder("/gone")
    assert not tree.is_program("/gone")
    assert not tree.is_program("/real/file")
    assert tree.character_device("/gone") is None
    assert tree.character_device("/nowhere") is None


def test_hidden_names_need_a_dot(tmp_path: Path) -> None:
    put(tmp_path / ".hidden")
    put(tmp_path / "shown")
    assert list(Tree(tmp_path).glob("/*")) == ["/shown"]
    assert list(Tree(tmp_path).glob("/.*")) == ["/.hidden"]
