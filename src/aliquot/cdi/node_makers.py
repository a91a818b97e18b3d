"""Who makes a device node, by its path: what to do where one is missing.

Sources: nvidia-modprobe(1); the kernel's Documentation/admin-guide/devices.txt; the drivers' own names of their nodes.
"""

import re
from typing import Final

_NVIDIA: Final = "load NVIDIA's driver and let it make its nodes: nvidia-modprobe -c 0 (with the GPU's minor number)"

_MAKERS: Final[tuple[tuple[str, str], ...]] = (
    (r"/dri/by-path/.*", "udev makes these links: udevadm trigger"),
    (
        r"/dri/.*",
        "the GPU's DRM driver makes it and numbers it at each boot: load nvidia-drm (modeset=1), amdgpu, i915 or xe",
    ),
    (r"/kfd", "load the module amdgpu, which makes it"),
    (r"/dxg", "it exists in WSL2 only: wsl --update"),
    (r"/nvidia-uvm(-tools)?", "load nvidia-uvm: nvidia-modprobe -u -c 0"),
    (r"/nvidia-modeset", "load nvidia-modeset: nvidia-modprobe -m"),
    (r"/nvidia-caps/.*", "make the MIG instances first, then their nodes: nvidia-smi -L does it"),
    (r"/nvidia-caps-imex-channels/.*", "load NVIDIA's driver with an IMEX channel: NVreg_CreateImexChannel0=1"),
    (r"/nvidia-fs\d*", "load the module nvidia-fs (GPUDirect Storage)"),
    (r"/nvidia-nvswitch.*", "load NVIDIA's driver on the machine that has the NVSwitches"),
    (r"/(nvidia\d+|nvidiactl)", _NVIDIA),
    (r"/(nvhost|nvmap|tegra).*", "it's one of Tegra's: see that the board's own kernel and drivers run"),
    (r"/gdrdrv", "load the module gdrdrv (GDRCopy)"),
    (r"/infiniband/.*", "load the network card's RDMA driver, and ib_uverbs or rdma_ucm"),
    (r"/vfio/.*", "bind the device to vfio-pci"),
    (r"/accel/.*", "load the accelerator's driver"),
    (r"/(net/tun|fuse|kvm|vhost-net)", "load the module of that name"),
)


def how_made(path: str) -> str:
    """What makes a node like the one at that path; the path may stand below a root folder."""
    _, found, name = path.partition("/dev/")
    while "/dev/" in name:
        _, _, name = name.partition("/dev/")
    if found:
        for pattern, maker in _MAKERS:
            if re.fullmatch(pattern, f"/{name}"):
                return maker
    return "load the module of its driver, which makes it"
