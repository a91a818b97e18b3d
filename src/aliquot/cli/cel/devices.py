"""Devices for `aliquot cel`: from a device's own JSON or YAML, or from ResourceSlices."""

import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from aliquot.units.quantity import Quantity, QuantityError

KINDS = ("ints", "bools", "strings", "versions", "int", "bool", "string", "version")
"""The fields that hold an attribute's value, in the order in which Kubernetes looks at them."""

_PYTHON_TYPES: dict[str, type] = {"int": int, "bool": bool, "string": str, "version": str}


@dataclass(frozen=True, slots=True)
class Attribute:
    """An attribute as `aliquot.cel` reads it."""

    kind: str
    value: object


@dataclass(frozen=True, slots=True)
class Device:
    """A device as `aliquot.cel` reads it, and what to call it."""

    name: str
    driver: str
    attributes: Mapping[str, Attribute]
    capacity: Mapping[str, Quantity]
    allow_multiple: bool


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A fault of the input: where, what, and what to write instead."""

    where: str
    message: str
    hint: str

    def __str__(self) -> str:
        """One line."""
        return f"{self.where}: {self.message} ({self.hint})"


def read_devices(path: Path) -> tuple[list[Device], list[Unreadable]]:
    """All devices of a file (`-`: stdin), and everything that's wrong with it."""
    name = str(path)
    try:
        text = sys.stdin.read() if name == "-" else path.read_text()
        documents = list(yaml.load_all(text, Loader=yaml.CSafeLoader))
    except OSError as error:
        return [], [Unreadable(name, error.strerror or str(error), "give a file, or - for stdin")]
    except UnicodeDecodeError:
        return [], [Unreadable(name, "is not UTF-8 text", "give YAML or JSON")]
    except yaml.YAMLError as error:
        return [], [Unreadable(name, str(error).replace("\n", " "), "give YAML or JSON")]
    devices: list[Device] = []
    faults: list[Unreadable] = []
    for document in documents:
        for found in _devices(document, name, ""):
            if isinstance(found, Device):
                devices.append(found)
            else:
                faults.append(found)
    if not devices and not faults:
        faults.append(Unreadable(name, "there is no device in it", "give a device, a ResourceSlice, or a List of them"))
    return devices, faults


def _devices(value: Any, where: str, driver: str) -> Iterator[Device | Unreadable]:
    if not isinstance(value, dict):
        if value is not None:
            yield Unreadable(where, f"expected an object, found {type(value).__name__}", "give a device or a slice")
        return
    if isinstance(value.get("items"), list):
        for index, item in enumerate(value["items"]):
            yield from _devices(item, f"{where}: items[{index}]", driver)
        return
    if value.get("kind") == "ResourceSlice" or "spec" in value:
        spec = value.get("spec")
        devices = spec.get("devices") if isinstance(spec, dict) else None
        if isinstance(devices, list) and isinstance(spec, dict):
            for index, item in enumerate(devices):
                yield from _devices(item, f"{where}: spec.devices[{index}]", str(spec.get("driver", "")))
        return
    if "kind" in value:
        yield Unreadable(where, f"a {value['kind']} is no device", "give a device, a ResourceSlice, or a List of them")
        return
    if isinstance(value.get("basic"), dict):  # v1beta1
        value = {**value["basic"], "name": value.get("name", "")}
    yield from _device(value, where, driver)


def _device(value: dict[str, Any], where: str, driver: str) -> Iterator[Device | Unreadable]:
    attributes: dict[str, Attribute] = {}
    capacity: dict[str, Quantity] = {}
    faulty = False
    for group, read in (("attributes", _attribute), ("capacity", _amount)):
        given = value.get(group) or {}
        if not isinstance(given, dict):
            yield Unreadable(f"{where}: {group}", "expected an object", f"write {group} as name: value")
            faulty = True
            continue
        for name, item in given.items():
            result = read(item, f"{where}: {group}.{name}")
            if isinstance(result, Attribute):
                attributes[str(name)] = result
            elif isinstance(result, Quantity):
                capacity[str(name)] = result
            else:
                faulty = True
                yield result
    if not faulty:
        allow = value.get("allowMultipleAllocations") is True
        yield Device(str(value.get("name", "device")), str(value.get("driver", driver)), attributes, capacity, allow)


def _attribute(item: Any, where: str) -> Attribute | Quantity | Unreadable:
    if isinstance(item, dict):
        for kind in KINDS:
            if item.get(kind) is not None:
                return _typed(kind, item[kind], where)
    hint = "write one of " + ", ".join(f"{kind}:" for kind in KINDS[4:]) + ", or one of these in plural with a list"
    return Unreadable(where, "no known kind of value", hint)


def _typed(kind: str, value: Any, where: str) -> Attribute | Unreadable:
    single = kind.removesuffix("s")
    values = value if kind != single else [value]
    wanted = _PYTHON_TYPES[single]
    if not isinstance(values, list) or any(type(item) is not wanted for item in values):
        return Unreadable(where, f"{value!r} is no {kind}", f"write {kind}: with {wanted.__name__} values")
    return Attribute(kind, tuple(values) if kind != single else value)


def _amount(item: Any, where: str) -> Attribute | Quantity | Unreadable:
    text = item.get("value") if isinstance(item, dict) else item
    try:
        return Quantity.parse(text if isinstance(text, str | int | float) else str(text))
    except QuantityError as error:
        return Unreadable(where, str(error), "write {value: 80Gi}, or 80Gi")
