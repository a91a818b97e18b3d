"""A spec for this host, from its inventory: a pure function. Modes and names are those of NVIDIA's `nvidia-ctk cdi`.

Where this one differs: links of /dev/dri/by-path lie at /dev/dri/by-path also with another dev root; the MPS folder is
found; a GPU without a device node is left out with a warning instead of making everything fail; numbers of device nodes
can be left out, so that a moved major number does no harm.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Literal, get_args

from aliquot.cdi.check import check
from aliquot.cdi.generate.device_ids import NameStrategy
from aliquot.cdi.generate.drm import amd_devices, intel_devices, nic_devices
from aliquot.cdi.generate.edits_builder import EditsBuilder
from aliquot.cdi.generate.hook_calls import HOOK_VERBS, HookCalls
from aliquot.cdi.generate.inventory import Inventory
from aliquot.cdi.generate.nvidia import driver_edits, gpu_devices, management_device, nvidia_common
from aliquot.cdi.generate.plain_nodes import all_of, imex_devices, wsl_device
from aliquot.cdi.generate.simplify import simplified, with_merged
from aliquot.cdi.problems import Problem, SpecError
from aliquot.cdi.qualified_names import class_fault, vendor_fault
from aliquot.cdi.spec import NO_EDITS, ContainerEdits, Device, Spec
from aliquot.cdi.versions import NEWEST, minimum_version

Mode = Literal["nvml", "management", "wsl", "imex", "gds", "gdrcopy", "mofed", "nvswitch", "amd", "intel", "nic"]
MODES: tuple[Mode, ...] = get_args(Mode)

_KINDS: Mapping[str, tuple[str, str]] = {
    "nvml": ("nvidia.com", "gpu"),
    "wsl": ("nvidia.com", "gpu"),
    "management": ("management.nvidia.com", "gpu"),
    "imex": ("nvidia.com", "imex-channel"),
    "gds": ("nvidia.com", "gds"),
    "gdrcopy": ("nvidia.com", "gdrcopy"),
    "mofed": ("nvidia.com", "mofed"),
    "nvswitch": ("nvidia.com", "nvswitch"),
    "amd": ("amd.com", "gpu"),
    "intel": ("intel.com", "gpu"),
    "nic": ("openfabrics.org", "rdma"),
}
_VOID = ContainerEdits(env=("NVIDIA_VISIBLE_DEVICES=void",))
"""Keeps an NVIDIA runtime hook that is installed too from injecting devices a second time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What to generate.

    `devices` are ids, or `all`, or `none` for one empty device; `vendor` and `class_` "" are the mode's usual ones.
    `numbers` False leaves out major and minor, which injection then takes from the host.
    """

    mode: Mode = "nvml"
    vendor: str = ""
    class_: str = ""
    strategies: tuple[NameStrategy, ...] = ("index", "uuid")
    devices: tuple[str, ...] = ("all",)
    all_device: bool = True
    hooks: HookCalls = field(default_factory=HookCalls)
    numbers: bool = True
    additional_gids: bool = True
    sockets: bool = True
    explicit_libraries: bool = False


@dataclass(frozen=True, slots=True)
class Generated:
    """A spec, at the oldest version that can hold it, and what had to be left out."""

    spec: Spec
    warnings: tuple[Problem, ...] = ()


def generate(inventory: Inventory, options: Options | None = None) -> Generated:
    """The spec of a host.

    Raises:
        SpecError: an option is wrong, a device that was asked for isn't there, or there's nothing to write; all of it.
    """
    options = options or Options()
    vendor, class_ = _KINDS[options.mode]
    vendor, class_ = options.vendor or vendor, options.class_ or class_
    _check_options(options, vendor, class_)
    hooks = options.hooks
    if options.mode == "management":
        hooks = replace(hooks, disabled=hooks.disabled | {"disable-device-node-modification"})
    builder = EditsBuilder(inventory, hooks, numbers=options.numbers, additional_gids=options.additional_gids)
    devices = _devices(builder, options)
    common = _common(builder, options)
    if not devices:
        raise SpecError([_nothing(options.mode), *builder.warnings])
    spec = simplified(Spec(version=NEWEST, kind=f"{vendor}/{class_}", devices=devices, edits=common))
    if options.all_device and "none" not in options.devices:
        spec = with_merged(spec)
    spec = replace(spec, version=minimum_version(spec))
    problems = check(spec)
    if problems:
        raise SpecError(problems)
    notes = (Problem("host", note) for note in inventory.notes)
    return Generated(spec, (*notes, *builder.warnings, *_lost_hooks(hooks, options.mode)))


def _check_options(options: Options, vendor: str, class_: str) -> None:
    problems = [
        Problem("kind", fault, name)
        for name, fault in (("vendor", vendor_fault(vendor)), ("class", class_fault(class_)))
        if fault
    ]
    given = (("disable-hook", options.hooks.disabled - {"all"}), ("enable-hook", options.hooks.enabled))
    for name, verbs in given:
        problems += [
            Problem("name", f"there's no hook {verb!r}", name, f"known are {', '.join(HOOK_VERBS)}")
            for verb in sorted(verbs - set(HOOK_VERBS))
        ]
    if not options.strategies:
        problems.append(Problem("name", "no strategy for names is given", "device-name-strategy"))
    if problems:
        raise SpecError(problems)


def _devices(builder: EditsBuilder, options: Options) -> tuple[Device, ...]:
    if "none" in options.devices and options.mode == "nvml":
        return (Device(name="none", edits=ContainerEdits(env=("NVCT_EMPTY_DEVICE=",))),)
    match options.mode:
        case "nvml":
            return gpu_devices(builder, options.devices, options.strategies)
        case "imex":
            return imex_devices(builder, options.devices)
        case "amd":
            return amd_devices(builder, options.strategies)
        case "intel":
            return intel_devices(builder, options.strategies)
        case "nic":
            return nic_devices(builder)
        case _:
            return tuple(_ALL_IN_ONE[options.mode](builder))


def _common(builder: EditsBuilder, options: Options) -> ContainerEdits:
    match options.mode:
        case "nvml":
            edits = nvidia_common(builder, sockets=options.sockets, explicit=options.explicit_libraries)
        case "management":
            edits = driver_edits(builder, sockets=options.sockets, explicit=options.explicit_libraries)
        case "wsl":
            edits = wsl_device(builder).common
        case "amd":
            return builder.nodes("/dev/kfd")
        case "nic":
            return builder.nodes("/dev/infiniband/rdma_cm")
        case "intel":
            return NO_EDITS
        case _:
            edits = NO_EDITS
    return edits + _VOID


def _wsl(builder: EditsBuilder) -> Iterator[Device]:
    found = wsl_device(builder)
    if found.device:
        yield Device(name="all", edits=found.device)


_ALL_IN_ONE: Mapping[str, Callable[[EditsBuilder], Iterator[Device]]] = {
    "management": management_device,
    "wsl": _wsl,
    "gds": lambda builder: all_of(builder, "/dev/nvidia-fs*", files="gds"),
    "gdrcopy": lambda builder: all_of(builder, "/dev/gdrdrv"),
    "mofed": lambda builder: all_of(builder, "/dev/infiniband/uverbs*", "/dev/infiniband/rdma_cm"),
    "nvswitch": lambda builder: all_of(builder, "/dev/nvidia-nvswitchctl", "/dev/nvidia-nvswitch*"),
}

_LACKING: Mapping[str, str] = {
    "nvml": "load the driver (nvidia-smi shows its GPUs), or give --driver-root and --dev-root",
    "wsl": "install the Windows driver: /dev/dxg and its driver store are missing",
    "imex": "load the driver with NVreg_CreateImexChannel0=1, or make the channel's node",
}


def _nothing(mode: Mode) -> Problem:
    return Problem("host", f"there's no device for the mode {mode!r}", hint=_LACKING.get(mode, "is its driver loaded?"))


def _lost_hooks(hooks: HookCalls, mode: Mode) -> Iterator[Problem]:
    lost = [verb for verb in HOOK_VERBS if hooks.wants(verb) and verb not in hooks.tool.verbs]
    if lost and mode in {"nvml", "management"}:
        message = f"{hooks.tool.path} can't do the hooks {', '.join(lost)}: they are left out"
        yield Problem("host", message, hint="install nvidia-container-toolkit-base for them")
