"""What differs between two specs, by what it means: devices by name, nodes and mounts by their path in the container.

The order of entries counts for hooks only: they run in it.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from aliquot.cdi.documents.write import edits_data
from aliquot.cdi.plain_data import is_object
from aliquot.cdi.spec import NO_EDITS, ContainerEdits, Spec


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """One difference. `where` is "" for the spec, else a device; `what` names the entry; absent sides are None."""

    kind: Literal["added", "removed", "changed"]
    where: str
    what: str
    old: Any = None
    new: Any = None

    def __str__(self) -> str:
        """`+ device 0: deviceNodes /dev/x: {"path": "/dev/x"}`; of a changed object only the members that differ."""
        owner = f"{self.where}: " if self.where else ""
        if self.kind == "added":
            sign, said = "+", _text(self.new)
        elif self.kind == "removed":
            sign, said = "-", _text(self.old)
        elif is_object(self.old) and is_object(self.new):
            sign, said = "~", ", ".join(_member_changes(self.old, self.new))
        else:
            sign, said = "~", f"{_text(self.old)} -> {_text(self.new)}"
        return f"{sign} {owner}{self.what}: {said}"


def _member_changes(old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[str]:
    for member in dict.fromkeys((*old, *new)):
        before, after = old.get(member), new.get(member)  # no member of a spec is null
        if before != after:
            yield f"{member} {_text(before)} -> {_text(after)}"


def _text(value: Any) -> str:
    """Text as it is, everything else as JSON."""
    if value is None:
        return "absent"
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def diff(old: Spec, new: Spec) -> tuple[Difference, ...]:
    """Every difference from the old spec to the new one."""
    return tuple(_diff(old, new))


def _diff(old: Spec, new: Spec) -> Iterator[Difference]:
    yield from _members(
        "", {"cdiVersion": old.version, "kind": old.kind}, {"cdiVersion": new.version, "kind": new.kind}
    )
    yield from _members("", old.annotations, new.annotations, "annotation ")
    yield from _members("", _entries(old.edits), _entries(new.edits))
    olds = {device.name: device for device in old.devices}
    news = {device.name: device for device in new.devices}
    for name in [*olds, *(name for name in news if name not in olds)]:
        where = f"device {name}"
        before, after = olds.get(name), news.get(name)
        if before is None or after is None:
            device = before or after
            edits = edits_data(device.edits if device else NO_EDITS)
            gone = after is None
            yield Difference(
                kind="removed" if gone else "added",
                where="",
                what=where,
                old=edits if gone else None,
                new=None if gone else edits,
            )
            continue
        yield from _members(where, before.annotations, after.annotations, "annotation ")
        yield from _members(where, _entries(before.edits), _entries(after.edits))


def _members(where: str, old: Mapping[str, Any], new: Mapping[str, Any], prefix: str = "") -> Iterator[Difference]:
    for key in [*old, *(key for key in new if key not in old)]:
        if key not in new:
            yield Difference(kind="removed", where=where, what=prefix + key, old=old[key])
        elif key not in old:
            yield Difference(kind="added", where=where, what=prefix + key, new=new[key])
        elif old[key] != new[key]:
            yield Difference(kind="changed", where=where, what=prefix + key, old=old[key], new=new[key])


_KEYS = {"deviceNodes": "path", "mounts": "containerPath", "netDevices": "hostInterfaceName"}


def _entries(edits: ContainerEdits) -> dict[str, Any]:
    """The entries of a block by a name for each: `env PATH`, `deviceNodes /dev/x`, `hooks prestart 1`."""
    entries: dict[str, Any] = {}
    stages: dict[str, int] = {}
    for field, value in edits_data(edits).items():
        if field == "env":
            entries |= {f"env {entry.partition('=')[0]}": entry.partition("=")[2] for entry in value}
        elif field in _KEYS:
            entries |= {f"{field} {entry[_KEYS[field]]}": entry for entry in value}
        elif field == "hooks":
            for hook in value:
                stages[hook["hookName"]] = stages.get(hook["hookName"], 0) + 1
                entries[f"hooks {hook['hookName']} {stages[hook['hookName']]}"] = hook
        elif field == "additionalGids":
            entries |= {f"additionalGids {gid}": gid for gid in value}
        else:
            entries[field] = value
    return entries
