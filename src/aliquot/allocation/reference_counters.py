"""The reference's counters: what is left of each pool's counter sets, and what the call at hand has charged."""

from collections.abc import Hashable, Iterator
from dataclasses import dataclass, field

from aliquot.allocation.behaviour import Behaviour
from aliquot.allocation.inputs import AllocatedState
from aliquot.allocation.pools import Pool
from aliquot.dra.device import Device, DeviceId

Table = dict[tuple[str, str], int]
"""(counter set, counter) -> amount, in nano-units."""


@dataclass(slots=True)
class Available:
    """What allocated devices have left. Worked out once per pool, then kept for all nodes, as upstream does."""

    state: AllocatedState
    behaviour: Behaviour
    _tables: dict[Hashable, Table] = field(default_factory=dict[Hashable, Table])

    def key(self, pool: Pool) -> Hashable:
        """Returns what upstream keys its tables by."""
        return pool.name if self.behaviour.counters_by_pool_name else pool.key

    def of(self, pool: Pool) -> Table:
        """Returns a pool's table. Amounts may be negative."""
        key = self.key(pool)
        known = self._tables.get(key)
        if known is None:
            known = self._tables[key] = self._count(pool)
        return known

    def _count(self, pool: Pool) -> Table:
        table = {
            (counter_set.name, name): amount.nanos
            for counter_set in pool.counter_sets.values()
            for name, amount in counter_set.counters.items()
        }
        for one in (*pool.here, *pool.elsewhere):
            for device in one.devices:
                if self.state.holds(DeviceId(one.driver, one.pool, device.name)):
                    for counter, amount in uses(device):
                        if counter in table:
                            table[counter] -= amount
        return table


@dataclass(slots=True)
class Charged:
    """What one call has charged so far."""

    available: Available
    _tables: dict[Hashable, Table] = field(default_factory=dict[Hashable, Table])

    def charge(self, pool: Pool, device: Device) -> bool:
        """Charges a device's counters; if that is too much, charges nothing and says no."""
        left = self.available.of(pool)
        table = self._tables.setdefault(self.available.key(pool), {})
        for counter, amount in uses(device):
            table[counter] = table.get(counter, 0) + amount
        if self.available.behaviour.overdrawn_blocks_pool:
            short = any(amount < table.get(counter, 0) for counter, amount in left.items())
        else:
            short = any(left[counter] < table[counter] for counter, _ in uses(device))
        if short:
            self.give_back(pool, device)
        return not short

    def give_back(self, pool: Pool, device: Device) -> None:
        """Takes a device's counters off the bill."""
        table = self._tables.setdefault(self.available.key(pool), {})
        for counter, amount in uses(device):
            table[counter] = table.get(counter, 0) - amount

    def fingerprint(self) -> Hashable:
        """Returns all that decides what may be charged from now on."""
        return frozenset(
            (key, counter, amount) for key, table in self._tables.items() for counter, amount in table.items() if amount
        )


def uses(device: Device) -> Iterator[tuple[tuple[str, str], int]]:
    """Yields ((counter set, counter), amount in nano-units) for all that a device consumes."""
    for use in device.consumes:
        for name, amount in use.counters.items():
            yield (use.counter_set, name), amount.nanos
