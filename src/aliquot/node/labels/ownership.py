"""Who writes which label of a Node, by its managedFields."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

Json = dict[str, Any]
NOBODY = "somebody unknown"


@dataclass(frozen=True, slots=True)
class LeftAlone:
    """A label that somebody else writes."""

    label: str
    managers: tuple[str, ...]
    theirs: str
    ours: str
    """What would be true."""

    def __str__(self) -> str:
        who = " and ".join(self.managers)
        if self.theirs == self.ours:
            return f"label {self.label} is left to {who}"
        return f"label {self.label} is left to {who}, whose value is {self.theirs!r}; {self.ours!r} would be true"


@dataclass(frozen=True, slots=True)
class Writing:
    """What is to be written."""

    labels: Mapping[str, str]
    """All that is ours after it."""
    left_alone: tuple[LeftAlone, ...]
    needed: bool
    """Whether anything is other than it's there already."""


def writing(node: Json, wanted: Mapping[str, str], manager: str) -> Writing:
    """What of the wanted labels is ours to write."""
    there: Mapping[str, str] = node["metadata"].get("labels") or {}
    owners = _owners(node)
    left: list[LeftAlone] = []
    for label, value in wanted.items():
        by = owners.get(label, ())
        others = tuple(each for each in by if each != manager)
        if label in there and (others or not by):
            left.append(LeftAlone(label, others or (NOBODY,), there[label], value))
    names = {each.label for each in left}
    ours = {label: value for label, value in wanted.items() if label not in names}
    owned = {label: there.get(label) for label, by in owners.items() if manager in by}
    return Writing(ours, tuple(left), owned != ours)


def _owners(node: Json) -> dict[str, tuple[str, ...]]:
    """The managers of each label."""
    found: dict[str, tuple[str, ...]] = {}
    for entry in _dicts(node["metadata"].get("managedFields")):
        fields: Json = entry.get("fieldsV1") or {}
        metadata: Json = fields.get("f:metadata") or {}
        keys: Json = metadata.get("f:labels") or {}
        manager = str(entry.get("manager", ""))
        for label in (key.removeprefix("f:") for key in keys if key.startswith("f:")):
            if manager not in found.get(label, ()):
                found[label] = (*found.get(label, ()), manager)
    return found


def _dicts(value: Any) -> list[Json]:
    return list(value or ())
