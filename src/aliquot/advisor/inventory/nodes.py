"""The devices of each node, counted and published."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from aliquot.advisor.inventory.chips import Drawn, chip_of
from aliquot.advisor.inventory.counted import counted
from aliquot.advisor.inventory.published import Pool, device_of, pools
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


_Where = Mapping[tuple[str, str], _Found]
"""(node, "") or ("", driver/pool) -> what is there."""


def _published(snapshot: Snapshot) -> _Where:
    return snapshot.recall("inventory: published", _all_published)


def _all_published(snapshot: Snapshot) -> _Where:
    found: dict[tuple[str, str], _Found] = {}
    for pool in pools(snapshot):
        _add(snapshot, pool, found)
    return found


def _add(snapshot: Snapshot, pool: Pool, found: dict[tuple[str, str], _Found]) -> None:
    counters = {one.name: one for part in pool.slices for one in part.shared_counters}
    cut: dict[tuple[tuple[str, str], str], list[Drawn]] = {}
    nodes: set[tuple[str, str]] = set()
    for part in pool.slices:
        if part.node_name:
            nodes.add((part.node_name, ""))
        for published in part.devices:
            node = pool.node_of(part, published)
            where = (node, "") if node is not None else ("", f"{pool.driver}/{pool.name}")
            nodes.add(where)
            there = found.setdefault(where, _Found())
            device = device_of(snapshot, pool, published)
            sets = [one.counter_set for one in published.consumes if one.counter_set in counters]
            if not sets:
                there.devices.append(device)
            for name in sets:
                cut.setdefault((where, name), []).append((published, device))
    for (where, name), drawn in cut.items():
        found[where].chips.append(chip_of(counters[name], drawn))
    if pool.missing:
        for where in nodes or {("", f"{pool.driver}/{pool.name}")}:
            found.setdefault(where, _Found()).incomplete.append(pool.missing)
