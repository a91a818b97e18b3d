"""What a spec may say. Problems come in the order in which the Go library checks, which stops at its first.

`faithful` is what the Go library accepts; `strict` adds what the specification's prose asks for: lengths, a DNS name as
vendor, absolute hook paths, positive timeouts, Kubernetes' rules for annotations, a version without `v`.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Literal

from aliquot.cdi.annotations import annotation_faults
from aliquot.cdi.problems import Problem
from aliquot.cdi.qualified_names import class_fault, device_name_fault, vendor_fault
from aliquot.cdi.spec import HOOK_NAMES, ContainerEdits, Device, DeviceNode, Hook, IntelRdt, NetDevice, Spec
from aliquot.cdi.versions import LAST_WITH_CMT, NEWEST, OLDEST, needs, normal, rank

Strength = Literal["faithful", "strict"]

NODE_TYPES = ("", "b", "c", "u", "p")
MAX_CLASS = 63
MAX_VENDOR = 253
MAX_CLOS_ID = 4095
_DNS_LABEL = re.compile(r"[A-Za-z0-9]([-A-Za-z0-9]{0,61}[A-Za-z0-9])?")


def check(spec: Spec, strength: Strength = "faithful") -> tuple[Problem, ...]:
    """Everything that's wrong with a spec; empty for a good one."""
    return tuple(_check(spec, strict=strength == "strict"))


def check_device(device: Device, strength: Strength = "faithful", at: str = "") -> tuple[Problem, ...]:
    """Everything that's wrong with a device that stands at the path `at`."""
    return tuple(_device(device, at, strict=strength == "strict"))


def check_edits(edits: ContainerEdits, strength: Strength = "faithful", at: str = "") -> tuple[Problem, ...]:
    """Everything that's wrong with a block of edits that stands at the path `at`."""
    return tuple(_edits(edits, at, strict=strength == "strict"))


def check_version(spec: Spec) -> tuple[Problem, ...]:
    """Whether the declared version is a known one and has every field that the spec uses."""
    return tuple(_version(spec))


def _check(spec: Spec, *, strict: bool) -> Iterator[Problem]:
    yield from _version(spec)
    if strict and spec.version.startswith("v"):
        yield Problem("version", f"{spec.version!r} isn't a semantic version", "cdiVersion", "leave the 'v' out")
    yield from _kind(spec, strict=strict)
    if strict:
        yield from _annotations(spec.annotations, "")
    yield from _edits(spec.edits, "containerEdits", strict=strict)
    seen: dict[str, int] = {}
    for i, device in enumerate(spec.devices):
        at = f"devices[{i}]"
        yield from _device(device, at, strict=strict)
        if device.name and device.name in seen:
            message = f"the device {device.name!r} is defined twice, first as devices[{seen[device.name]}]"
            yield Problem("duplicate", message, f"{at}.name", "give one of them another name")
        seen.setdefault(device.name, i)
    if not spec.devices:
        yield Problem("syntax", "there are no devices", "devices", "a spec defines at least one")


def _version(spec: Spec) -> Iterator[Problem]:
    declared = normal(spec.version)
    if declared is None:
        known = f"known are {OLDEST} to {NEWEST}"
        message = f"{spec.version!r} isn't a version of CDI" if spec.version else "cdiVersion is missing"
        yield Problem("version", message, "cdiVersion", known)
        return
    wanting = [need for need in needs(spec) if rank(need.version) > rank(declared)]
    for need in wanting:
        message = f"{need.feature} needs version {need.version}, the file declares {declared}"
        newest = max((other.version for other in wanting), key=rank)
        yield Problem("version", message, need.path, f"declare {newest}, or leave it out")
    if rank(declared) < rank(OLDEST) and not wanting:
        yield Problem("version", f"{declared} is too old", "cdiVersion", f"declare {OLDEST} or later")
    if rank(declared) > rank(LAST_WITH_CMT):
        for rdt, at in _rdts(spec):
            for name, value in (("enableCMT", rdt.enable_cmt), ("enableMBM", rdt.enable_mbm)):
                if value is not None:
                    hint = f"remove it, or declare {LAST_WITH_CMT}"
                    yield Problem("version", f"{name} was dropped after {LAST_WITH_CMT}", f"{at}.{name}", hint)


def _rdts(spec: Spec) -> Iterator[tuple[IntelRdt, str]]:
    blocks = [(spec.edits, "containerEdits")]
    blocks += [(device.edits, f"devices[{i}].containerEdits") for i, device in enumerate(spec.devices)]
    for edits, at in blocks:
        if edits.intel_rdt is not None:
            yield edits.intel_rdt, f"{at}.intelRdt"


def _kind(spec: Spec, *, strict: bool) -> Iterator[Problem]:
    if not spec.vendor:
        message = f"{spec.kind!r} isn't vendor/class" if spec.kind else "kind is missing"
        yield Problem("kind", message, "kind", "as in vendor.example.com/gpu")
        return
    for fault in (vendor_fault(spec.vendor), class_fault(spec.class_)):
        if fault:
            yield Problem("kind", fault, "kind")
    if strict:
        labels = spec.vendor.split(".")
        if len(spec.vendor) > MAX_VENDOR or not all(_DNS_LABEL.fullmatch(label) for label in labels):
            message = f"the vendor isn't a DNS name of at most {MAX_VENDOR} characters"
            yield Problem("kind", message, "kind", "labels of letters, digits and '-', separated by dots")
        if len(spec.class_) > MAX_CLASS:
            yield Problem("kind", f"the class is longer than {MAX_CLASS} characters", "kind")


def _annotations(annotations: Mapping[str, str], at: str) -> Iterator[Problem]:
    for key, fault in annotation_faults(annotations):
        path = f"{at}annotations.{key}" if key else f"{at}annotations"
        yield Problem("name", f"the annotation {key!r} {fault}" if key else f"the annotations {fault}", path)


def _device(device: Device, at: str, *, strict: bool) -> Iterator[Problem]:
    inside = f"{at}." if at else ""
    fault = device_name_fault(device.name)
    if fault:
        yield Problem("name", fault, f"{inside}name")
    if strict:
        yield from _annotations(device.annotations, inside)
    if not device.edits:
        message = f"the device {device.name!r} has no edits of its own"
        hint = "every device needs an entry, if only an environment variable; the global edits don't count"
        yield Problem("edits", message, f"{inside}containerEdits", hint)
    yield from _edits(device.edits, f"{inside}containerEdits", strict=strict)


def _edits(edits: ContainerEdits, at: str, *, strict: bool) -> Iterator[Problem]:
    inside = f"{at}." if at else ""
    yield from _env(edits.env, f"{inside}env")
    for i, node in enumerate(edits.device_nodes):
        yield from _node(node, f"{inside}deviceNodes[{i}]", strict=strict)
    for i, hook in enumerate(edits.hooks):
        yield from _hook(hook, f"{inside}hooks[{i}]", strict=strict)
    for i, mount in enumerate(edits.mounts):
        for name, path in (("hostPath", mount.host_path), ("containerPath", mount.container_path)):
            if not path:
                yield _edit(f"{name} is missing", f"{inside}mounts[{i}].{name}")
    if edits.intel_rdt is not None:
        yield from _clos_id(edits.intel_rdt.clos_id, f"{inside}intelRdt.closID")
    yield from _net_devices(edits.net_devices, f"{inside}netDevices")


def _env(env: tuple[str, ...], at: str) -> Iterator[Problem]:
    for i, entry in enumerate(env):
        if entry.find("=") < 1:
            yield _edit(f"{entry!r} isn't NAME=VALUE", f"{at}[{i}]")


def _node(node: DeviceNode, at: str, *, strict: bool) -> Iterator[Problem]:
    if not node.path:
        yield _edit("path is missing", f"{at}.path")
    if node.type not in NODE_TYPES:
        hint = "b block, c or u character, p fifo; leave it out to take the host's"
        yield _edit(f"{node.type!r} isn't a type of device node", f"{at}.type", hint)
    none = node.permissions == "none" and not strict
    if not none and not set(node.permissions) <= set("rwm"):
        hint = "`none` is accepted by newer libraries only" if node.permissions == "none" else "letters of rwm"
        yield _edit(f"{node.permissions!r} aren't permissions", f"{at}.permissions", hint)


def _hook(hook: Hook, at: str, *, strict: bool) -> Iterator[Problem]:
    if hook.hook_name not in HOOK_NAMES:
        yield _edit(f"{hook.hook_name!r} isn't a hook", f"{at}.hookName", f"one of {', '.join(HOOK_NAMES)}")
    if not hook.path:
        yield _edit("path is missing", f"{at}.path")
    elif strict and not hook.path.startswith("/"):
        yield _edit(f"the hook's path {hook.path!r} isn't absolute", f"{at}.path")
    yield from _env(hook.env, f"{at}.env")
    if strict and hook.timeout is not None and hook.timeout <= 0:
        yield _edit(f"the timeout {hook.timeout} isn't positive", f"{at}.timeout", "leave it out to wait for ever")


def _clos_id(clos_id: str, at: str) -> Iterator[Problem]:
    if clos_id == "/":
        return
    too_long = len(clos_id.encode(errors="surrogatepass")) > MAX_CLOS_ID
    if clos_id in {".", ".."} or too_long or "/" in clos_id or "\n" in clos_id:
        yield _edit(f"{clos_id[:40]!r} can't name a class of service", at, "a file name, or / for the default class")


def _net_devices(devices: tuple[NetDevice, ...], at: str) -> Iterator[Problem]:
    hosts: set[str] = set()
    names: set[str] = set()
    for i, device in enumerate(devices):
        for field, value, seen in (
            ("hostInterfaceName", device.host_interface_name, hosts),
            ("name", device.name, names),
        ):
            if not value:
                yield _edit(f"{field} is missing", f"{at}[{i}].{field}")
            elif value in seen:
                yield _edit(f"{field} {value!r} comes twice", f"{at}[{i}].{field}")
            seen.add(value)


def _edit(message: str, path: str, hint: str = "") -> Problem:
    return Problem("edits", message, path, hint)
