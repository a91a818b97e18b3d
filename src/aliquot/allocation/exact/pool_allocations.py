"""What allocated claims hold, by pool: made once from a cluster's state, then changed claim by claim."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TypeVar

from aliquot.allocation.inputs import AllocatedState
from aliquot.allocation.rules.pools import PoolKey
from aliquot.dra.claim import AllocatedDevice
from aliquot.units.quantity import Quantity

Amounts = Mapping[str, Quantity]
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class PoolAllocations:
    """What is allocated of one pool, by device name."""

    whole: frozenset[str] = frozenset()
    """Given to one claim alone."""
    shares: Mapping[str, frozenset[str]] = field(default_factory=dict[str, frozenset[str]])
    """Share IDs of devices that are given several times."""
    consumed: Mapping[str, Amounts] = field(default_factory=dict[str, Amounts])
    """Capacity that shares use."""

    def with_device(self, given: AllocatedDevice, *, shared: bool) -> "PoolAllocations":
        """This and one more allocated device, or share of one."""
        name = given.device.device
        if not shared or given.share_id is None:
            return replace(self, whole=self.whole | {name})
        consumed = self.consumed
        if given.consumed is not None:
            consumed = {**consumed, name: _added(consumed.get(name, {}), given.consumed)}
        held = self.shares.get(name, frozenset())
        return replace(self, shares={**self.shares, name: held | {given.share_id}}, consumed=consumed)

    def without_device(self, given: AllocatedDevice, *, shared: bool) -> "PoolAllocations":
        """This without an allocated device, or share of one."""
        name = given.device.device
        if not shared or given.share_id is None:
            return replace(self, whole=self.whole - {name})
        held = self.shares.get(name, frozenset()) - {given.share_id}
        if not held:
            return replace(self, shares=_without(self.shares, name), consumed=_without(self.consumed, name))
        consumed = self.consumed
        if given.consumed is not None and name in consumed:
            back = {key: -amount for key, amount in given.consumed.items()}
            consumed = {**consumed, name: _added(consumed[name], back)}
        return replace(self, shares={**self.shares, name: held}, consumed=consumed)


def allocations_by_pool(state: AllocatedState) -> dict[PoolKey, PoolAllocations]:
    """What is allocated, by pool."""
    whole: dict[PoolKey, set[str]] = {}
    shares: dict[PoolKey, dict[str, set[str]]] = {}
    consumed: dict[PoolKey, dict[str, Amounts]] = {}
    for id_ in state.devices:
        whole.setdefault((id_.driver, id_.pool), set()).add(id_.device)
    for id_, share in state.shares:
        shares.setdefault((id_.driver, id_.pool), {}).setdefault(id_.device, set()).add(share)
    for id_, used in state.consumed.items():
        consumed.setdefault((id_.driver, id_.pool), {})[id_.device] = used
    return {
        key: PoolAllocations(
            whole=frozenset(whole.get(key, ())),
            shares={name: frozenset(held) for name, held in shares.get(key, {}).items()},
            consumed=consumed.get(key, {}),
        )
        for key in {**whole, **shares, **consumed}
    }


def _added(amounts: Amounts, more: Amounts) -> Amounts:
    return {**amounts, **{name: amounts[name] + more[name] if name in amounts else more[name] for name in more}}


def _without(mapping: Mapping[str, T], name: str) -> dict[str, T]:
    return {key: value for key, value in mapping.items() if key != name}
