"""Finding the NVIDIA driver's user space below a driver root. An edge: it reads the disk through `Tree`.

Where things are looked for (as NVIDIA's container toolkit 1.20 does): libraries in the folders of LIBRARY_FOLDERS and
then in the loader's cache, configuration in /etc and the XDG data folders, programs in the usual folders of PATH.
"""

import os
import posixpath
from collections.abc import Iterable, Iterator, Sequence

from aliquot.cdi.generate.inventory import Driver, DriverFile, Library, WslStore, so_name
from aliquot.cdi.host.elf import soname
from aliquot.cdi.host.ldcache import cached_paths
from aliquot.cdi.host.tree import Tree

LIBRARY_FOLDERS = (
    "/",
    "/usr/lib64",
    "/usr/lib/x86_64-linux-gnu",
    "/usr/lib/aarch64-linux-gnu",
    "/usr/lib/x86_64-linux-gnu/nvidia/current",
    "/usr/lib/aarch64-linux-gnu/nvidia/current",
    "/lib64",
    "/lib/x86_64-linux-gnu",
    "/lib/aarch64-linux-gnu",
    "/lib/x86_64-linux-gnu/nvidia/current",
    "/lib/aarch64-linux-gnu/nvidia/current",
)
PROGRAM_FOLDERS = ("/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin")
CONFIG_FOLDERS = ("/etc", "/usr/local/share", "/usr/share")

GRAPHICS = ("libnvidia-egl-gbm", "libnvidia-egl-wayland", "libnvidia-egl-wayland2", "libnvidia-egl-xcb")
EXPLICIT = (
    *("libEGL.so", "libGL.so", "libGLESv1_CM.so", "libGLESv2.so", "libGLX.so", "libGLdispatch.so", "libOpenCL.so"),
    *("libOpenGL.so", "libnvidia-api.so", "libnvidia-egl-xcb.so", "libnvidia-egl-xlib.so"),
)
PROGRAMS = (
    *("nvidia-smi", "nvidia-debugdump", "nvidia-persistenced", "nvidia-cuda-mps-control", "nvidia-cuda-mps-server"),
    *("nvidia-imex", "nvidia-imex-ctl"),
)
SHARED_CONFIGS = (
    "glvnd/egl_vendor.d/10_nvidia.json",
    "egl/egl_external_platform.d/15_nvidia_gbm.json",
    "egl/egl_external_platform.d/10_nvidia_wayland.json",
    "egl/egl_external_platform.d/09_nvidia_wayland2.json",
    "egl/egl_external_platform.d/20_nvidia_xcb.json",
    "egl/egl_external_platform.d/20_nvidia_xlib.json",
    "nvidia/nvoptix.bin",
    "X11/xorg.conf.d/10-nvidia.conf",
    "X11/xorg.conf.d/nvidia-drm-outputclass.conf",
)
SYSTEM_CONFIGS = (
    "OpenCL/vendors/nvidia.icd",
    "vulkan/icd.d/nvidia_icd.json",
    "vulkan/icd.d/nvidia_layers.json",
    "vulkan/implicit_layer.d/nvidia_layers.json",
)
SOCKETS = ("nvidia-persistenced/socket", "nvidia-fabricmanager/socket")
MPS_FOLDER = "/tmp/nvidia-mps"  # noqa: S108 the MPS daemon's own default

WSL_STORES = "/usr/lib/wsl/drivers"
WSL_CORE = "/usr/lib/wsl/lib/libdxcore.so"
WSL_REQUIRED = (
    *("libcuda.so.1.1", "libcuda_loader.so", "libnvidia-ptxjitcompiler.so.1", "libnvidia-ml.so.1"),
    *("libnvidia-ml_loader.so", "libnvdxgdmal.so.1", "nvcubins.bin", "nvidia-smi"),
)


def find_driver(tree: Tree, *, kernel: str = "", firmware_folder: str = "") -> Driver | None:
    """The driver below a root, or None without libcuda and libnvidia-ml.

    `kernel` is its release (`uname -r`), `firmware_folder` the kernel's custom firmware path: firmware lies there.
    """
    version = _version(tree)
    if version is None:
        return None
    folders = tuple(dict.fromkeys(posixpath.dirname(path) for path in _libraries(tree, f"lib*.so.{version}")))
    beside = (*folders, *(f"{folder}/vdpau" for folder in folders))
    versioned = _resolved(tree, (f"{folder}/*.so.{version}" for folder in beside))
    compiler = _resolved(tree, (f"{folder}/libnvidia-nvvm70.so.*" for folder in folders))
    explicit = _resolved(tree, (f"{folder}/{name}" for name in EXPLICIT for folder in folders))
    return Driver(
        version=version,
        folders=folders,
        libraries=tuple(_library(tree, path) for path in _unique([*versioned, *compiler])),
        graphics=tuple(_library(tree, path) for path in _graphics(tree, version, folders)),
        explicit=tuple(_library(tree, path) for path in explicit),
        files=tuple(_files(tree, version, kernel, firmware_folder)),
    )


def find_wsl(tree: Tree) -> WslStore | None:
    """The driver store of Windows' Linux subsystem; None elsewhere."""
    core = next(tree.glob(f"{WSL_STORES}/*/libcuda.so.1.1"), None)
    if core is None:
        return None
    store = posixpath.dirname(core)
    required = [f"{store}/{name}" for name in WSL_REQUIRED if tree.is_file(f"{store}/{name}")]
    names = {posixpath.basename(path) for path in required}
    others = [
        path
        for ending in ("*.so*", "*.bin", "*.dll")
        for path in tree.glob(f"{store}/{ending}")
        if posixpath.basename(path) not in names and tree.is_file(path)
    ]
    if tree.is_file(WSL_CORE):
        required.append(WSL_CORE)
    return WslStore(required=tuple(required), others=tuple(_unique(others)))


def _version(tree: Tree) -> str | None:
    for name in ("libcuda.so.", "libnvidia-ml.so."):
        for path in _libraries(tree, f"{name}*.*"):
            return posixpath.basename(path).removeprefix(name)
    return None


def _libraries(tree: Tree, pattern: str) -> list[str]:
    """Libraries by name in all folders, else in the loader's cache; links resolved."""
    found = _resolved(tree, (posixpath.join(folder, pattern) for folder in LIBRARY_FOLDERS))
    if found:
        return found
    cache = cached_paths(tree.content("/etc/ld.so.cache") or b"")
    folders = _unique(posixpath.dirname(path) for path in cache)
    return _resolved(tree, (posixpath.join(folder, pattern) for folder in folders))


def _resolved(tree: Tree, patterns: Iterable[str]) -> list[str]:
    found = (tree.resolve(path) for pattern in patterns for path in tree.glob(pattern) if tree.is_file(path))
    return _unique(path for path in found if path is not None)


def _unique(paths: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(paths))


def _library(tree: Tree, path: str) -> Library:
    name = soname(tree.content(path) or b"")
    if name is None:
        return Library(path=path)
    folder, _, own = path.rpartition("/")
    wanted = _unique([name or own, so_name(name or own)])
    return Library(path=path, soname=name, links=tuple(link for link in wanted if tree.link_text(f"{folder}/{link}")))


def _graphics(tree: Tree, version: str, folders: Sequence[str]) -> Iterator[str]:
    wanted = [f"{name}.so.*.*" for name in (*GRAPHICS, "libnvidia-egl-xlib")]
    wanted += [f"libnvidia-allocator.so.{version}", f"libnvidia-vulkan-producer.so.{version}"]
    for pattern in wanted:
        yield from _libraries(tree, pattern)
    places = [place for folder in folders for place in _server_folders(folder, own=True)]
    for base in ("/usr/lib", "/usr/lib64", "/usr/X11R6/lib", "/usr/X11R6/lib64"):
        places += _server_folders(base, own=False)
    for name in ("nvidia_drv.so", f"libglxserver_nvidia.so.{version}"):
        yield from [f"{place}/{name}" for place in places if tree.is_file(f"{place}/{name}")][:1]


def _server_folders(base: str, *, own: bool) -> list[str]:
    """Where the X server keeps modules; below X11R6 without a folder `xorg`."""
    modules = f"{base}/modules" if base.startswith("/usr/X11R6") else f"{base}/xorg/modules"
    first = [f"{base}/nvidia/xorg"] if own else []
    return first + [f"{modules}{part}/{kind}" for part in ("", "/updates") for kind in ("drivers", "extensions")]


def _files(tree: Tree, version: str, kernel: str, firmware_folder: str) -> Iterator[DriverFile]:
    yield from _programs(tree, ("nvidia-xconfig",), "graphics-binary")
    yield from _configs(tree)
    for name in SOCKETS:
        paths = [f"{folder}/{name}" for folder in ("/run", "/var/run") if tree.is_file(f"{folder}/{name}")]
        yield from [DriverFile(path=path, kind="socket") for path in paths[:1]]
    if tree.is_folder(MPS_FOLDER):
        yield DriverFile(path=MPS_FOLDER, kind="socket")
    places = [firmware_folder] if firmware_folder else []
    for base in ("/lib/firmware/updates", "/lib/firmware"):
        places += [f"{base}/{kernel}", base] if kernel else [base]
    for place in places:
        for path in tree.glob(f"{place}/nvidia/{version}/gsp*.bin"):
            yield DriverFile(path=path, kind="firmware")
    yield from _programs(tree, PROGRAMS, "binary")
    if tree.is_folder("/run/udev"):
        yield DriverFile(path="/run/udev", kind="gds")
    if tree.is_file("/etc/cufile.json"):
        yield DriverFile(path="/etc/cufile.json", kind="gds")


def _programs(tree: Tree, names: Sequence[str], kind: str) -> Iterator[DriverFile]:
    for name in names:
        paths = [f"{folder}/{name}" for folder in PROGRAM_FOLDERS if tree.is_program(f"{folder}/{name}")]
        if paths:
            yield DriverFile(path=paths[0], kind="binary" if kind == "binary" else "graphics-binary")


def _configs(tree: Tree) -> Iterator[DriverFile]:
    shared = [(f"/usr/share/{name}", name) for name in SHARED_CONFIGS]
    machine = os.uname().machine
    names = (*SYSTEM_CONFIGS, f"vulkan/icd.d/nvidia_icd.{machine}.json")
    for target, name in (*shared, *((f"/etc/{name}", name) for name in names)):
        places = [f"{folder}/{name}" for folder in CONFIG_FOLDERS]
        found = next((place for place in places if tree.is_file(place)), None)
        if found is not None:
            yield DriverFile(path=target, kind="config", host_path="" if found == target else tree.host_path(found))
