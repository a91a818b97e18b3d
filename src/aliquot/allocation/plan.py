"""Claims compiled for the search, whatever the node: steps, alternatives, constraints, and what validation says.

Validation goes claim by claim and request by request; the first problem is the answer. What it says is the same on
every node, except for mode All, whose devices must be counted on the node: such checks are kept in order.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from aliquot.allocation.features import Features
from aliquot.allocation.inputs import RESULTS_LIMIT
from aliquot.allocation.reference_constraints import covers
from aliquot.allocation.view import RecipeKey, Wanted
from aliquot.dra.claim import Claim, Constraint, DeviceClass, Request, SubRequest

_GO_MAX_INT = 2**63 - 1
ALL = -1
"""The count of mode All."""

Order = tuple[tuple[str, int], ...]
"""("match" or "distinct", number) of the constraints that cover an alternative, in the claim's order."""


@dataclass(slots=True)
class Alternative:
    """A request's own recipe, or one of its alternatives."""

    recipe: SubRequest
    place: int | None
    """Which alternative; None: the request's own recipe."""
    key: RecipeKey
    count: int
    admin: bool
    match: tuple[int, ...]
    distinct: tuple[int, ...]
    order: Order


@dataclass(slots=True)
class PlanStep:
    """One request of one claim."""

    claim: int
    request: int
    alternatives: list[Alternative]


@dataclass(slots=True)
class Check:
    """What only the node can tell: an alternative's devices in mode All, or whether a claim stays within the limit."""

    claim: int
    step: int
    """The step whose mode All is counted; for the limit: the first step of the next claim."""
    alternative: int
    """-1: the limit of the claim."""


@dataclass(slots=True)
class Plan:
    """Compiled claims."""

    claims: Sequence[Claim]
    steps: list[PlanStep] = field(default_factory=list[PlanStep])
    match: list[str] = field(default_factory=list[str])
    """Attributes of the match constraints of all claims."""
    distinct: list[str] = field(default_factory=list[str])
    checks: list[Check] = field(default_factory=list[Check])
    fatal: str = ""
    """The first problem that is the same on every node; it comes after the checks."""


class _Problem(Exception):  # noqa: N818 - it never leaves this module
    """A problem, in upstream's words."""


def plan_of(claims: Sequence[Claim], classes: Mapping[str, DeviceClass], features: Features) -> Plan:
    """Compile claims."""
    plan = Plan(claims)
    try:
        for number, claim in enumerate(claims):
            _add_claim(plan, number, claim, classes, features)
    except _Problem as problem:
        plan.fatal = str(problem)
    return plan


def _add_claim(
    plan: Plan, number: int, claim: Claim, classes: Mapping[str, DeviceClass], features: Features
) -> None:
    spec = claim.spec
    covered: list[tuple[str, int, Constraint]] = []
    for constraint in spec.constraints:
        if constraint.match_attribute is not None:
            covered.append(("match", len(plan.match), constraint))
            plan.match.append(constraint.match_attribute)
        elif constraint.distinct_attribute is not None:
            covered.append(("distinct", len(plan.distinct), constraint))
            plan.distinct.append(constraint.distinct_attribute)
    least = 0
    counted_on_node = False
    for index, request in enumerate(spec.requests):
        _check_features(claim, request, features)
        step = PlanStep(number, index, [])
        plan.steps.append(step)
        recipes = request.first_available or (request.exactly or SubRequest(request.name, ""),)
        fewest = -1
        for place, recipe in enumerate(recipes):
            alternative = _alternative(claim, request, recipe, place if request.first_available else None, classes, features)
            if covered:
                _cover(alternative, request, covered)
            step.alternatives.append(alternative)
            if alternative.count == ALL:
                plan.checks.append(Check(number, len(plan.steps) - 1, place))
                counted_on_node = True
            elif fewest < 0 or alternative.count < fewest:
                fewest = alternative.count
        least += max(fewest, 0)
    if counted_on_node:
        plan.checks.append(Check(number, len(plan.steps), -1))
    elif least > RESULTS_LIMIT:
        raise _Problem(too_many(claim, least))
    for index, constraint in enumerate(spec.constraints):
        if constraint.match_attribute is None and constraint.distinct_attribute is None:
            raise _Problem(
                f"claim {claim.meta.key}, constraint #{index}: empty constraint (unsupported constraint type?)"
            )


def too_many(claim: Claim, least: int) -> str:
    """Upstream's words for a claim that needs more devices than a claim may have."""
    return f"claim {claim.meta.key}: number of requested devices {least} exceeds the claim limit of {RESULTS_LIMIT}"


def _check_features(claim: Claim, request: Request, features: Features) -> None:
    if request.first_available and not features.prioritized_list:
        raise _Problem(
            f"claim {claim.meta.key}, request {request.name}: "
            "has subrequests, but the DRAPrioritizedList feature is disabled"
        )
    if not features.consumable_capacity:
        off = "has capacity requests, but the DRAConsumableCapacity feature is disabled"
        if request.exactly is not None and request.exactly.capacity is not None:
            raise _Problem(f"claim {claim.meta.key}, request {request.name}: {off}")
        for recipe in request.first_available:
            if recipe.capacity is not None:
                raise _Problem(f"claim {claim.meta.key}, subrequest {recipe.name}: {off}")


def _alternative(
    claim: Claim,
    request: Request,
    recipe: SubRequest,
    place: int | None,
    classes: Mapping[str, DeviceClass],
    features: Features,
) -> Alternative:
    if None in recipe.selectors:
        position = recipe.selectors.index(None)
        raise _Problem(
            f"{_where(claim, recipe)}, selector #{position}: CEL expression empty (unsupported selector type?)"
        )
    if place is None and recipe.admin_access is not None and not features.admin_access:
        raise _Problem(f"{_where(claim, recipe)}: admin access is requested, but the feature is disabled")
    if not recipe.class_name:
        raise _Problem(f"{_where(claim, recipe)}: missing device class name (unsupported request type?)")
    device_class = classes.get(recipe.class_name)
    if device_class is None:
        raise _Problem(
            f"{_where(claim, recipe)}: could not retrieve device class {recipe.class_name}: "
            f'deviceclass.resource.k8s.io "{recipe.class_name}" not found'
        )
    count = recipe.count
    if recipe.mode == "All":
        count = ALL
    elif recipe.mode != "ExactCount":
        raise _Problem(f"{_where(claim, recipe)}: unsupported count mode {recipe.mode}")
    elif count > _GO_MAX_INT:
        raise _Problem(f"{_where(claim, recipe)}: exact count {count} is too large")
    elif count < 0:
        count = 0
    wanted: Wanted = tuple(sorted(recipe.capacity.items())) if recipe.capacity else ()
    return Alternative(
        recipe,
        place,
        (device_class.selectors, recipe.selectors, recipe.tolerations, wanted),
        count,
        place is None and recipe.admin_access is True,
        (),
        (),
        (),
    )


def _where(claim: Claim, recipe: SubRequest) -> str:
    return f"claim {claim.meta.key}, request {recipe.name}"


def _cover(alternative: Alternative, request: Request, covered: Sequence[tuple[str, int, Constraint]]) -> None:
    sub = "" if alternative.place is None else alternative.recipe.name
    order = tuple(
        (kind, number)
        for kind, number, constraint in covered
        if covers(frozenset(constraint.requests), request.name, sub)
    )
    alternative.order = order
    alternative.match = tuple(number for kind, number in order if kind == "match")
    alternative.distinct = tuple(number for kind, number in order if kind == "distinct")
