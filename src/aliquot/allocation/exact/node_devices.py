"""One node's devices, numbered in search order, with everything that doesn't depend on what is allocated.

A view lives until a slice, a class or the node changes. What it works out (which devices match an expression, which
values an attribute has) is remembered.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from aliquot.allocation.answer import Allocation
from aliquot.allocation.features import Features
from aliquot.allocation.rules.capacity import CapacityError, breaks_policy, takes, unknown_names
from aliquot.allocation.rules.constraints import attribute_of
from aliquot.allocation.rules.pools import Pool, PoolKey
from aliquot.allocation.rules.reach import BrokenSelectorError, reaches
from aliquot.allocation.rules.selectors import Failure, Selectors
from aliquot.allocation.rules.tolerations import blocking_taints
from aliquot.allocation.search.attribute_values import Values, values_of
from aliquot.allocation.search.bits import members
from aliquot.allocation.search.counter_totals import Totals, totals_of
from aliquot.allocation.search.counters import Amounts, LinkedCounters, linked_counters
from aliquot.dra.claim import AllocatedDevice, DeviceToleration
from aliquot.dra.device import Attribute, Device, DeviceId, Slice
from aliquot.kube.node import Node
from aliquot.kube.selectors import NodeSelector
from aliquot.units.quantity import Quantity

Wanted = tuple[tuple[str, Quantity], ...]
"""Capacity requests, sorted by name."""
RecipeKey = tuple[tuple[str | None, ...], tuple[str | None, ...], tuple[DeviceToleration, ...], Wanted]
"""Selectors of the class, selectors of the request, tolerations, capacity requests."""


class Recipe(Protocol):
    """What a recipe must tell to be looked up: a number of its own, and all that its candidates depend on."""

    @property
    def id(self) -> int:
        """Equal for equal keys, for as long as the view lives."""
        ...

    @property
    def key(self) -> RecipeKey:
        """Selectors, tolerations, capacity requests."""
        ...


@dataclass(frozen=True, slots=True)
class Blame:
    """Why a device has no verdict. `owner` tells whose selector it is; without one the text stands alone."""

    owner: str
    """class, request, capacity or ""."""
    index: int
    text: str


@dataclass(frozen=True, slots=True)
class Candidates:
    """What one recipe can take on a node, as far as each device by itself can tell."""

    bits: int
    every: int
    """What mode All finds: matching devices, tainted ones included."""
    errors: Mapping[int, Blame]
    consumes: Mapping[int, int]
    """Shareable device -> packed consumption."""
    error_bits: int
    """The devices of `errors`."""


@dataclass(frozen=True, slots=True)
class Shared:
    """A shareable device's capacities: packed fields with guard bits."""

    guard: int
    full: int
    fields: tuple[tuple[str, int], ...]
    """(capacity, offset)."""

    def packed(self, amounts: Mapping[str, int]) -> int:
        """Amounts in nano-units as a packed number; none of them may exceed the device's own."""
        return sum(amounts.get(name, 0) << offset for name, offset in self.fields)


@dataclass(slots=True)
class View:
    """A node's devices. Bits and numbers are those of `ids`."""

    node: Node
    pools: Sequence[Pool]
    features: Features
    selectors: Selectors
    ids: list[DeviceId] = field(default_factory=list[DeviceId])
    devices: list[Device] = field(default_factory=list[Device])
    slices: list[Slice] = field(default_factory=list[Slice])
    numbers: dict[PoolKey, dict[str, int]] = field(default_factory=dict[PoolKey, dict[str, int]])
    everything: int = 0
    invalid: bool = False
    """Some pool is invalid: a plain "does not fit" is then told as this node's own error."""
    unusable: bool = False
    """Some pool is invalid or incomplete."""
    shareable: int = 0
    shared: dict[int, Shared] = field(default_factory=dict[int, Shared])
    blocks: list[LinkedCounters] = field(default_factory=list[LinkedCounters])
    block_of: list[int] = field(default_factory=list[int])
    blocks_of_pool: dict[PoolKey, range] = field(default_factory=dict[PoolKey, range])
    plain: bool = False
    """No device consumes counters or can be shared, and no pool is invalid."""
    answers: dict[tuple[int, str, int], Allocation] = field(default_factory=dict[tuple[int, str, int], Allocation])
    """(recipe's number, request, devices) -> the allocation of a pod with one claim of that one request."""
    local: int = 0
    """Devices that pin a claim to this node."""
    here: NodeSelector | None = None
    """Selects this node alone; made when it's first needed."""
    awards: dict[tuple[str, int, int, bool], AllocatedDevice] = field(
        default_factory=dict[tuple[str, int, int, bool], AllocatedDevice]
    )
    """(request, device, recipe's number, admin access) -> the entry of an allocation."""
    elsewhere: dict[DeviceId, Amounts] = field(default_factory=dict[DeviceId, Amounts])
    """Consumption of devices that only other nodes can use."""
    _tainted: int = 0
    _policied: int = 0
    """Devices with a capacity whose policy says what may be taken."""
    _chosen: int = 0
    """Devices whose own node selection counts."""
    _unsupported: int = 0
    """Devices that consume counters while partitionable devices are off."""
    _waiting: int = 0
    """Devices with binding conditions, where those are off."""
    _verdicts: dict[str, tuple[int, dict[int, Failure]]] = field(
        default_factory=dict[str, tuple[int, dict[int, Failure]]]
    )
    known: dict[int, Candidates] = field(default_factory=dict[int, Candidates])
    """Recipe's number -> what it can take, as far as it was asked for."""
    _values: dict[str, Values] = field(default_factory=dict[str, Values])
    _totals: list[Totals | None] = field(default_factory=list[Totals | None])

    def __post_init__(self) -> None:
        for pool in self.pools:
            self.invalid = self.invalid or pool.state == "invalid"
            if pool.state == "usable":
                self._add_pool(pool)
            else:
                self.unusable = True
        self.everything = (1 << len(self.ids)) - 1
        self.plain = not self.blocks and not self.shareable and not self.invalid

    def _add_pool(self, pool: Pool) -> None:
        names = self.numbers[pool.key] = {}
        uses: list[tuple[int, Amounts]] = []
        for one in pool.here:
            for device in one.devices:
                number = len(self.ids)
                names[device.name] = number
                self.ids.append(DeviceId(pool.driver, pool.name, device.name))
                self.devices.append(device)
                self.slices.append(one)
                self.block_of.append(-1)
                self._describe(number, one, device)
                if device.consumes and self.features.partitionable_devices and (amounts := amounts_of(device)):
                    uses.append((number, amounts))
        if not uses:
            return
        others = {
            DeviceId(pool.driver, pool.name, device.name): amounts_of(device)
            for one in pool.elsewhere
            for device in one.devices
            if device.consumes
        }
        self.elsewhere.update(others)
        sets = {
            name: {counter: max(amount.nanos, 0) for counter, amount in each.counters.items()}
            for name, each in pool.counter_sets.items()
        }
        first = len(self.blocks)
        self.blocks.extend(linked_counters(sets, uses, list(others.values())))
        self.blocks_of_pool[pool.key] = range(first, len(self.blocks))
        for place in self.blocks_of_pool[pool.key]:
            for number in self.blocks[place].use:
                self.block_of[number] = place

    def _describe(self, number: int, one: Slice, device: Device) -> None:
        bit = 1 << number
        if device.taints and self.features.device_taints:
            self._tainted |= bit
        source = device if one.per_device_node_selection else one
        if source.node_name is not None or device.binds_to_node:
            self.local |= bit
        if one.per_device_node_selection:
            self._chosen |= bit
        if device.consumes and not self.features.partitionable_devices:
            self._unsupported |= bit
        if device.binding_conditions and not self.features.binding_conditions:
            self._waiting |= bit
        if self.features.consumable_capacity:
            if any(capacity.policy is not None for capacity in device.capacity.values()):
                self._policied |= bit
            if device.allow_multiple:
                self.shareable |= bit
                self.shared[number] = _shared(device)

    @property
    def totals(self) -> Totals | None:
        """Counters summed over blocks."""
        if not self._totals:
            self._totals.append(totals_of(self.blocks, self.everything))
        return self._totals[0]

    def values(self, attribute: str) -> Values:
        """An attribute's values over all devices."""
        known = self._values.get(attribute)
        if known is None:
            found = [
                attribute_of(device, id_.driver, attribute) for device, id_ in zip(self.devices, self.ids, strict=True)
            ]
            known = self._values[attribute] = values_of(
                [None if each is None else _keys(each, self.features.list_attributes) for each in found],
                lone_first=not self.features.list_attributes,
            )
        return known

    def candidates(self, recipe: Recipe) -> Candidates:
        """The devices that a recipe can take."""
        known = self.known.get(recipe.id)
        if known is None:
            known = self.known[recipe.id] = self._work_out(recipe.key)
        return known

    def _work_out(self, key: RecipeKey) -> Candidates:
        of_class, of_request, tolerations, wanted = key
        alive = self.everything & ~self._waiting
        errors: dict[int, Blame] = {}
        for owner, expressions in (("class", of_class), ("request", of_request)):
            for index, expression in enumerate(expressions):
                if not alive or expression is None:
                    break
                true, failures = self._matching(expression)
                for number, failure in failures.items():
                    if alive >> number & 1:
                        errors[number] = Blame(owner, index, f"CEL {failure.phase} error: {failure.text}")
                alive &= true
        for number in members(alive & self._chosen):
            device = self.devices[number]
            try:
                if not reaches(self.node, device.node_name, device.all_nodes, device.node_selector):
                    alive &= ~(1 << number)
            except BrokenSelectorError as error:
                errors[number] = Blame("", 0, f"failed to parse node selector: {error}")
                alive &= ~(1 << number)
        consumes: dict[int, int] = {}
        checked = alive & (self.everything if wanted else self._policied | self.shareable)
        for number in members(checked if self.features.consumable_capacity else 0):
            try:
                amounts = self._takes(number, wanted)
            except CapacityError as error:
                errors[number] = Blame("capacity", 0, str(error))
                amounts = None
            if amounts is None:
                alive &= ~(1 << number)
            elif self.shareable >> number & 1:
                consumes[number] = self.shared[number].packed(amounts)
        bits = alive & ~self._unsupported
        for number in members(bits & self._tainted):
            if blocking_taints(self.devices[number], tolerations):
                bits &= ~(1 << number)
        return Candidates(bits, alive, errors, consumes, sum(1 << number for number in errors))

    def _matching(self, expression: str) -> tuple[int, dict[int, Failure]]:
        known = self._verdicts.get(expression)
        if known is None:
            true = 0
            failures: dict[int, Failure] = {}
            verdict_of = self.selectors.verdict
            for number, device in enumerate(self.devices):
                verdict = verdict_of(expression, self.ids[number].driver, device)
                if verdict is True:
                    true |= 1 << number
                elif isinstance(verdict, Failure):
                    failures[number] = verdict
            known = self._verdicts[expression] = (true, failures)
        return known

    def _takes(self, number: int, wanted: Wanted) -> Mapping[str, int] | None:
        """What a share takes of each capacity, in nano-units; None: this device can't serve the request even alone."""
        capacities = self.devices[number].capacity
        requests = dict(wanted)
        if unknown_names(requests, capacities):
            return None
        fractional = self.features.fractional_range
        amounts: dict[str, int] = {}
        for name, capacity in capacities.items():
            try:
                amount = takes(requests.get(name), capacity, fractional=fractional).amount
            except CapacityError as error:
                raise CapacityError(f'capacity "{name}": {error}') from error
            if breaks_policy(amount, capacity.policy, fractional=fractional) or amount > capacity.value:
                return None
            amounts[name] = max(amount.nanos, 0)
        return amounts

    def consumed(self, number: int, wanted: Wanted) -> Mapping[str, Quantity]:
        """What a share of a device takes of each of its capacities, as it's reported."""
        requests = dict(wanted)
        return {
            name: takes(requests.get(name), capacity, fractional=self.features.fractional_range).amount
            for name, capacity in self.devices[number].capacity.items()
        }


def amounts_of(device: Device) -> Amounts:
    """A device's consumption of counters, in nano-units."""
    amounts: dict[tuple[str, str], int] = {}
    for use in device.consumes:
        for counter, amount in use.counters.items():
            key = (use.counter_set, counter)
            amounts[key] = amounts.get(key, 0) + max(amount.nanos, 0)
    return amounts


def _shared(device: Device) -> Shared:
    fields: list[tuple[str, int]] = []
    guard = full = offset = 0
    for name in sorted(device.capacity):
        nanos = max(device.capacity[name].value.nanos, 0)
        fields.append((name, offset))
        full += nanos << offset
        offset += nanos.bit_length()
        guard |= 1 << offset
        offset += 1
    return Shared(guard, full, tuple(fields))


_SCALARS = frozenset({"int", "bool", "string", "version"})
_SINGULAR = {"ints": "int", "bools": "bool", "strings": "string", "versions": "version"}


def _keys(attribute: Attribute, lists: bool) -> tuple[tuple[str, object], ...]:
    """What an attribute's values are compared by; empty: they equal nothing (a list while the gate is off)."""
    kind, value = attribute.kind, attribute.value
    if kind in _SCALARS:
        return ((kind, value),)
    if lists and isinstance(value, tuple):
        return tuple((_SINGULAR[kind], element) for element in value)
    return ()
