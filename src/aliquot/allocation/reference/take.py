"""The reference's taking of one device: every test after the selectors, in upstream's order, and the way back.

This is where most of upstream's defects live; each is a field of `Behaviour`, named where it shows.
"""

from collections.abc import Callable

from aliquot.allocation.reference.attempt import AcceptedRequest, Attempt, FatalError, HeldDevice
from aliquot.allocation.reference.capacity import ShareConsumption
from aliquot.allocation.reference.constraints import ConstraintState
from aliquot.allocation.rules.candidates import Candidate
from aliquot.allocation.rules.capacity import CapacityError
from aliquot.allocation.rules.device_taints import blocking_taints

GiveBack = Callable[[], None]


def take(attempt: Attempt, asked: AcceptedRequest, candidate: Candidate, *, must: bool) -> GiveBack | None:
    """Takes a selectable device for a request and returns how to give it back; None: it can't be had.

    Args:
        attempt: the state, changed as if the device were allocated.
        asked: what asks for it.
        candidate: the device.
        must: mode All: exactly this device is wanted, so a constraint in the way is an error.

    Raises:
        FatalError: a constraint is in the way of a device that must be had, or an amount can't be calculated with.
    """
    features, behaviour, device = attempt.features, attempt.behaviour, candidate.device
    shareable = features.consumable_capacity and device.allow_multiple
    if attempt.busy(asked, candidate.position) and not (shareable and asked.admin):
        return None
    if device.consumes and not features.partitionable_devices:
        return None

    paid = shareable and attempt.capacity.shared(candidate.id)
    pays = bool(device.consumes) and not paid and (behaviour.admin_pays_counters or not asked.admin)
    if pays and not attempt.counters.charge(candidate.pool, device):
        return None

    def unpay() -> None:
        if pays and not behaviour.refused_keep_counters:
            attempt.counters.give_back(candidate.pool, device)

    if features.device_taints and device.taints and blocking_taints(device, asked.recipe.tolerations):
        unpay()
        return None

    constraints = attempt.constraints[asked.claim]
    kept = _added(constraints, asked, candidate)
    if kept < len(constraints):
        if must:
            where = f"claim {attempt.claims[asked.claim].meta.key}, request {asked.recipe.name}"
            raise FatalError(
                f"{where}: cannot add device {candidate.id} because a claim constraint would not be satisfied"
            )
        _removed(constraints[:kept], asked)
        unpay()
        return None

    shares: ShareConsumption = {}
    entry_existed = shareable and attempt.capacity.picked(candidate.id)
    if features.consumable_capacity and (shareable or device.capacity or asked.requested):
        shares_taken = _capacity(attempt, asked, candidate, shareable=shareable)
        if shares_taken is None:
            if behaviour.late_capacity_leaks:
                _mark(attempt, asked, candidate, shareable=shareable)
            else:
                _removed(constraints, asked)
                unpay()
            return None
        shares = shares_taken
    _mark(attempt, asked, candidate, shareable=shareable)

    held = attempt.held[asked.claim]
    position = len(held)
    held.append(HeldDevice(asked, candidate, shareable, shares))

    def give_back() -> None:
        _removed(constraints, asked)
        del held[position:]
        if not shareable:
            attempt.picked[candidate.position].discard(asked.claim)
        elif shares or not behaviour.shared_keep_counters:
            keep = entry_existed and behaviour.shares_pay_once
            attempt.capacity.give_back(shares, candidate.id, keep=keep)
        if pays and not (shareable and behaviour.shared_keep_counters):
            attempt.counters.give_back(candidate.pool, device)

    return give_back


def _added(constraints: tuple[ConstraintState, ...], asked: AcceptedRequest, candidate: Candidate) -> int:
    """Adds a device to the constraints, in order, and returns how many accepted it before one refused."""
    for count, constraint in enumerate(constraints):
        if not constraint.add(asked.request.name, asked.alternative_name, candidate.device, candidate.id.driver):
            return count
    return len(constraints)


def _removed(constraints: tuple[ConstraintState, ...], asked: AcceptedRequest) -> None:
    for constraint in constraints:
        constraint.remove(asked.request.name, asked.alternative_name)


def _mark(attempt: Attempt, asked: AcceptedRequest, candidate: Candidate, *, shareable: bool) -> None:
    if not shareable:
        attempt.picked.setdefault(candidate.position, set()).add(asked.claim)


def _capacity(
    attempt: Attempt, asked: AcceptedRequest, candidate: Candidate, *, shareable: bool
) -> ShareConsumption | None:
    """Checks capacity once more, and takes a share of a shareable device; None: it doesn't fit any more."""
    capacities = candidate.device.capacity
    try:
        if not attempt.capacity.fits(asked.requested, candidate.id, capacities):
            return None
        return attempt.capacity.take(asked.requested, candidate.id, capacities) if shareable else {}
    except CapacityError as error:
        where = f"claim {attempt.claims[asked.claim].meta.key}, request {asked.recipe.name}"
        raise FatalError(f"{where}: rechecking capacity for device {candidate.id}: {error}") from error
