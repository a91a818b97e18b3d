"""Which of a node's devices could serve what is asked for, each by itself; what has been found is remembered."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from aliquot.allocation.exact.compiled_claims import Alternative, CapacityRequests, Criteria
from aliquot.allocation.exact.node_devices import NodeDevices
from aliquot.allocation.rules.capacity import CapacityError, breaks_policy, consumption_of, unknown_names
from aliquot.allocation.rules.constraints import LISTS, SCALARS, attribute_of
from aliquot.allocation.rules.device_taints import blocking_taints
from aliquot.allocation.rules.reach import BrokenSelectorError, reaches
from aliquot.allocation.rules.selectors import CelFailure, Selectors
from aliquot.allocation.search.attribute_values import Values, values_of
from aliquot.allocation.search.bits import members
from aliquot.allocation.search.counter_totals import Totals, totals_of
from aliquot.dra.device import Attribute


@dataclass(frozen=True, slots=True)
class DeviceError:
    """Why a device has no verdict. `owner` tells whose selector it is; without one the text stands alone."""

    owner: str
    """class, request, capacity or ""."""
    index: int
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Eligible:
    """What an alternative can take on a node, as far as each device by itself can tell."""

    bits: int
    every: int
    """What mode All finds: matching devices, tainted ones included."""
    errors: Mapping[int, DeviceError]
    consumes: Mapping[int, int]
    """Shareable device -> packed consumption."""
    error_bits: int
    """The devices of `errors`."""


@dataclass(slots=True, eq=False)
class EligibleFinder:
    """Looks for eligible devices among a node's devices."""

    devices: NodeDevices
    selectors: Selectors
    known: dict[int, Eligible] = field(init=False, default_factory=dict[int, Eligible])
    """Alternative's id -> what it can take, as far as it was asked for."""
    _selected: dict[str, tuple[int, dict[int, CelFailure]]] = field(
        init=False, default_factory=dict[str, tuple[int, dict[int, CelFailure]]]
    )
    _values: dict[str, Values] = field(init=False, default_factory=dict[str, Values])
    _totals: list[Totals | None] = field(init=False, default_factory=list["Totals | None"])
    """Empty until it's asked for."""

    @property
    def totals(self) -> Totals | None:
        """Counters summed by name."""
        if not self._totals:
            self._totals.append(totals_of(self.devices.counters, self.devices.everything))
        return self._totals[0]

    def values(self, attribute: str) -> Values:
        """An attribute's values over all devices."""
        known = self._values.get(attribute)
        if known is None:
            there = self.devices
            found = [
                attribute_of(device, id_.driver, attribute)
                for device, id_ in zip(there.devices, there.ids, strict=True)
            ]
            lists = there.features.list_attributes
            keys = [None if each is None else _keys(each, lists=lists) for each in found]
            # without lists, a value that equals nothing may still come first under a constraint, as in kube-scheduler
            known = self._values[attribute] = values_of(keys, lone_first=not lists)
        return known

    def eligible(self, alternative: Alternative) -> Eligible:
        """The devices that an alternative can take."""
        known = self.known.get(alternative.id)
        if known is None:
            known = self.known[alternative.id] = self._find(alternative.criteria)
        return known

    def _find(self, criteria: Criteria) -> Eligible:
        there = self.devices
        errors: dict[int, DeviceError] = {}
        alive = self._reached(self._all_selected(criteria, errors), errors)
        consumes: dict[int, int] = {}
        checked = alive & (there.everything if criteria.capacity else there.with_policy | there.shareable)
        for number in members(checked if there.features.consumable_capacity else 0):
            try:
                amounts = self._consumes(number, criteria.capacity)
            except CapacityError as error:
                errors[number] = DeviceError("capacity", 0, str(error))
                amounts = None
            if amounts is None:
                alive &= ~(1 << number)
            elif there.shareable >> number & 1:
                consumes[number] = there.shared[number].packed(amounts)
        bits = alive & ~there.counters_off
        for number in members(bits & there.tainted):
            if blocking_taints(there.devices[number], criteria.tolerations):
                bits &= ~(1 << number)
        error_bits = sum(1 << number for number in errors)
        return Eligible(bits=bits, every=alive, errors=errors, consumes=consumes, error_bits=error_bits)

    def _all_selected(self, criteria: Criteria, errors: dict[int, DeviceError]) -> int:
        """The devices that all selectors select, the class's first. A device is asked until one says no."""
        alive = self.devices.everything & ~self.devices.binding_off
        for owner, expressions in (("class", criteria.class_selectors), ("request", criteria.selectors)):
            for index, expression in enumerate(expressions):
                if not alive or expression is None:
                    break
                true, failures = self._selected_by(expression)
                for number, failure in failures.items():
                    if alive >> number & 1:
                        errors[number] = DeviceError(owner, index, f"CEL {failure.phase} error: {failure.text}")
                alive &= true
        return alive

    def _selected_by(self, expression: str) -> tuple[int, dict[int, CelFailure]]:
        known = self._selected.get(expression)
        if known is None:
            true = 0
            failures: dict[int, CelFailure] = {}
            verdict_of, ids = self.selectors.verdict, self.devices.ids
            for number, device in enumerate(self.devices.devices):
                verdict = verdict_of(expression, ids[number].driver, device)
                if verdict is True:
                    true |= 1 << number
                elif isinstance(verdict, CelFailure):
                    failures[number] = verdict
            known = self._selected[expression] = (true, failures)
        return known

    def _reached(self, alive: int, errors: dict[int, DeviceError]) -> int:
        """Without devices that select their nodes themselves, and not this one."""
        there = self.devices
        for number in members(alive & there.node_selecting):
            device = there.devices[number]
            try:
                reached = reaches(there.node, device.node_name, device.all_nodes, device.node_selector)
            except BrokenSelectorError as error:
                errors[number] = DeviceError("", 0, f"failed to parse node selector: {error}")
                reached = False
            if not reached:
                alive &= ~(1 << number)
        return alive

    def _consumes(self, number: int, requested: CapacityRequests) -> Mapping[str, int] | None:
        """What a share takes of each capacity, in nano-units; None: this device can't serve the request even alone."""
        capacities = self.devices.devices[number].capacity
        requests = dict(requested)
        if unknown_names(requests, capacities):
            return None
        fractional = self.devices.features.fractional_range
        amounts: dict[str, int] = {}
        for name, capacity in capacities.items():
            try:
                amount = consumption_of(requests.get(name), capacity, fractional=fractional).amount
            except CapacityError as error:
                raise CapacityError(f'capacity "{name}": {error}') from error
            if breaks_policy(amount, capacity.policy, fractional=fractional) or amount > capacity.value:
                return None
            amounts[name] = max(amount.nanos, 0)
        return amounts


def _keys(attribute: Attribute, *, lists: bool) -> tuple[tuple[str, object], ...]:
    """What an attribute's values are compared by; empty: it equals nothing, as a list does while lists are off."""
    kind, value = attribute.kind, attribute.value
    if kind in SCALARS:
        return ((kind, value),)
    if lists and isinstance(value, tuple):
        return tuple((LISTS[kind], element) for element in value)
    return ()
