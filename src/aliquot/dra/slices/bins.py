"""Which devices and counter sets share a slice.

What draws on one counter set stays together, a slice or more for each; devices that draw on none share slices. Whatever
was in a slice before stays in it as long as it fits, so that one device's change is one slice's change.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from aliquot.dra.device import CounterSet, Device, Slice
from aliquot.dra.slices.limits import SliceLimits
from aliquot.dra.slices.pool import Pool, Unfit

COUNTERS: Final = "*"
"""The key of counter sets that stand apart; no set can be called so."""
PLAIN: Final = ""
"""The key of devices that draw on no counter."""


@dataclass(slots=True)
class Bin:
    """A slice to be."""

    key: str
    home: Slice | None = None
    """The slice that it was; None: it's new."""
    devices: list[Device] = field(default_factory=list[Device])
    sets: list[CounterSet] = field(default_factory=list[CounterSet])

    @property
    def empty(self) -> bool:
        """Whether nothing is in it."""
        return not self.devices and not self.sets


@dataclass(slots=True)
class _Group:
    """What has one key."""

    devices: list[Device] = field(default_factory=list[Device])
    sets: list[CounterSet] = field(default_factory=list[CounterSet])


def fill(pool: Pool, limits: SliceLimits, before: Sequence[Slice]) -> list[Bin] | Unfit:
    """The pool in bins: those that were there first, in their order, then new ones."""
    groups = _apart(pool) if limits.counters_apart else _together(pool)
    if not limits.counters_apart:
        unfit = Unfit.of([reason for key, group in groups.items() for reason in _too_large(key, group, limits)])
        if unfit is not None:
            return unfit
    bins = [Bin(key, home) for home in before if (key := _key(home, limits)) is not None]
    for key, group in groups.items():
        _place(key, group, limits, bins)
    return bins


def _apart(pool: Pool) -> dict[str, _Group]:
    groups: dict[str, _Group] = {}
    if pool.counter_sets:
        groups[COUNTERS] = _Group(sets=list(pool.counter_sets))
    for device in pool.devices:
        groups.setdefault(_drawn_on(device), _Group()).devices.append(device)
    return groups


def _drawn_on(device: Device) -> str:
    return device.consumes[0].counter_set if device.consumes else PLAIN


def _together(pool: Pool) -> dict[str, _Group]:
    """Sets that any device draws on at once are one group, with all their devices; its key is its first set."""
    joined = {one.name: one.name for one in pool.counter_sets}
    for device in pool.devices:
        keys = {joined[use.counter_set] for use in device.consumes}
        joined = {name: min(keys) if key in keys else key for name, key in joined.items()}
    groups: dict[str, _Group] = {}
    for device in pool.devices:
        key = joined[device.consumes[0].counter_set] if device.consumes else PLAIN
        groups.setdefault(key, _Group()).devices.append(device)
    for one in pool.counter_sets:
        groups.setdefault(joined[one.name], _Group()).sets.append(one)
    return groups


def _too_large(key: str, group: _Group, limits: SliceLimits) -> Iterable[str]:
    """What can't stand in one slice although it must."""
    if key == PLAIN:
        return
    counts = (
        ("devices", len(group.devices), limits.devices),
        ("counters", sum(len(one.counters) for one in group.sets), limits.counters_in_slice),
        ("uses of counters", sum(len(u.counters) for d in group.devices for u in d.consumes), limits.counter_uses),
    )
    for what, found, most in counts:
        if most is not None and found > most:
            yield f"counter set {key} and what draws on it need one slice, but that's {found} {what} of at most {most}"


def _key(home: Slice, limits: SliceLimits) -> str | None:
    """What a slice was made for; None: it was made by other rules, and goes."""
    names = {one.name for one in home.shared_counters}
    drawn = {_drawn_on(device) for device in home.devices}
    if limits.counters_apart:
        if names:
            return None if drawn else COUNTERS
        return next(iter(drawn), PLAIN) if len(drawn) <= 1 else None
    if not names:
        return PLAIN if drawn <= {PLAIN} else None
    return min(names) if drawn <= names else None


def _place(key: str, group: _Group, limits: SliceLimits, bins: list[Bin]) -> None:
    """Each where it was; the others where there's room, in an empty one or in a new one."""
    mine = [one for one in bins if one.key == key]
    if key not in {COUNTERS, PLAIN} and not limits.counters_apart:
        target = mine[0] if mine else _another(key, bins)
        target.devices, target.sets = group.devices, group.sets
        return
    where = _homes(mine)
    for counters in group.sets:
        _choose(key, where.get(counters.name), bins, limits).sets.append(counters)
    order = {device.name: number for number, device in enumerate(group.devices)}
    stay = [device for device in group.devices if device.name in where]
    for device in (*stay, *(device for device in group.devices if device.name not in where)):
        _choose(key, where.get(device.name), bins, limits).devices.append(device)
    for one in bins:
        if one.key == key:
            one.devices.sort(key=lambda device: order[device.name])


def _homes(bins: Iterable[Bin]) -> Mapping[str, Bin]:
    """Where each device or counter set was."""
    where: dict[str, Bin] = {}
    for one in bins:
        if one.home is not None:
            where |= {device.name: one for device in one.home.devices}
            where |= {counters.name: one for counters in one.home.shared_counters}
    return where


def _choose(key: str, home: Bin | None, bins: list[Bin], limits: SliceLimits) -> Bin:
    if home is not None and _room(home, limits):
        return home
    with_room = next((one for one in bins if one.key == key and _room(one, limits)), None)
    return with_room or _another(key, bins)


def _room(one: Bin, limits: SliceLimits) -> bool:
    return len(one.devices) < limits.devices and (limits.sets is None or len(one.sets) < limits.sets)


def _another(key: str, bins: list[Bin]) -> Bin:
    """A slice that stood empty before, else a new one."""
    for one in bins:
        if one.empty and one.home is not None and not one.home.devices and not one.home.shared_counters:
            one.key = key
            return one
    bins.append(Bin(key))
    return bins[-1]
