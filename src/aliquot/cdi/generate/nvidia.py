"""NVIDIA: a device per GPU and MIG device, and what all of them need: control nodes, libraries, files, hooks.

Facts about which files and hooks: NVIDIA's container toolkit 1.20.
"""

import posixpath
from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase

from aliquot.cdi.generate.device_ids import NameStrategy, names_of, select
from aliquot.cdi.generate.edits_builder import EditsBuilder
from aliquot.cdi.generate.inventory import Driver, DriverFile, FileKind, FoundNode, Gpu, Library, MigDevice, so_name
from aliquot.cdi.problems import Problem, SpecError
from aliquot.cdi.spec import ContainerEdits, Device, Hook

CONTROL_NODES = ("/dev/nvidia-modeset", "/dev/nvidia-uvm-tools", "/dev/nvidia-uvm", "/dev/nvidiactl")
NEEDED_NODES = ("/dev/nvidiactl", "/dev/nvidia-uvm")
"""Without them no CUDA program starts; after a boot they may come late."""
_OPENED = ("/dev/dri", "/dev/nvidia-caps")
"""Folders of nodes that a hook may open to everybody."""

# Not for a management container: file systems and fabric have specs of their own.
_MANAGED = ("/dev/nvidia*", "/dev/nvidia-caps/nvidia-cap*", "/dev/nvidia-caps-imex-channels/channel*")
_UNMANAGED = ("nvidia-fs", "nvidia-nvswitch", "nvidia-nvlink")


def gpu_devices(builder: EditsBuilder, wanted: Sequence[str], strategies: Sequence[NameStrategy]) -> tuple[Device, ...]:
    """The devices that were asked for, one for each of their names.

    Raises:
        SpecError: there's no such device, or a MIG device's capability isn't known.
    """
    devices: list[Device] = []
    problems: list[Problem] = []
    for gpu, mig in select(builder.inventory.gpus, wanted):
        label = f"{gpu.index}" if mig is None else f"{gpu.index}:{mig.index}"
        names = names_of(gpu, mig, strategies)
        try:
            edits = _gpu_edits(builder, gpu) if mig is None else _mig_edits(builder, gpu, mig)
        except SpecError as error:
            problems += error.problems
            continue
        if not names:
            builder.warn(
                f"the device {label} has no UUID that is known: it has no name", "add --device-name-strategy index"
            )
        elif edits is None:
            builder.warn(
                f"the device {label} is left out: not all of its nodes exist", "run nvidia-smi, or nvidia-modprobe"
            )
        devices += [Device(name=name, edits=edits) for name in names if edits is not None]
    if problems:
        raise SpecError(problems)
    return tuple(devices)


def _gpu_edits(builder: EditsBuilder, gpu: Gpu) -> ContainerEdits | None:
    """The GPU's node and its DRM nodes; None where it has no node."""
    own = builder.inventory.node(f"/dev/nvidia{gpu.minor}")
    if own is None:
        return None
    nodes = (own, *_drm_nodes(builder, gpu))
    return builder.found(nodes) + ContainerEdits(hooks=_by_path(builder, gpu, nodes) + _open_folders(builder, nodes))


def _mig_edits(builder: EditsBuilder, gpu: Gpu, mig: MigDevice) -> ContainerEdits | None:
    instance = f"gpu{gpu.minor}/gi{mig.gpu_instance}"
    nodes = [builder.inventory.node(f"/dev/nvidia{gpu.minor}")]
    unknown: list[Problem] = []
    for capability in (f"{instance}/access", f"{instance}/ci{mig.compute_instance}/access"):
        minor = builder.inventory.capabilities.get(capability)
        if minor is None:
            message = f"the number of the MIG capability {capability} of {gpu.index}:{mig.index} isn't known"
            unknown.append(Problem("host", message, hint="is /proc/driver/nvidia/capabilities visible here?"))
        else:
            nodes.append(builder.inventory.node(f"/dev/nvidia-caps/nvidia-cap{minor}"))
    if unknown:
        raise SpecError(unknown)
    present = tuple(node for node in nodes if node is not None)
    if len(present) < len(nodes):
        return None
    if not mig.graphics:
        return builder.found(present)
    nodes_and_drm = (*present, *_drm_nodes(builder, gpu))
    return builder.found(nodes_and_drm) + ContainerEdits(hooks=_by_path(builder, gpu, nodes_and_drm))


def _drm_nodes(builder: EditsBuilder, gpu: Gpu) -> tuple[FoundNode, ...]:
    return builder.matching(*(f"/dev/dri/{name}" for name in gpu.drm_nodes))


def _by_path(builder: EditsBuilder, gpu: Gpu, nodes: Sequence[FoundNode]) -> tuple[Hook, ...]:
    """The links in /dev/dri/by-path that lead to these nodes."""
    paths = {node.path for node in nodes}
    links: list[tuple[str, str]] = []
    for end in ("card", "render"):
        link = f"/dev/dri/by-path/pci-{gpu.address}-{end}"
        target = builder.inventory.dev_links.get(link)
        if target is not None and posixpath.normpath(posixpath.join(posixpath.dirname(link), target)) in paths:
            links.append((target, link))
    return builder.hooks.links(tuple(links))


def _open_folders(builder: EditsBuilder, nodes: Sequence[FoundNode]) -> tuple[Hook, ...]:
    folders = dict.fromkeys(posixpath.dirname(node.path) for node in nodes)
    return builder.hooks.chmod(tuple(folder for folder in folders if folder in _OPENED))


def management_device(builder: EditsBuilder) -> Iterator[Device]:
    """One device with every node of the driver, for containers that manage it."""
    nodes = [n for n in builder.matching(*_MANAGED) if not posixpath.basename(n.path).startswith(_UNMANAGED)]
    edits = builder.found(nodes)
    if edits:
        yield Device(name="all", edits=edits + ContainerEdits(hooks=_open_folders(builder, nodes)))


def nvidia_common(builder: EditsBuilder, *, sockets: bool, explicit: bool) -> ContainerEdits:
    """What every GPU container needs."""
    control = builder.nodes(*CONTROL_NODES)
    lacking = [path for path in NEEDED_NODES if builder.inventory.node(path) is None]
    if lacking:
        builder.warn(
            f"the spec is incomplete, since {' and '.join(lacking)} isn't there yet: CUDA needs it",
            "nvidia-modprobe -c0 -u makes it; then generate again",
        )
    driver = builder.inventory.driver
    if driver is None:
        return driver_edits(builder, sockets=sockets, explicit=explicit)  # it raises
    graphics = tuple(library for library in driver.graphics if not _is(library, "libnvidia-allocator.so", driver))
    drawing = (
        builder.mounts(graphics)
        + builder.mounts(_files(driver, "graphics-binary"))
        + builder.mounts(_files(driver, "config"))
        + ContainerEdits(hooks=builder.hooks.links(tuple(_graphics_links(driver))))
    )
    profile = ContainerEdits(hooks=builder.hooks.call("update-application-profile"))
    return control + drawing + driver_edits(builder, sockets=sockets, explicit=explicit) + profile


def driver_edits(builder: EditsBuilder, *, sockets: bool, explicit: bool) -> ContainerEdits:
    """The driver's libraries, files and hooks.

    Raises:
        SpecError: no driver was found.
    """
    driver = builder.inventory.driver
    if driver is None:
        message = f"no libcuda.so.VERSION or libnvidia-ml.so.VERSION was found below {builder.inventory.driver_root}"
        raise SpecError([Problem("host", message, hint="install the driver, or give its root with --driver-root")])
    libraries = driver.libraries + (driver.explicit if explicit else ())
    hooks = (
        builder.hooks.links(tuple(_links(libraries)))
        + builder.hooks.call("enable-cuda-compat", f"--host-driver-version={driver.version}")
        + builder.hooks.ldcache(tuple(library.folder for library in libraries if _is_library(library.name)))
        + builder.hooks.call("disable-device-node-modification")
    )
    wanted: tuple[FileKind, ...] = ("socket", "firmware", "binary") if sockets else ("firmware", "binary")
    edits = builder.mounts(libraries)
    for kind in wanted:
        edits += builder.mounts(_files(driver, kind))
    folders = ContainerEdits(env=(f"NVIDIA_CTK_LIBCUDA_DIR={':'.join(driver.folders)}",))
    return edits + folders + ContainerEdits(hooks=hooks)


def _files(driver: Driver, kind: FileKind) -> tuple[DriverFile, ...]:
    return tuple(file for file in driver.files if file.kind == kind)


def _is(library: Library, name: str, driver: Driver) -> bool:
    return library.name == f"{name}.{driver.version}"


def _is_library(name: str) -> bool:
    """Whether the loader takes it for one: `lib….so` or `lib….so.…`."""
    stem, dot, end = name.rpartition(".so")
    return bool(dot) and stem.startswith("lib") and len(stem) > 3 and (end == "" or end.startswith("."))


def _graphics_links(driver: Driver) -> Iterator[tuple[str, str]]:
    for library in driver.graphics:
        if _is(library, "libnvidia-allocator.so", driver):
            yield "../libnvidia-allocator.so.1", f"{library.folder}/gbm/nvidia-drm_gbm.so"
        for name in ("libnvidia-vulkan-producer.so", "libglxserver_nvidia.so"):
            if _is(library, name, driver):
                yield library.name, f"{library.folder}/{name}"


def _links(libraries: Sequence[Library]) -> Iterator[tuple[str, str]]:
    """Links that programs look for beside each library: some always, others where the host has them."""
    for library in libraries:
        if fnmatchcase(library.name, "libcuda.so.*.*"):
            yield "libcuda.so.1", f"{library.folder}/libcuda.so"
        elif fnmatchcase(library.name, "libGLX_nvidia.so.*.*"):
            yield library.name, f"{library.folder}/libGLX_indirect.so.0"
        elif fnmatchcase(library.name, "libnvidia-opticalflow.so.*.*"):
            yield "libnvidia-opticalflow.so.1", f"{library.folder}/libnvidia-opticalflow.so"
        if library.name.count(".") < 2:
            continue
        soname = library.soname
        if soname not in {"", library.name} and soname in library.links:
            yield library.name, f"{library.folder}/{soname}"
        target = soname or library.name
        plain = so_name(target)
        if plain not in {"", target} and plain in library.links:
            yield target, f"{library.folder}/{plain}"
