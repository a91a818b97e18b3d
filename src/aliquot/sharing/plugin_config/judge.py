"""What values of the right types have wrong in a configuration of the device plugin.

Minor faults are what the plugin passes over without a word: it runs, and not as the file says.
"""

import re
from collections.abc import Iterator
from typing import Any, Final

from aliquot.kube.reading.shape import Fault, found, is_list, is_object, join
from aliquot.sharing.mps import DEVICE_PLUGIN_MOST
from aliquot.sharing.plugin_config.values import MigStrategy
from aliquot.units.duration import DurationError, parse_duration

DOMAIN: Final = "nvidia.com/"
LONGEST: Final = 63
_NAME: Final = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*")
_CHOICES: Final = {
    "migStrategy": tuple(MigStrategy),
    "deviceDiscoveryStrategy": ("auto", "nvml", "tegra"),
    "plugin.deviceIDStrategy": ("uuid", "index"),
    "plugin.sharedDevicesAllocationPolicy": ("distributed", "packed"),
}
_LISTS: Final = ("envvar", "volume-mounts", "cdi-annotations", "cdi-cri")
_UUID: Final = r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}"
_DEVICE: Final = re.compile(rf"[0-9]+(:[0-9]+)?|(GPU|MIG)-{_UUID}|MIG-GPU-{_UUID}/[0-9]+/[0-9]+", re.ASCII)


def judge(value: dict[str, Any]) -> Iterator[Fault]:
    """Every fault of a file; parts of a wrong type are passed over."""
    version = value.get("version")
    if isinstance(version, str) and version != "v1":
        yield Fault("version", f"{found(version)} isn't known", "v1")
    flags, sharing = value.get("flags"), value.get("sharing")
    if is_object(flags):
        yield from (fault.under("flags") for fault in _flags(flags))
    if is_object(resources := value.get("resources")):
        for name in ("gpus", "mig"):
            if resources.get(name):
                yield Fault(f"resources.{name}", "the plugin passes over it: it can't rename devices", minor=True)
    if is_object(sharing):
        yield from (fault.under("sharing") for fault in _sharing(sharing, flags if is_object(flags) else {}))
    channels = value["imex"].get("channelIDs") if is_object(value.get("imex")) else None
    if is_list(channels) and channels not in ([], [0]):
        yield Fault("imex.channelIDs", f"{channels} isn't possible", "[] or [0]")


def _flags(flags: dict[str, Any]) -> Iterator[Fault]:
    for path, choices in _CHOICES.items():
        holder, _, name = path.rpartition(".")
        part = flags.get(holder) if holder else flags
        said = part.get(name) if is_object(part) else None
        if isinstance(said, str) and said not in choices:
            yield Fault(path, f"{found(said)} isn't known", ", ".join(choices))
    plugin, gfd = flags.get("plugin"), flags.get("gfd")
    if is_object(plugin) and (lists := plugin.get("deviceListStrategy")) is not None:
        yield from _device_lists("plugin.deviceListStrategy", lists)
    if is_object(gfd) and (sleep := gfd.get("sleepInterval")) is not None:
        yield from _sleep("gfd.sleepInterval", sleep)


def _device_lists(where: str, lists: Any) -> Iterator[Fault]:
    every = lists if is_list(lists) else [lists]
    if not every:
        yield Fault(where, "empty: how are devices handed over?", ", ".join(_LISTS))
    for index, each in enumerate(every):
        if each not in _LISTS:
            yield Fault(
                f"{where}[{index}]" if is_list(lists) else where, f"{found(each)} isn't known", ", ".join(_LISTS)
            )


def _sleep(where: str, sleep: Any) -> Iterator[Fault]:
    if isinstance(sleep, bool) or not isinstance(sleep, (str, int)):
        yield Fault(where, f"expected a duration, found {found(sleep)}", "60s, or infinite")
    elif isinstance(sleep, str) and sleep != "infinite":
        try:
            parse_duration(sleep)
        except DurationError as error:
            yield Fault(where, str(error), "60s, or infinite")


def _sharing(sharing: dict[str, Any], flags: dict[str, Any]) -> Iterator[Fault]:
    turns, mps = sharing.get("timeSlicing"), sharing.get("mps")
    if turns is not None and mps is not None:
        yield Fault("", "timeSlicing and mps are both given: a node shares by one of them", "keep one")
    for name, block in (("timeSlicing", turns), ("mps", mps)):
        if is_object(block):
            yield from (fault.under(name) for fault in _block(block, on_whole=name == "mps"))
    if mps is not None and flags.get("migStrategy") == MigStrategy.MIXED:
        yield Fault(
            "mps", "the plugin doesn't start with MPS and migStrategy mixed", "migStrategy none, or timeSlicing"
        )


def _block(block: dict[str, Any], *, on_whole: bool) -> Iterator[Fault]:
    resources = block.get("resources")
    if not is_list(resources):
        return
    if not resources:
        yield Fault("resources", "empty: which resources are shared?")
    seen: dict[str, int] = {}
    for index, each in enumerate(resources):
        if not is_object(each):
            continue
        where = f"resources[{index}]"
        yield from (fault.under(where) for fault in _resource(each, by_default=bool(block.get("renameByDefault"))))
        if not isinstance(name := each.get("name"), str):
            continue
        if seen.setdefault(full_name(name), index) != index:
            yield Fault(f"{where}.name", f"resources[{seen[full_name(name)]}] names it too", "name it once")
        replicas = each.get("replicas")
        if on_whole and type(replicas) is int and replicas > DEVICE_PLUGIN_MOST:
            message = f"{replicas} isn't possible: the plugin allows {DEVICE_PLUGIN_MOST} MPS clients of a GPU at most"
            yield Fault(f"{where}.replicas", message)
        if on_whole and full_name(name).startswith(f"{DOMAIN}mig-"):
            yield Fault(f"{where}.name", "the plugin has MPS on whole GPUs only", "share MIG instances by timeSlicing")


def _resource(each: dict[str, Any], *, by_default: bool) -> Iterator[Fault]:
    for key in ("name", "rename"):
        if isinstance(name := each.get(key), str):
            yield from (fault.under(key) for fault in _name(name))
    replicas, devices, rename = each.get("replicas"), each.get("devices"), each.get("rename")
    if type(replicas) is int and replicas < 2:
        yield Fault("replicas", f"{replicas} isn't possible", "at least 2 make a shared device")
    if isinstance(rename, str) and not (
        by_default and full_name(rename) == f"{full_name(str(each.get('name')))}.shared"
    ):
        hint = "renameByDefault: true names all of them NAME.shared"
        yield Fault("rename", "the plugin passes over it", hint, minor=True)
    if devices is not None:
        yield from (fault.under("devices") for fault in _devices(devices))


def _name(name: str) -> Iterator[Fault]:
    full = full_name(name)
    if len(full) > LONGEST:
        yield Fault("", f"{full} is longer than {LONGEST} characters")
    if _NAME.fullmatch(full.removeprefix(DOMAIN)) is None:
        yield Fault(
            "", f"{found(name)} is no resource's name", "lower case letters, digits, - and ., such as nvidia.com/gpu"
        )


def full_name(name: str) -> str:
    """A resource's name with its domain, which the plugin adds where it's missing."""
    return name if name.startswith(DOMAIN) else f"{DOMAIN}{name}"


def _devices(devices: Any) -> Iterator[Fault]:
    if devices == "all":
        return
    known = True
    if is_list(devices):
        for index, each in enumerate(devices):
            if isinstance(each, bool) or _DEVICE.fullmatch(str(each)) is None:
                known = False
                yield Fault(
                    join("", f"[{index}]"), f"{found(each)} names no device", "an index, GPU:MIG index, or a UUID"
                )
    elif isinstance(devices, bool) or not isinstance(devices, int) or devices < 1:
        known = False
        yield Fault("", f"{found(devices)} isn't possible", "all, a count, or a list of indexes and UUIDs")
    if known:
        yield Fault("", "the plugin passes over it and shares all devices", "all", minor=True)
