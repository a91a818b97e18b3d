"""Builds an inert NVIDIA driver root: a driver of version 550.54.15 with two GPUs, one of them with MIG capabilities.

The same tree as the shared material's tools/fake-driver-root.sh, from which the recorded inventory was taken. Device
nodes need root; without it, everything else is there.
"""

import os
import socket
import stat
from pathlib import Path

from tests.cdi.host.elf_file import shared_library

VERSION = "550.54.15"

NODES = (
    *(("nvidiactl", 0o666, 195, 255, 0), ("nvidia0", 0o666, 195, 0, 0), ("nvidia1", 0o666, 195, 1, 0)),
    *(("nvidia-modeset", 0o666, 195, 254, 0), ("nvidia-uvm", 0o666, 510, 0, 0), ("nvidia-uvm-tools", 0o666, 510, 1, 0)),
    ("nvidia-caps/nvidia-cap1", 0o400, 508, 1, 0),
    *((f"nvidia-caps/nvidia-cap{n}", 0o444, 508, n, 0) for n in (2, 21, 22, 30, 31)),
    *((f"dri/card{n}", 0o660, 226, n, 44) for n in (0, 1)),
    *((f"dri/renderD{n}", 0o660, 226, n, 109) for n in (128, 129)),
    *((f"nvidia-caps-imex-channels/channel{n}", 0o666, 507, n, 0) for n in (0, 7)),
    *(("gdrdrv", 0o666, 506, 0, 0), ("nvidia-fs0", 0o666, 505, 0, 0)),
    *(
        ("nvidia-nvswitchctl", 0o666, 504, 255, 0),
        ("nvidia-nvswitch0", 0o666, 504, 0, 0),
        ("nvidia-nvlink", 0o666, 503, 0, 0),
    ),
    *(("infiniband/uverbs0", 0o666, 231, 192, 0), ("infiniband/rdma_cm", 0o666, 10, 58, 0)),
)
LIBRARIES = (
    (f"libcuda.so.{VERSION}", "libcuda.so.1", ("libcuda.so.1",)),
    (f"libnvidia-ml.so.{VERSION}", "libnvidia-ml.so.1", ("libnvidia-ml.so.1",)),
    (f"libnvidia-allocator.so.{VERSION}", "libnvidia-allocator.so.1", ("libnvidia-allocator.so.1",)),
    (f"libGLX_nvidia.so.{VERSION}", "libGLX_nvidia.so.0", ("libGLX_nvidia.so.0",)),
    (f"libnvidia-opticalflow.so.{VERSION}", "libnvidia-opticalflow.so.1", ("libnvidia-opticalflow.so.1",)),
    (f"libnvidia-glcore.so.{VERSION}", f"libnvidia-glcore.so.{VERSION}", ()),
    (f"vdpau/libvdpau_nvidia.so.{VERSION}", "libvdpau_nvidia.so.1", ("libvdpau_nvidia.so.1",)),
    ("libnvidia-egl-gbm.so.1.1.1", "libnvidia-egl-gbm.so.1", ("libnvidia-egl-gbm.so.1",)),
    ("libcudart.so.12.4", "libcudart.so.12", ()),  # not one of the driver's
)
TEXTS = {
    "etc/vulkan/icd.d/nvidia_icd.json": "{}",
    "usr/share/glvnd/egl_vendor.d/10_nvidia.json": "{}",
    "etc/OpenCL/vendors/nvidia.icd": "libnvidia-opencl.so.1",
    "etc/cufile.json": "{}",
    "usr/share/nvidia/nvoptix.bin": "x",
    f"lib/firmware/nvidia/{VERSION}/gsp_ga10x.bin": "x",
    f"lib/firmware/nvidia/{VERSION}/gsp_tu10x.bin": "x",
}
PROGRAMS = (
    "nvidia-smi",
    "nvidia-debugdump",
    "nvidia-persistenced",
    "nvidia-cuda-mps-control",
    "nvidia-cuda-mps-server",
)
ADDRESSES = ("0000:07:00.0", "0000:0f:00.0")


def build_driver_root(root: Path, *, version: str = VERSION, nodes: bool = True) -> Path:
    """Make the tree below `root`."""
    for name, text in TEXTS.items():
        path = root / name.replace(VERSION, version)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    folder = root / "usr/lib/x86_64-linux-gnu"
    (folder / "vdpau").mkdir(parents=True)
    for name, soname, links in LIBRARIES:
        path = folder / name.replace(VERSION, version)
        path.write_bytes(shared_library(soname.replace(VERSION, version)))
        for link in links:
            (path.parent / link).symlink_to(path.name)
    (folder / "libcuda.so").symlink_to("libcuda.so.1")
    (root / "lib/x86_64-linux-gnu").symlink_to("../usr/lib/x86_64-linux-gnu")
    (root / "usr/bin").mkdir(parents=True)
    for name in PROGRAMS:
        (root / "usr/bin" / name).write_text("#!/bin/sh\n")
        (root / "usr/bin" / name).chmod(0o755)
    for name in ("run/udev", "tmp/nvidia-mps", "dev/dri/by-path"):
        (root / name).mkdir(parents=True)
    for name in ("nvidia-persistenced", "nvidia-fabricmanager"):
        _socket(root / "run" / name)
    for number, address in enumerate(ADDRESSES):
        (root / f"dev/dri/by-path/pci-{address}-card").symlink_to(f"../card{number}")
        (root / f"dev/dri/by-path/pci-{address}-render").symlink_to(f"../renderD{128 + number}")
    if nodes:
        make_nodes(root)
    return root


def make_nodes(root: Path) -> None:
    """The device nodes. Root only."""
    for name, mode, major, minor, gid in NODES:
        path = root / "dev" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        os.mknod(path, stat.S_IFCHR | mode, os.makedev(major, minor))
        path.chmod(mode)
        os.chown(path, 0, gid)


def _socket(folder: Path) -> None:
    """A socket file. The name is bound from within its folder: whole paths may be too long for it."""
    folder.mkdir(parents=True)
    before = Path.cwd()
    try:
        os.chdir(folder)
        with socket.socket(socket.AF_UNIX) as made:
            made.bind("socket")
    finally:
        os.chdir(before)
