"""Why one device cannot serve one recipe by itself: every rule that it fails, not only the first one met."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from aliquot.allocation.answer import (
    CapacityShort,
    CapacityUnknown,
    CounterShort,
    DeviceReason,
    FeatureOff,
    Held,
    NodeNotSelected,
    SelectorError,
    SelectorFalse,
    Tainted,
)
from aliquot.allocation.behaviour import Behaviour
from aliquot.allocation.inputs import Supply
from aliquot.allocation.rules.candidates import Candidate
from aliquot.allocation.rules.capacity import CapacityError, breaks_policy, consumption_of, unknown_names
from aliquot.allocation.rules.device_taints import blocking_taints
from aliquot.allocation.rules.pools import Pool, PoolKey
from aliquot.allocation.rules.reach import BrokenSelectorError, reaches
from aliquot.allocation.rules.selectors import CelFailure, Selectors
from aliquot.allocation.story.conjuncts import conjuncts
from aliquot.dra.claim import DeviceClass, SubRequest
from aliquot.dra.device import DeviceId
from aliquot.kube.node import Node
from aliquot.units.quantity import Quantity


@dataclass(frozen=True, slots=True)
class Asked:
    """A recipe with its class, as a device is asked for it."""

    recipe: SubRequest
    device_class: DeviceClass | None
    """None: there's no such class."""
    admin: bool


@dataclass(slots=True)
class DeviceInspector:
    """Looks at devices of one node, each by itself."""

    supply: Supply
    node: Node
    selectors: Selectors
    behaviour: Behaviour
    _left: dict[PoolKey, "Mapping[tuple[str, str], CounterState]"] = field(
        init=False, default_factory=dict[PoolKey, "Mapping[tuple[str, str], CounterState]"]
    )

    def reasons(self, asked: Asked, candidate: Candidate) -> tuple[DeviceReason, ...]:
        """Returns every reason against a device; none: it would do by itself.

        A device that the class doesn't select is of another kind: nothing else is said about it.
        """
        if asked.device_class is not None:
            owner = f"class {asked.device_class.meta.name}"
            not_meant = self._unselected(owner, asked.device_class.selectors, candidate)
            if not_meant is not None:
                return (not_meant,)
        found: list[DeviceReason] = []
        unselected = self._unselected("request", asked.recipe.selectors, candidate)
        if unselected is not None:
            found.append(unselected)
        found += self._unreachable(candidate)
        found += self._held(asked, candidate)
        found += self._features(candidate)
        found += self._capacity(asked, candidate)
        found += self._counters(asked, candidate)
        if self.supply.features.device_taints:
            found += [Tainted(taint) for taint in blocking_taints(candidate.device, asked.recipe.tolerations)]
        return tuple(found)

    def _unselected(
        self, owner: str, selectors: Sequence[str | None], candidate: Candidate
    ) -> SelectorFalse | SelectorError | None:
        for index, expression in enumerate(selectors):
            if expression is None:
                text = "CEL expression empty (unsupported selector type?)"
                return SelectorError(owner=owner, index=index, expression="", phase="compile", text=text)
            verdict = self.selectors.verdict(expression, candidate.id.driver, candidate.device)
            if isinstance(verdict, CelFailure):
                return SelectorError(
                    owner=owner, index=index, expression=expression, phase=verdict.phase, text=verdict.text
                )
            if not verdict:
                return SelectorFalse(owner, index, expression, self._false_term(expression, candidate))
        return None

    def _false_term(self, expression: str, candidate: Candidate) -> str:
        """Returns the first part of a false expression that is false by itself; the whole if none is."""
        for term in conjuncts(expression):
            if self.selectors.verdict(term, candidate.id.driver, candidate.device) is False:
                return term
        return expression

    def _unreachable(self, candidate: Candidate) -> Iterator[DeviceReason]:
        device = candidate.device
        if not candidate.slice.per_device_node_selection:
            return
        try:
            reached = reaches(self.node, device.node_name, device.all_nodes, device.node_selector)
        except BrokenSelectorError:
            reached = False
        if not reached:
            yield NodeNotSelected()

    def _held(self, asked: Asked, candidate: Candidate) -> Iterator[DeviceReason]:
        if asked.admin or candidate.id not in self.supply.state.devices:
            return
        holders = self.supply.state.holders.get(candidate.id, ())
        for holder in holders:
            yield Held(holder.claim, holder.pods)
        if not holders:
            yield Held("")

    def _features(self, candidate: Candidate) -> Iterator[DeviceReason]:
        if candidate.device.binding_conditions and not self.supply.features.binding_conditions:
            yield FeatureOff("DRADeviceBindingConditions")
        if candidate.device.consumes and not self.supply.features.partitionable_devices:
            yield FeatureOff("DRAPartitionableDevices")

    def _capacity(self, asked: Asked, candidate: Candidate) -> Iterator[DeviceReason]:
        features = self.supply.features
        if not features.consumable_capacity:
            return
        requested: Mapping[str, Quantity] = asked.recipe.capacity or {}
        for name in unknown_names(requested, candidate.device.capacity):
            yield CapacityUnknown(name)
        used = self.supply.state.consumed.get(candidate.id, {})
        for name, capacity in candidate.device.capacity.items():
            wanted = requested.get(name)
            left = capacity.value - used[name] if name in used else capacity.value
            try:
                taken = consumption_of(
                    wanted, capacity, fractional=features.fractional_range, strict=self.behaviour.strict_capacity
                )
                broken = breaks_policy(taken.amount, capacity.policy, fractional=features.fractional_range)
            except CapacityError:
                yield CapacityShort(name, wanted, wanted or capacity.value, left, True, capacity.value)
                continue
            if broken or taken.amount > left:
                yield CapacityShort(name, wanted, taken.amount, left, broken, capacity.value)

    def _counters(self, asked: Asked, candidate: Candidate) -> Iterator[DeviceReason]:
        device, state = candidate.device, self.supply.state
        pays = self.behaviour.admin_pays_counters or not asked.admin
        shared = self.supply.features.consumable_capacity and device.allow_multiple and candidate.id in state.consumed
        if not self.supply.features.partitionable_devices or not device.consumes or shared or not pays:
            return
        needs = {(use.counter_set, name): amount for use in device.consumes for name, amount in use.counters.items()}
        pool = candidate.pool
        table = self._left.get(pool.key)
        if table is None:
            table = self._left[pool.key] = counters_left(pool, self.supply)
        sets = {counter_set for counter_set, _ in needs}
        for key, (left, holders) in table.items():
            overdrawn = left.sign < 0 and (self.behaviour.overdrawn_blocks_pool or key[0] in sets)
            if overdrawn or (key in needs and left < needs[key]):
                claims = dict.fromkeys(holder.claim for device in holders for holder in state.holders.get(device, ()))
                yield CounterShort(
                    counter_set=key[0],
                    counter=key[1],
                    needed=needs.get(key, Quantity.of(0)),
                    available=left,
                    held_by=holders,
                    claims=tuple(claims),
                )


CounterState = tuple[Quantity, tuple[DeviceId, ...]]
"""(what is left, the allocated devices that consume it)."""


def counters_left(pool: Pool, supply: Supply) -> Mapping[tuple[str, str], CounterState]:
    """Returns (counter set, counter) -> what allocated devices have left of it, for one pool."""
    table: dict[tuple[str, str], CounterState] = {
        (counter_set.name, name): (amount, ())
        for counter_set in pool.counter_sets.values()
        for name, amount in counter_set.counters.items()
    }
    for published in (*pool.here, *pool.elsewhere):
        for device in published.devices:
            where = DeviceId(published.driver, published.pool, device.name)
            if not device.consumes or not supply.state.holds(where):
                continue
            for use in device.consumes:
                for name, amount in use.counters.items():
                    left = table.get((use.counter_set, name))
                    if left is not None:
                        table[use.counter_set, name] = (left[0] - amount, (*left[1], where))
    return table
