"""The reference's counters: what is left of each pool's counter sets, and what the call at hand has charged."""

from collections.abc import Hashable, Iterator
from dataclasses import dataclass, field

from aliquot.allocation.behaviour import Behaviour
from aliquot.allocation.inputs import AllocatedState
from aliquot.allocation.rules.pools import Pool, PoolKey
from aliquot.dra.device import Device, DeviceId
from aliquot.units.quantity import Quantity

Counter = tuple[str, str]
"""(counter set, counter)."""

CounterKey = tuple[Hashable, Counter]
"""(what upstream keys the pool's table by, the counter)."""

Table = dict[Counter, int]
"""Amounts in nano-units."""


@dataclass(slots=True, eq=False)
class Amount:
    """An amount that is added to, in nano-units.

    Go adds to a big decimal in place, and whoever was given the same number sees the change: in 1.36 the first device
    that is charged lends its own consumption to the bill (defect 10).
    """

    nanos: int
    big: bool


@dataclass(slots=True)
class Available:
    """What allocated devices have left. Worked out once per pool, then kept for all nodes, as upstream does."""

    state: AllocatedState
    behaviour: Behaviour
    _tables: dict[Hashable, Table] = field(default_factory=dict[Hashable, Table])
    _lent: dict[tuple[DeviceId, Counter], tuple[Amount, Quantity]] = field(
        default_factory=dict[tuple[DeviceId, Counter], tuple[Amount, Quantity]]
    )
    """(device, counter) -> its consumption as it has become, and as it was."""

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

    def uses(self, pool: PoolKey, device: Device) -> Iterator[tuple[Counter, Amount]]:
        """Yields what a device consumes of which counter."""
        for use in device.consumes:
            for name, quantity in use.counters.items():
                counter = (use.counter_set, name)
                if quantity.big and self.behaviour.counters_are_lent:
                    key = (DeviceId(*pool, device.name), counter)
                    lent = self._lent.get(key)
                    if lent is None:
                        lent = self._lent[key] = (Amount(quantity.nanos, big=True), quantity)
                    yield counter, lent[0]
                else:
                    yield counter, Amount(quantity.nanos, big=False)

    def fingerprint(self) -> Hashable:
        """Returns which consumptions have changed, and how."""
        return frozenset((key, now.nanos) for key, (now, before) in self._lent.items() if now.nanos != before.nanos)

    def _count(self, pool: Pool) -> Table:
        table = {
            (counter_set.name, name): amount.nanos
            for counter_set in pool.counter_sets.values()
            for name, amount in counter_set.counters.items()
        }
        for published in (*pool.here, *pool.elsewhere):
            for device in published.devices:
                if self.state.holds(DeviceId(published.driver, published.pool, device.name)):
                    for counter, amount in self.uses(pool.key, device):
                        if counter in table:
                            table[counter] -= amount.nanos
        return table


@dataclass(slots=True)
class Charged:
    """What one call has charged so far."""

    available: Available
    _tables: dict[Hashable, dict[Counter, Amount]] = field(default_factory=dict[Hashable, dict[Counter, Amount]])

    def charge(self, pool: Pool, device: Device) -> bool:
        """Charges a device's counters; if that is too much, charges nothing and says no."""
        left = self.available.of(pool)
        table = self._tables.setdefault(self.available.key(pool), {})
        for counter, amount in self.available.uses(pool.key, device):
            total = table.get(counter)
            if total is None:
                table[counter] = amount
            else:
                total.nanos += amount.nanos
                total.big |= amount.big
        if self.available.behaviour.overdrawn_blocks_pool:
            short = any(
                limit < table[counter].nanos if counter in table else limit < 0 for counter, limit in left.items()
            )
        else:
            sets = {counter_set for (counter_set, _), _ in self.available.uses(pool.key, device)}
            short = any(
                limit < (table[counter].nanos if counter in table else 0)
                for counter, limit in left.items()
                if counter[0] in sets
            )
        if short:
            self.give_back(pool, device)
        return not short

    def give_back(self, pool: Pool, device: Device) -> None:
        """Takes a device's counters off the bill."""
        table = self._tables[self.available.key(pool)]
        for counter, amount in self.available.uses(pool.key, device):
            table[counter].nanos -= amount.nanos

    def keys_of(self, pool: Pool, device: Device) -> tuple[CounterKey, ...]:
        """Returns the counters that a device consumes."""
        key = self.available.key(pool)
        return tuple((key, (use.counter_set, name)) for use in device.consumes for name in use.counters)

    def fingerprint(self, only: frozenset[CounterKey] | None) -> Hashable:
        """Returns all that decides what may be charged from now on.

        Args:
            only: the counters that are still to be charged; None: any. The bill never exceeds what's available, so the
                others have no say, not even where one overdrawn counter blocks its pool.
        """
        return (
            frozenset(
                (key, counter, amount.nanos)
                for key, table in self._tables.items()
                for counter, amount in table.items()
                if amount.nanos and (only is None or (key, counter) in only)
            ),
            self.available.fingerprint(),
        )
