"""The reference's taking of one device: every test after the selectors, in upstream's order, and the way back.

This is where most of upstream's defects live; each is a field of `Behaviour`, named where it shows.
"""

from collections.abc import Callable

from aliquot.allocation.reference.attempt import Attempt, FatalError, Need, Taking
from aliquot.allocation.reference.capacity import Shares
from aliquot.allocation.reference.constraints import Rule
from aliquot.allocation.rules.candidates import Candidate
from aliquot.allocation.rules.capacity import CapacityError
from aliquot.allocation.rules.tolerations import blocking_taints

GiveBack = Callable[[], None]


def take(attempt: Attempt, need: Need, candidate: Candidate, *, must: bool) -> GiveBack | None:
    """Takes a selectable device for a need and returns how to give it back; None: it can't be had.

    Args:
        attempt: the state, changed as if the device were allocated.
        need: who wants it.
        candidate: the device.
        must: mode All: exactly this device is wanted, so a constraint in the way is an error.

    Raises:
        FatalError: a constraint is in the way of a device that must be had, or an amount can't be calculated with.
    """
    features, behaviour, device = attempt.features, attempt.behaviour, candidate.device
    shareable = features.consumable_capacity and device.allow_multiple
    if attempt.busy(need, candidate.position) and not (shareable and need.admin):
        return None
    if device.consumes and not features.partitionable_devices:
        return None

    paid = shareable and attempt.capacity.shared(candidate.id)
    pays = bool(device.consumes) and not paid and (behaviour.admin_pays_counters or not need.admin)
    if pays and not attempt.counters.charge(candidate.pool, device):
        return None

    def unpay() -> None:
        if pays and not behaviour.refused_keep_counters:
            attempt.counters.give_back(candidate.pool, device)

    if features.device_taints and device.taints and blocking_taints(device, need.recipe.tolerations):
        unpay()
        return None

    rules = attempt.rules[need.claim]
    kept = _added(rules, need, candidate)
    if kept < len(rules):
        if must:
            where = f"claim {attempt.claims[need.claim].meta.key}, request {need.recipe.name}"
            raise FatalError(
                f"{where}: cannot add device {candidate.id} because a claim constraint would not be satisfied"
            )
        _removed(rules[:kept], need)
        unpay()
        return None

    shares: Shares = {}
    entry_existed = shareable and attempt.capacity.picked(candidate.id)
    if features.consumable_capacity and (shareable or device.capacity or need.wishes):
        shares_taken = _capacity(attempt, need, candidate, shareable=shareable)
        if shares_taken is None:
            if behaviour.late_capacity_leaks:
                _mark(attempt, need, candidate, shareable=shareable)
            else:
                _removed(rules, need)
                unpay()
            return None
        shares = shares_taken
    _mark(attempt, need, candidate, shareable=shareable)

    takings = attempt.takings[need.claim]
    position = len(takings)
    takings.append(Taking(need, candidate, shareable, shares))

    def give_back() -> None:
        _removed(rules, need)
        del takings[position:]
        if not shareable:
            attempt.picked[candidate.position].discard(need.claim)
        elif shares or not behaviour.shared_keep_counters:
            keep = entry_existed and behaviour.shares_pay_once
            attempt.capacity.give_back(shares, candidate.id, keep=keep)
        if pays and not (shareable and behaviour.shared_keep_counters):
            attempt.counters.give_back(candidate.pool, device)

    return give_back


def _added(rules: tuple[Rule, ...], need: Need, candidate: Candidate) -> int:
    """Adds a device to the constraints, in order, and returns how many accepted it before one refused."""
    for count, rule in enumerate(rules):
        if not rule.add(need.request.name, need.alternative_name, candidate.device, candidate.id.driver):
            return count
    return len(rules)


def _removed(rules: tuple[Rule, ...], need: Need) -> None:
    for rule in rules:
        rule.remove(need.request.name, need.alternative_name)


def _mark(attempt: Attempt, need: Need, candidate: Candidate, *, shareable: bool) -> None:
    if not shareable:
        attempt.picked.setdefault(candidate.position, set()).add(need.claim)


def _capacity(attempt: Attempt, need: Need, candidate: Candidate, *, shareable: bool) -> Shares | None:
    """Checks capacity once more, and takes a share of a shareable device; None: it doesn't fit any more."""
    capacities = candidate.device.capacity
    try:
        if not attempt.capacity.fits(need.wishes, candidate.id, capacities):
            return None
        return attempt.capacity.take(need.wishes, candidate.id, capacities) if shareable else {}
    except CapacityError as error:
        where = f"claim {attempt.claims[need.claim].meta.key}, request {need.recipe.name}"
        raise FatalError(f"{where}: rechecking capacity for device {candidate.id}: {error}") from error
