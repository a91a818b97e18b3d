"""The reference's constraints: which attribute values devices must share, or must not share."""

from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import Protocol

from aliquot.allocation.allocator_features import Features, Implementation
from aliquot.allocation.behaviour import Behaviour
from aliquot.allocation.rules.constraints import SCALARS, ValueSet, attribute_of, covers, value_set
from aliquot.dra.claim import Constraint
from aliquot.dra.device import Attribute, Device


class ConstraintState(Protocol):
    """A constraint while a claim is searched. After a successful `add` comes at most one `remove`, last first."""

    names: frozenset[str]
    """The requests (and `request/alternative`) that it covers; empty: all."""

    def add(self, request: str, alternative: str, device: Device, driver: str) -> bool:
        """Takes a device into the set if it may be there. `alternative` is "" for a request without."""
        ...

    def remove(self, request: str, alternative: str) -> None:
        """Takes the last device out again."""
        ...

    def fingerprint(self) -> Hashable:
        """Returns all that decides what will be accepted from now on."""
        ...


def constraint_state(
    constraint: Constraint, features: Features, behaviour: Behaviour, implementation: Implementation
) -> ConstraintState | None:
    """Returns a constraint's state before any device; None: the implementation doesn't know this kind of constraint."""
    names = frozenset(constraint.requests)
    if constraint.match_attribute is not None:
        if not features.list_attributes:
            return MatchScalars(names, constraint.match_attribute)
        return MatchSets(names, constraint.match_attribute, widens=not behaviour.match_never_widens)
    if constraint.distinct_attribute is not None and implementation != "stable":
        lists = features.list_attributes
        if behaviour.distinct_by_request:
            return DistinctByRequest(names, constraint.distinct_attribute, lists)
        return Distinct(names, constraint.distinct_attribute, lists)
    return None


@dataclass(slots=True)
class MatchScalars:
    """matchAttribute: kind and value must equal the first device's. Lists match nothing."""

    names: frozenset[str]
    attribute: str
    _first: Attribute | None = None
    _devices: int = 0

    def add(self, request: str, alternative: str, device: Device, driver: str) -> bool:
        """Compares with the first device."""
        if not covers(self.names, request, alternative):
            return True
        found = attribute_of(device, driver, self.attribute)
        if found is None:
            return False
        if self._devices == 0:
            self._first = found
        elif found.kind not in SCALARS or found != self._first:
            return False
        self._devices += 1
        return True

    def remove(self, request: str, alternative: str) -> None:
        """Forgets one device."""
        if covers(self.names, request, alternative):
            self._devices -= 1

    def fingerprint(self) -> Hashable:
        """The value to match."""
        return self._first if self._devices else None


@dataclass(slots=True)
class MatchSets:
    """matchAttribute with lists: the sets of all devices must have a value in common."""

    names: frozenset[str]
    attribute: str
    widens: bool
    """Going back restores the common values; upstream's 1.36 keeps the narrowed ones."""
    _common: list[ValueSet] = field(default_factory=list[ValueSet])

    def add(self, request: str, alternative: str, device: Device, driver: str) -> bool:
        """Narrows the common values."""
        if not covers(self.names, request, alternative):
            return True
        found = attribute_of(device, driver, self.attribute)
        values = value_set(found) if found is not None else None
        if values is None:
            return False
        if self._common:
            kind, common = self._common[-1]
            shared = common & values[1]
            if kind != values[0] or not shared:
                return False
            values = (kind, shared)
            if not self.widens:
                self._common = [values] * len(self._common)
        self._common.append(values)
        return True

    def remove(self, request: str, alternative: str) -> None:
        """Forgets one device."""
        if covers(self.names, request, alternative):
            self._common.pop()

    def fingerprint(self) -> Hashable:
        """The common values after each device."""
        return tuple(self._common)


@dataclass(slots=True)
class Distinct:
    """distinctAttribute: no two devices share a value."""

    names: frozenset[str]
    attribute: str
    lists: bool
    _seen: list[Attribute] = field(default_factory=list[Attribute])

    def add(self, request: str, alternative: str, device: Device, driver: str) -> bool:
        """Compares with all devices so far."""
        if not covers(self.names, request, alternative):
            return True
        found = attribute_of(device, driver, self.attribute)
        if found is None or not differs(found, self._seen, lists=self.lists):
            return False
        self._seen.append(found)
        return True

    def remove(self, request: str, alternative: str) -> None:
        """Forgets the last device."""
        if covers(self.names, request, alternative):
            self._seen.pop()

    def fingerprint(self) -> Hashable:
        """The values seen."""
        return frozenset(self._seen)


@dataclass(slots=True)
class DistinctByRequest:
    """distinctAttribute as 1.36 has it: one remembered value per request, the latest (defect 5)."""

    names: frozenset[str]
    attribute: str
    lists: bool
    _seen: dict[str, Attribute] = field(default_factory=dict[str, Attribute])
    _devices: int = 0

    def add(self, request: str, alternative: str, device: Device, driver: str) -> bool:
        """Compares with the value of each request."""
        if not covers(self.names, request, alternative):
            return True
        found = attribute_of(device, driver, self.attribute)
        if found is None:
            return False
        if self._devices and not differs(found, list(self._seen.values()), lists=self.lists):
            return False
        self._seen[request] = found
        self._devices += 1
        return True

    def remove(self, request: str, alternative: str) -> None:
        """Forgets the request's value, whichever device it came from."""
        if covers(self.names, request, alternative):
            self._seen.pop(request, None)
            self._devices -= 1

    def fingerprint(self) -> Hashable:
        """The remembered values, and whether the next device counts as the first."""
        return frozenset(self._seen.items()), self._devices


def differs(found: Attribute, seen: list[Attribute], *, lists: bool) -> bool:
    """Says whether an attribute shares no value with those seen. A kind that can't be compared never differs."""
    if lists:
        values = value_set(found)
        if values is None:
            return False
        others = [other for other in map(value_set, seen) if other is not None]
        return not any(values[0] == kind and values[1] & other for kind, other in others)
    return not seen or (found.kind in SCALARS and found not in seen)
