"""From plain data to a spec: which fields there are, of which types. What they may say is `check`'s question.

Two ways, by `exact`. Without it, as the Go library reads: field names in any case, a number or a boolean where text is
due becomes text, 1.0 is a whole number. With it, as the specification is written.
"""

import difflib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypeAlias, TypeVar

from aliquot.cdi.documents.load import Where, path_text
from aliquot.cdi.documents.yaml_scalar import MAX_UINT, MIN_INT, float_text, whole
from aliquot.cdi.plain_data import is_list, is_object
from aliquot.cdi.problems import Problem
from aliquot.cdi.spec import ContainerEdits, Device, DeviceNode, Hook, IntelRdt, Mount, NetDevice, Spec

T = TypeVar("T")
Reader: TypeAlias = "Callable[[Shape, Any, Where], Any]"
Fields: TypeAlias = Mapping[str, tuple[str, Reader]]
"""Field name in the document -> attribute, and how its value is read."""

_KINDS: tuple[tuple[type, str], ...] = (
    (dict, "an object"),
    (list, "a list"),
    (str, "text"),
    (bool, "a boolean"),
    (int, "a number"),
    (float, "a number"),
)


@dataclass(slots=True)
class Shape:
    """Reads values and gathers what doesn't fit. `older_fields` also takes fields that a later version dropped."""

    exact: bool = False
    older_fields: bool = False
    problems: list[Problem] = field(default_factory=list[Problem])

    def wrong(self, where: Where, message: str, hint: str = "") -> None:
        """Note a problem."""
        self.problems.append(Problem("syntax", message, path_text(where), hint))

    def mismatch(self, value: Any, where: Where, due: str, hint: str = "") -> None:
        """Note a value of the wrong type."""
        kind = next((name for type_, name in _KINDS if isinstance(value, type_)), "null")
        self.wrong(where, f"{kind} stands where {due} is due", hint)

    def members(self, data: Any, where: Where, fields: Fields) -> dict[str, Any]:
        """The attributes that an object gives; unknown fields are problems, null leaves a field out."""
        if not is_object(data):
            hint = "SPEC.md prints a list there by mistake" if isinstance(data, list) and where else ""
            self.mismatch(data, where, "an object", hint)
            return {}
        attributes: dict[str, Any] = {}
        keys: dict[str, str] = {}
        for key, value in data.items():
            known = fields.get(key) or self.other_field(key, where, fields)
            if known is not None and value is not None:
                attribute, reader = known
                read = reader(self, value, (where, key))
                if key >= keys.setdefault(attribute, key):  # `KIND` beside `kind`: Go reads keys sorted, the last wins
                    attributes[attribute], keys[attribute] = read, key
        return attributes

    def other_field(self, key: str, where: Where, fields: Fields) -> tuple[str, Reader] | None:
        """The field that a name means which isn't one as it stands."""
        if key in _OLDER and fields is _RDT:
            if self.older_fields:
                return _OLDER[key]
            self.wrong((where, key), f"unknown field {key!r}", "1.1.0 dropped it: remove it, or use enableMonitoring")
            return None
        folded = _fold(key)
        meant = next((name for name in fields if _fold(name) == folded), None)
        if meant is not None and not self.exact:
            return fields[meant]
        near = [meant] if meant else difflib.get_close_matches(key[:40], list(fields), n=1)
        hint = f"did you mean {near[0]!r}?" if near else f"known here: {', '.join(fields)}"
        self.wrong((where, key), f"unknown field {key!r}", hint)
        return None


def read_shape(data: Any, shape: Shape) -> Spec:
    """The spec that the data shows. Where something doesn't fit, a problem is noted and the field keeps its default."""
    required: dict[str, Any] = {"version": "", "kind": ""}
    return Spec(**(required | shape.members(data, None, _SPEC)))


def read_device(data: Any, shape: Shape, where: Where = None) -> Device:
    """One device; null is a device without a name, as in Go."""
    required: dict[str, Any] = {"name": ""}
    return Device(**(required | ({} if data is None else shape.members(data, where, _DEVICE))))


def read_edits(data: Any, shape: Shape, where: Where = None) -> ContainerEdits:
    """One block of edits."""
    return ContainerEdits(**shape.members(data, where, _EDITS))


def _fold(name: str) -> str:
    """Case folding letter by letter, as Go's JSON has it."""
    return "".join(letter if len(letter) == 1 else raw for raw in name for letter in (raw.casefold(),))


def _text(shape: Shape, value: Any, where: Where) -> str:
    if isinstance(value, str):
        return value
    if not shape.exact:
        if isinstance(value, bool):
            return "true" if value else "false"
        if isinstance(value, int) and MIN_INT <= value <= MAX_UINT:
            return str(value)
        if isinstance(value, int | float):
            return float_text(float(value))
    quote = isinstance(value, bool | int | float)
    shape.mismatch(value, where, "text", "put it in quotes" if quote else "")
    return ""


def _flag(shape: Shape, value: Any, where: Where) -> bool:
    if not isinstance(value, bool):
        shape.mismatch(value, where, "true or false")
    return value is True


def _number(shape: Shape, value: Any, where: Where, *, low: int, high: int) -> int:
    number: Any = value
    if isinstance(value, float) and not shape.exact:
        number = None if low == 0 and str(value) == "-0.0" else whole(value)  # Go writes it as -0
        if number is None:
            shape.wrong(where, f"{value} isn't a whole number")
            return 0
    if not isinstance(number, int) or isinstance(number, bool):
        hint = f"write {int(str(value), 8)}, which is octal {value}" if _is_octal(value) else ""
        shape.mismatch(value, where, "a whole number", hint)
        return 0
    if not low <= number <= high:
        shape.wrong(where, f"{number} isn't between {low} and {high}")
        return 0
    return number


def _is_octal(value: Any) -> bool:
    return isinstance(value, str) and 3 <= len(value) <= 6 and all(digit in "01234567" for digit in value)


_int64: Reader = partial(_number, low=-(2**63), high=2**63 - 1)
_uint32: Reader = partial(_number, low=0, high=2**32 - 1)


def _items(shape: Shape, value: Any, where: Where) -> list[Any]:
    if is_list(value):
        return value
    shape.mismatch(value, where, "a list")
    return []


def _texts(shape: Shape, value: Any, where: Where) -> tuple[str, ...]:
    items = enumerate(_items(shape, value, where))
    return tuple("" if item is None else _text(shape, item, (where, i)) for i, item in items)


def _numbers(shape: Shape, value: Any, where: Where) -> tuple[int, ...]:
    items = enumerate(_items(shape, value, where))
    return tuple(0 if item is None else _uint32(shape, item, (where, i)) for i, item in items)


def _annotations(shape: Shape, value: Any, where: Where) -> dict[str, str]:
    if not is_object(value):
        shape.mismatch(value, where, "an object")
        return {}
    members = value.items()
    return {key: "" if text is None else _text(shape, text, (where, key)) for key, text in members}


def _objects(fields: Fields, make: Callable[..., T], **defaults: str) -> Callable[[Shape, Any, Where], tuple[T, ...]]:
    """A reader of a list of objects; `defaults` are the fields that the specification requires, "" where absent."""

    def read(shape: Shape, value: Any, where: Where) -> tuple[T, ...]:
        found: list[T] = []
        for i, item in enumerate(_items(shape, value, where)):
            place = (where, i)
            if item is None:  # the Go library crashes here
                shape.wrong(place, "the entry is null", "remove it")
            else:
                found.append(make(**(defaults | shape.members(item, place, fields))))
        return tuple(found)

    return read


def _rdt(shape: Shape, value: Any, where: Where) -> IntelRdt:
    return IntelRdt(**shape.members(value, where, _RDT))


def _edits(shape: Shape, value: Any, where: Where) -> ContainerEdits:
    return read_edits(value, shape, where)


def _devices(shape: Shape, value: Any, where: Where) -> tuple[Device, ...]:
    return tuple(read_device(item, shape, (where, i)) for i, item in enumerate(_items(shape, value, where)))


_NODE: Fields = {
    "path": ("path", _text),
    "hostPath": ("host_path", _text),
    "type": ("type", _text),
    "major": ("major", _int64),
    "minor": ("minor", _int64),
    "fileMode": ("file_mode", _uint32),
    "permissions": ("permissions", _text),
    "uid": ("uid", _uint32),
    "gid": ("gid", _uint32),
}
_NET: Fields = {"hostInterfaceName": ("host_interface_name", _text), "name": ("name", _text)}
_MOUNT: Fields = {
    "hostPath": ("host_path", _text),
    "containerPath": ("container_path", _text),
    "options": ("options", _texts),
    "type": ("type", _text),
}
_HOOK: Fields = {
    "hookName": ("hook_name", _text),
    "path": ("path", _text),
    "args": ("args", _texts),
    "env": ("env", _texts),
    "timeout": ("timeout", _int64),
}
_RDT: Fields = {
    "closID": ("clos_id", _text),
    "l3CacheSchema": ("l3_cache_schema", _text),
    "memBwSchema": ("mem_bw_schema", _text),
    "schemata": ("schemata", _texts),
    "enableMonitoring": ("enable_monitoring", _flag),
}
_OLDER: Fields = {"enableCMT": ("enable_cmt", _flag), "enableMBM": ("enable_mbm", _flag)}
_EDITS: Fields = {
    "env": ("env", _texts),
    "deviceNodes": ("device_nodes", _objects(_NODE, DeviceNode, path="")),
    "netDevices": ("net_devices", _objects(_NET, NetDevice, host_interface_name="", name="")),
    "hooks": ("hooks", _objects(_HOOK, Hook, hook_name="", path="")),
    "mounts": ("mounts", _objects(_MOUNT, Mount, host_path="", container_path="")),
    "intelRdt": ("intel_rdt", _rdt),
    "additionalGids": ("additional_gids", _numbers),
}
_DEVICE: Fields = {
    "name": ("name", _text),
    "annotations": ("annotations", _annotations),
    "containerEdits": ("edits", _edits),
}
_SPEC: Fields = {
    "cdiVersion": ("version", _text),
    "kind": ("kind", _text),
    "annotations": ("annotations", _annotations),
    "devices": ("devices", _devices),
    "containerEdits": ("edits", _edits),
}
