"""The devices of each node, counted and published."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from aliquot.advisor.inventory.chips import Drawn, chip_of
from aliquot.advisor.inventory.counted import counted
from aliquot.advisor.inventory.published import Pool, found_in, pools
from aliquot.advisor.inventory.value import Chip, Device, Inventory
from aliquot.snapshot.snapshot import Snapshot


@dataclass(slots=True)
class _Found:
    devices: list[Device] = field(default_factory=list[Device])
    chips: list[Chip] = field(default_factory=list[Chip])
    incomplete: list[str] = field(default_factory=list[str])


def of_node(snapshot: Snapshot, name: str) -> Inventory:
    """What one node has; devices that several nodes reach aren't its own."""
    there = _published(snapshot).get((name, ""), _Found())
    node = snapshot.nodes.get(name)
    resources = counted(snapshot, node) if node is not None else ()
    return Inventory(name, resources, tuple(there.devices), tuple(there.chips), tuple(there.incomplete))


def elsewhere(snapshot: Snapshot) -> tuple[Inventory, ...]:
    """Pools with devices that no single node has, each under `driver/pool`."""
    return tuple(
        Inventory(pool, (), tuple(one.devices), tuple(one.chips), tuple(one.incomplete))
        for (_, pool), one in _published(snapshot).items()
        if pool
    )


def of_pool(snapshot: Snapshot, pool: Pool) -> Inventory:
    """All of one pool, whichever nodes its devices belong to."""
    found: dict[_Place, _Found] = {}
    _add(snapshot, pool, found, ("", pool.label))
    there = found.get(("", pool.label), _Found())
    return Inventory(pool.label, (), tuple(there.devices), tuple(there.chips), tuple(there.incomplete))


_Place = tuple[str, str]
"""(node, "") or ("", driver/pool)."""


def _published(snapshot: Snapshot) -> Mapping[_Place, _Found]:
    return snapshot.recall("inventory: published", _all_published)


def _all_published(snapshot: Snapshot) -> Mapping[_Place, _Found]:
    found: dict[_Place, _Found] = {}
    for pool in pools(snapshot):
        _add(snapshot, pool, found)
    return found


def _add(snapshot: Snapshot, pool: Pool, found: dict[_Place, _Found], at: _Place | None = None) -> None:
    """All of a pool, each device at its node, or all `at` one place."""
    cut: dict[tuple[_Place, str], list[Drawn]] = {}
    places = {at or (part.node_name, "") for part in pool.slices if part.node_name}
    devices, used = found_in(snapshot, pool)
    for one in devices:
        node = pool.node_of(one.part, one.published)
        where = at or ((node, "") if node is not None else ("", pool.label))
        places.add(where)
        there = found.setdefault(where, _Found())
        sets = [use.counter_set for use in one.published.consumes if use.counter_set in pool.counters]
        if not sets:
            there.devices.append(one.device)
        for name in sets:
            cut.setdefault((where, name), []).append((one.published, one.device))
    for (where, name), drawn in cut.items():
        found[where].chips.append(chip_of(pool.counters[name], drawn, used))
    if pool.missing:
        for where in places or {at or ("", pool.label)}:
            found.setdefault(where, _Found()).incomplete.append(pool.missing)
