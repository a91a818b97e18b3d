"""The reference's consumable capacity: what the call at hand has taken of shared devices, and what still fits."""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field

from aliquot.allocation.behaviour import Behaviour
from aliquot.allocation.inputs import AllocatedState
from aliquot.allocation.rules.capacity import CapacityError, Consumption, breaks_policy, consumption_of, unknown_names
from aliquot.dra.device import Capacity, DeviceId
from aliquot.units.quantity import Quantity


@dataclass(slots=True)
class RequestedAmount:
    """An amount asked for. It can change: 1.36 adds to it while checking (defect 9)."""

    amount: Quantity


RequestedAmounts = Mapping[str, RequestedAmount]
"""A recipe's capacity requests, by name."""

ShareConsumption = Mapping[str, "Quantity | RequestedAmount"]
"""What a share takes, by name; a RequestedAmount is the request itself, with whatever has been added to it."""


def requested_amounts(requests: Mapping[str, Quantity] | None) -> RequestedAmounts:
    """Returns capacity requests as amounts that can change."""
    return {name: RequestedAmount(amount) for name, amount in (requests or {}).items()}


def amounts(shares: ShareConsumption) -> dict[str, Quantity]:
    """Returns the amounts as they are now."""
    return {name: share.amount if isinstance(share, RequestedAmount) else share for name, share in shares.items()}


@dataclass(slots=True)
class InUse:
    """Capacity in use: of allocated claims, and of what this call has picked."""

    state: AllocatedState
    behaviour: Behaviour
    fractional: bool
    _picked: dict[DeviceId, dict[str, Quantity]] = field(default_factory=dict[DeviceId, dict[str, Quantity]])

    def shared(self, device: DeviceId) -> bool:
        """Says whether a share of the device is in use, so that its counters are paid already."""
        return (
            device in self.state.consumed
            or device in self._picked
            or (self.behaviour.shares_pay_once and any(taken == device for taken, _ in self.state.shares))
        )

    def fits(
        self, requested: RequestedAmounts, device: DeviceId, capacities: Mapping[str, Capacity], *, empty: bool = False
    ) -> bool:
        """Says whether a request fits beside what is in use. A capacity that the device lacks: it doesn't.

        Args:
            requested: what the request asks for.
            device: the device.
            capacities: the device's capacities, asked for or not.
            empty: as if nothing were in use.

        Raises:
            CapacityError: an amount that can't be calculated with.
        """
        if unknown_names({name: wanted.amount for name, wanted in requested.items()}, capacities):
            return False
        taken = {name: self._takes(requested, name, capacity) for name, capacity in capacities.items()}
        used: Mapping[str, Quantity] = {} if empty else self.state.consumed.get(device, {})
        picked: Mapping[str, Quantity] = {} if empty else self._picked.get(device, {})
        for name, capacity in capacities.items():
            total = taken[name].amount
            if breaks_policy(total, capacity.policy, fractional=self.fractional):
                return False
            if name in used:
                total = used[name] + total
            if name in picked:
                total = total + picked[name]
                if self._is_request(taken[name]) and name not in used:
                    requested[name].amount = total
            if total > capacity.value:
                return False
        return True

    def take(
        self, requested: RequestedAmounts, device: DeviceId, capacities: Mapping[str, Capacity]
    ) -> ShareConsumption:
        """Takes a share and returns what it consumes: an amount for every capacity of the device."""
        shares: dict[str, Quantity | RequestedAmount] = {}
        for name, capacity in capacities.items():
            taken = self._takes(requested, name, capacity)
            shares[name] = requested[name] if self._is_request(taken) else taken.amount
        tally = self._picked.setdefault(device, {})
        for name, amount in amounts(shares).items():
            tally[name] = tally[name] + amount if name in tally else amount
        return shares

    def give_back(self, shares: ShareConsumption, device: DeviceId, *, keep: bool) -> None:
        """Gives a share back; a device with nothing left in use is no longer shared, unless it's to be kept so."""
        tally = self._picked.get(device)
        if tally is None:
            return
        for name, amount in amounts(shares).items():
            if name in tally:
                tally[name] = tally[name] - amount
        if not keep and all(amount.sign == 0 for amount in tally.values()):
            del self._picked[device]

    def picked(self, device: DeviceId) -> bool:
        """Says whether this call has picked a share of the device."""
        return device in self._picked

    def fingerprint(self) -> Hashable:
        """Returns all that decides what fits from now on, but for requests that have grown."""
        return frozenset(
            (device, frozenset((name, amount.nanos) for name, amount in tally.items()))
            for device, tally in self._picked.items()
        )

    def _takes(self, requested: RequestedAmounts, name: str, capacity: Capacity) -> Consumption:
        wanted = requested.get(name)
        strict = self.behaviour.strict_capacity
        try:
            taken = consumption_of(
                wanted.amount if wanted is not None else None, capacity, fractional=self.fractional, strict=strict
            )
        except CapacityError as error:
            raise CapacityError(f'capacity "{name}": {error}') from error
        if strict and taken.amount.sign < 0:
            raise CapacityError(f'capacity "{name}": capacity value is negative')
        return taken

    def _is_request(self, taken: Consumption) -> bool:
        return self.behaviour.request_grows and taken.as_requested and taken.amount.big
