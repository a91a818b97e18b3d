"""What a request takes of a device's capacities, and whether the capacity's policy allows it.

The rules are upstream's (resource.k8s.io/v1 CapacityRequestPolicy, and k8s.io/dynamic-resource-allocation v0.36.2 and
v0.37.2, structured/internal/experimental/allocator_experimental.go): fill in what isn't asked for, round up to what
the policy offers, then check the policy.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from aliquot.dra.device import Capacity, RequestPolicy, ValidRange
from aliquot.units.quantity import Format, Quantity

_INT64_MAX: Final = 2**63 - 1


class CapacityError(ValueError):
    """An amount that can't be calculated with. The text is upstream's; the scheduler gives up on the pod."""


@dataclass(frozen=True, slots=True)
class Consumption:
    """What a share takes of one capacity."""

    amount: Quantity
    as_requested: bool
    """It's the request itself, neither copied nor rounded: the amount that upstream's 1.36 then adds to."""


def consumption_of(
    requested: Quantity | None, capacity: Capacity, *, fractional: bool = False, strict: bool = False
) -> Consumption:
    """Returns what a request takes of a capacity, before the policy is checked.

    Args:
        requested: the amount asked for; None: nothing was said about this capacity.
        capacity: the device's capacity.
        fractional: DRAFractionalCapacityRange: steps are calculated in thousandths where they're needed.
        strict: 1.37: amounts beyond 64 bits are faults.

    Raises:
        CapacityError: the policy can't be calculated with.
    """
    policy = capacity.policy
    if requested is None:
        return Consumption(
            policy.default if policy and policy.default is not None else capacity.value, as_requested=False
        )
    if policy is None:
        return Consumption(requested, as_requested=False)
    if policy.valid_range is not None and policy.valid_range.min is not None:
        return _rounded_in_range(requested, policy.valid_range, policy.valid_range.min, fractional, strict)
    for value in policy.valid_values:
        if requested <= value:
            return Consumption(value, as_requested=False)
    return Consumption(requested, as_requested=True)


def breaks_policy(amount: Quantity, policy: RequestPolicy | None, *, fractional: bool = False) -> bool:
    """Says whether an amount is outside the policy. The default itself is always inside.

    Raises:
        CapacityError: the policy can't be calculated with.
    """
    if policy is None or (policy.default is not None and _same_value_in_go(amount, policy.default)):
        return False
    if policy.valid_range is not None:
        return _outside_range(amount, policy.valid_range, fractional)
    return bool(policy.valid_values) and amount not in policy.valid_values


def unknown_names(requested: Mapping[str, Quantity] | None, capacities: Mapping[str, Capacity]) -> tuple[str, ...]:
    """Returns the requested capacities that a device doesn't have. Names are compared literally."""
    return tuple(name for name in requested or () if name not in capacities)


def _rounded_in_range(
    requested: Quantity, valid: ValidRange, lowest: Quantity, fractional: bool, strict: bool
) -> Consumption:
    if requested < lowest:
        return Consumption(lowest, as_requested=False)
    if valid.step is None:
        return Consumption(requested, as_requested=True)
    if _in_thousandths(valid, fractional):
        return Consumption(_next_step_in_thousandths(requested, lowest, valid.step), as_requested=False)
    if strict and requested > Quantity.of(_INT64_MAX):
        raise _beyond(f"request {requested} exceeds MaxInt64")
    first, step = lowest.value(), _nonzero(valid.step.value())
    steps = -((first - requested.value()) // step)
    if strict and first >= 0 and steps > (_INT64_MAX - first) // step:
        raise _beyond(f"rounding request {requested} up to the next step passes MaxInt64")
    return Consumption(Quantity.of(first + step * steps, valid.step.format if strict else Format.BINARY_SI), False)


def _next_step_in_thousandths(requested: Quantity, lowest: Quantity, step: Quantity) -> Quantity:
    if not _exact_in_thousandths(requested):
        raise _beyond(f"request {requested} is not a representable milli value")
    first, width = lowest.milli_value(), step.milli_value()
    steps = -((first - requested.milli_value()) // width)
    if steps > (_INT64_MAX - first) // width:
        raise _beyond(f"rounding request {requested} up to the next step passes the milli-value range")
    total = first + width * steps
    return Quantity.of_milli(total, step.format) if total % 1000 else Quantity.of(total // 1000, step.format)


def _outside_range(amount: Quantity, valid: ValidRange, fractional: bool) -> bool:
    if valid.max is not None and amount > valid.max:
        return True
    if valid.step is None:
        return False
    if valid.min is None:
        raise CapacityError("invalid memory address or nil pointer dereference")  # a step without min: Go panics
    if _in_thousandths(valid, fractional):
        if not _exact_in_thousandths(amount):
            return True
        return (amount.milli_value() - valid.min.milli_value()) % valid.step.milli_value() != 0
    return (amount.value() - valid.min.value()) % _nonzero(valid.step.value()) != 0


def _in_thousandths(valid: ValidRange, fractional: bool) -> bool:
    given = [bound for bound in (valid.min, valid.max, valid.step) if bound is not None]
    return (
        fractional
        and all(_exact_in_thousandths(bound) for bound in given)
        and valid.step is not None
        and valid.step.milli_value() >= 1
    )


def _exact_in_thousandths(amount: Quantity) -> bool:
    return Quantity.of_milli(amount.milli_value()) == amount


def _same_value_in_go(amount: Quantity, default: Quantity) -> bool:
    """Go compares the structs: the same amount written in another way isn't equal, and a big decimal never is."""
    return (
        amount == default
        and not (amount.big or default.big)
        and (amount.format, amount.scale, amount.text) == (default.format, default.scale, default.text)
    )


def _nonzero(step: int) -> int:
    if step == 0:
        raise CapacityError("integer divide by zero")
    return step


def _beyond(what: str) -> CapacityError:
    return CapacityError(f"capacity request cannot be represented in the device's range arithmetic: {what}")
