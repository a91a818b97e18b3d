"""The reference's validation: can these claims be handled at all, and how many devices do they need?

Claim by claim and request by request, before any search; the first problem is the answer. Mode All is settled here:
it needs every device that is selected, so its selectors are evaluated before those of any counted request.
"""

from aliquot.allocation.inputs import RESULTS_LIMIT, Supply
from aliquot.allocation.reference.attempt import AcceptedRequest, Attempt, FatalError
from aliquot.allocation.reference.capacity import requested_amounts
from aliquot.allocation.reference.constraints import ConstraintState, constraint_state
from aliquot.allocation.rules.candidates import Candidate
from aliquot.allocation.rules.capacity import CapacityError
from aliquot.dra.claim import Claim, SubRequest

_GO_MAX_INT = 2**63 - 1


def validate(attempt: Attempt, supply: Supply) -> None:
    """Fills in what the attempt's requests ask for, and its constraints.

    Raises:
        FatalError: a claim can't be handled.
    """
    for number, claim in enumerate(attempt.claims):
        least = 0
        for index, request in enumerate(claim.spec.requests):
            alternatives = tuple(_alternatives(attempt, supply, number, index))
            attempt.accepted[number, index] = alternatives
            fewest = min(asked.count for asked in alternatives)
            if attempt.behaviour.limit_per_request and fewest > RESULTS_LIMIT - least:
                raise FatalError(
                    f"claim {claim.meta.key}, request {request.name}: adding {fewest} devices exceeds the claim limit "
                    f"of {RESULTS_LIMIT}, with {least} already accounted for"
                )
            least += fewest
        if least > RESULTS_LIMIT:
            raise FatalError(
                f"claim {claim.meta.key}: number of requested devices {least} "
                f"exceeds the claim limit of {RESULTS_LIMIT}"
            )
        attempt.constraints.append(tuple(_constraints(attempt, claim)))
        attempt.held.append([])


def _alternatives(attempt: Attempt, supply: Supply, number: int, index: int) -> list[AcceptedRequest]:
    claim, features = attempt.claims[number], attempt.features
    request, where = claim.spec.requests[index], f"claim {claim.meta.key}"
    if request.first_available and not features.prioritized_list:
        raise FatalError(
            f"{where}, request {request.name}: has subrequests, but the DRAPrioritizedList feature is disabled"
        )
    if not features.consumable_capacity and attempt.implementation != "stable":
        off = "has capacity requests, but the DRAConsumableCapacity feature is disabled"
        if request.exactly is not None and request.exactly.capacity is not None:
            raise FatalError(f"{where}, request {request.name}: {off}")
        for recipe in request.first_available:
            if recipe.capacity is not None:
                raise FatalError(f"{where}, subrequest {recipe.name}: {off}")
    if request.first_available:
        return [
            _accept(attempt, supply, (number, index), alternative, recipe)
            for alternative, recipe in enumerate(request.first_available)
        ]
    return [_accept(attempt, supply, (number, index), None, request.exactly or SubRequest(request.name, ""))]


def _accept(
    attempt: Attempt, supply: Supply, place: tuple[int, int], alternative: int | None, recipe: SubRequest
) -> AcceptedRequest:
    number, index = place
    claim = attempt.claims[number]
    where = f"claim {claim.meta.key}, request {recipe.name}"
    for position, expression in enumerate(recipe.selectors):
        if expression is None:
            raise FatalError(f"{where}, selector #{position}: CEL expression empty (unsupported selector type?)")
    if alternative is None and recipe.admin_access is not None and not attempt.features.admin_access:
        raise FatalError(f"{where}: admin access is requested, but the feature is disabled")
    if not recipe.class_name:
        raise FatalError(f"{where}: missing device class name (unsupported request type?)")
    device_class = supply.classes.get(recipe.class_name)
    if device_class is None:
        raise FatalError(
            f"{where}: could not retrieve device class {recipe.class_name}: "
            f'deviceclass.resource.k8s.io "{recipe.class_name}" not found'
        )
    request = claim.spec.requests[index]
    asked = AcceptedRequest(
        claim=number,
        index=index,
        request=request,
        alternative=alternative,
        recipe=recipe,
        device_class=device_class,
        requested=requested_amounts(recipe.capacity),
        admin=alternative is None and recipe.admin_access is True,
        alternative_name="" if alternative is None else recipe.name,
    )
    match recipe.mode:
        case "ExactCount":
            if recipe.count > _GO_MAX_INT:
                raise FatalError(f"{where}: exact count {recipe.count} is too large")
            asked.count = recipe.count
        case "All":
            asked.every = tuple(_every(attempt, asked, where))
            asked.count = len(asked.every)
        case _:
            raise FatalError(f"{where}: unsupported count mode {recipe.mode}")
    return asked


def _every(attempt: Attempt, asked: AcceptedRequest, where: str) -> list[Candidate]:
    asks = "asks for all devices, but"
    found: list[Candidate] = []
    of_pool: dict[tuple[str, str], list[Candidate]] = {}
    for candidate in attempt.candidates:
        of_pool.setdefault(candidate.pool.key, []).append(candidate)
    for pool in attempt.pools:
        if pool.state == "incomplete":
            raise FatalError(f"{where}: {asks} resource pool {pool.label} is currently being updated")
        if pool.state == "invalid":
            raise FatalError(f"{where}: {asks} resource pool {pool.label} is currently invalid")
        found.extend(
            candidate
            for candidate in of_pool.get(pool.key, ())
            if attempt.selectable(asked, candidate) and _capacity_suffices(attempt, asked, candidate, where)
        )
    return found


def _capacity_suffices(attempt: Attempt, asked: AcceptedRequest, candidate: Candidate, where: str) -> bool:
    if not attempt.features.consumable_capacity:
        return True
    try:
        return attempt.capacity.fits(
            asked.requested, candidate.id, candidate.device.capacity, empty=attempt.behaviour.all_counts_busy_capacity
        )
    except CapacityError as error:
        raise FatalError(f"{where}: checking capacity for device {candidate.device.name}: {error}") from error


def _constraints(attempt: Attempt, claim: Claim) -> list[ConstraintState]:
    states: list[ConstraintState] = []
    for index, constraint in enumerate(claim.spec.constraints):
        state = constraint_state(constraint, attempt.features, attempt.behaviour, attempt.implementation)
        if state is None:
            raise FatalError(
                f"claim {claim.meta.key}, constraint #{index}: empty constraint (unsupported constraint type?)"
            )
        states.append(state)
    return states
