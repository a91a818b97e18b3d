"""Who owns which field of an object: metadata.managedFields, and what writes make of it."""

from collections import defaultdict
from collections.abc import Mapping
from typing import Any, Final, Literal, NamedTuple

import msgspec

from aliquot.cluster.memory.field_paths import (
    NOBODYS,
    FieldSet,
    Path,
    Shapes,
    difference,
    fields_of,
    from_v1,
    to_v1,
)
from aliquot.cluster.memory.merging import merged, pruned, trimmed
from aliquot.cluster.objects.status import Cause, StatusError

Json = dict[str, Any]
Operation = Literal["Apply", "Update"]
OWNS_NOTHING: Final[FieldSet] = frozenset()
EMPTY_PARTS: Final[FieldSet] = frozenset({("f:metadata",), ("f:spec",), ("f:status",), ("f:spec", "f:devices")})
"""Every object has these (the last one: every claim), so that none is given to it by an update."""


class Manager(NamedTuple):
    """Who wrote, and how: the same name applying and updating counts as two."""

    operation: Operation
    name: str
    subresource: str
    api_version: str


class Owned(NamedTuple):
    """What a manager owns."""

    fields: FieldSet
    time: str
    """Of its last write that changed something."""


Owners = Mapping[Manager, Owned]


def owners_of(thing: Json) -> dict[Manager, Owned]:
    """As the object says."""
    return {
        Manager(entry["operation"], entry["manager"], entry.get("subresource", ""), entry["apiVersion"]): Owned(
            frozenset(from_v1(entry.get("fieldsV1", {}))), entry.get("time", "")
        )
        for entry in thing["metadata"].get("managedFields", ())
    }


def managed_fields(owners: Owners) -> list[Json]:
    """The other way round, who applies first."""
    found: list[Json] = []
    for manager, owned in sorted(owners.items(), key=lambda pair: (pair[0].operation, pair[1].time, pair[0].name)):
        entry = {
            "manager": manager.name,
            "operation": manager.operation,
            "apiVersion": manager.api_version,
            "time": owned.time,
            "fieldsType": "FieldsV1",
            "fieldsV1": to_v1(owned.fields),
        }
        found.append(entry | ({"subresource": manager.subresource} if manager.subresource else {}))
    return found


def after_creation(new: Json, by: Manager, shapes: Shapes, now: str) -> Owners:
    """Who creates an object owns what it wants of it."""
    if by.operation == "Update":
        return after_update(None, new, by, shapes, now)
    mine = fields_of(new, shapes) - NOBODYS
    return {by: Owned(mine, now)} if mine else {}


def after_update(old: Json | None, new: Json, by: Manager, shapes: Shapes, now: str) -> Owners:
    """Who changes a field takes it from everybody else; `old` is None where the object is new."""
    owners = owners_of(old) if old is not None else {}
    changed, removed = difference(_bare(old) if old is not None else {}, _bare(new), shapes)
    changed -= NOBODYS | EMPTY_PARTS
    if not changed and not removed:
        return owners
    left = _taken(owners, by, changed | removed)
    mine = owners[by].fields if by in owners else OWNS_NOTHING
    fields = (mine | changed) - removed
    if fields:
        left[by] = Owned(fields, now)
    return left


def applied(live: Json, wanted: Json, by: Manager, shapes: Shapes, now: str, *, force: bool) -> tuple[Json, Owners]:
    """The object after `wanted` is applied, and its owners.

    Raises:
        StatusError: 409: others own fields that would change, and `force` isn't given.
    """
    owners = owners_of(live)
    wanted = trimmed(wanted)
    before = owners[by].fields if by in owners else OWNS_NOTHING
    mine = fields_of(wanted, shapes) - NOBODYS
    others = frozenset(path for manager, owned in owners.items() if manager != by for path in owned.fields)
    new = merged(_bare(live), wanted, shapes)
    new = pruned(new, before - mine, others | mine, shapes)
    changed, removed = difference(_bare(live), new, shapes)
    if not force:
        _refuse_conflicts(owners, by, changed)
    left = _taken(owners, by, changed | removed)
    if mine:
        unchanged = not changed and not removed and mine == before
        left[by] = Owned(mine, owners[by].time if unchanged else now)
    return new, left


def _bare(thing: Json) -> Json:
    metadata = {name: value for name, value in thing.get("metadata", {}).items() if name != "managedFields"}
    return {**thing, "metadata": metadata}


def _taken(owners: Owners, by: Manager, fields: FieldSet) -> dict[Manager, Owned]:
    """The others, without these fields."""
    left = {manager: Owned(owned.fields - fields, owned.time) for manager, owned in owners.items() if manager != by}
    return {manager: owned for manager, owned in left.items() if owned.fields}


def _refuse_conflicts(owners: Owners, by: Manager, changed: FieldSet) -> None:
    found: dict[str, list[Path]] = defaultdict(list)
    for manager, owned in owners.items():
        if manager != by and (common := owned.fields & changed):
            found[manager.name].extend(sorted(common))
    if not found:
        return
    causes = tuple(
        Cause("FieldManagerConflict", f'conflict with "{name}"', readable(path))
        for name, paths in sorted(found.items())
        for path in paths
    )
    told = "; ".join(f'"{name}" owns {", ".join(map(readable, paths))}' for name, paths in sorted(found.items()))
    count = "1 conflict" if len(causes) == 1 else f"{len(causes)} conflicts"
    raise StatusError(409, f"Apply failed with {count}: {told}", causes=causes)


def readable(path: Path) -> str:
    """`.status.conditions[type="Ready"].status`, as an API server writes it."""
    text = ""
    for element in path:
        kind, _, value = element.partition(":")
        if kind == "f":
            text += f".{value}"
        elif kind == "v":
            text += f"[={value}]"
        else:
            keys = msgspec.json.decode(value)
            text += "[" + ",".join(f"{name}={msgspec.json.encode(each).decode()}" for name, each in keys.items()) + "]"
    return text
