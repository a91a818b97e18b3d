"""Claims compiled for the search, whatever the node: steps, alternatives, constraints, and what validation says.

Validation goes claim by claim and request by request; the first problem is the answer. What it says is the same on
every node, except for mode All, whose devices must be counted on the node: such checks are kept in order.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from aliquot.allocation.exact.node_devices import RecipeKey, Wanted
from aliquot.allocation.features import Features
from aliquot.allocation.inputs import RESULTS_LIMIT
from aliquot.allocation.rules.constraints import covers
from aliquot.dra.claim import Claim, Constraint, DeviceClass, Request, SubRequest

ALL = -1
"""The count of mode All."""

Order = tuple[tuple[str, int], ...]
"""("match" or "distinct", number) of the constraints that cover an alternative, in the claim's order."""


@dataclass(slots=True)
class Alternative:
    """A request's own recipe, or one of its alternatives."""

    id: int
    """Equal for equal keys."""
    key: RecipeKey
    count: int
    admin: bool
    match: tuple[int, ...] = ()
    distinct: tuple[int, ...] = ()
    order: Order = ()
    configured: bool = False
    """Its class has configuration."""


@dataclass(slots=True)
class PlanStep:
    """One request of one claim."""

    claim: int
    request: int
    alternatives: Sequence[Alternative]
    names: tuple[str, ...]
    """Of the alternatives, as results tell them: `request`, or `request/alternative`."""
    listed: bool
    """It's a prioritized list, maybe of one alternative."""


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
    """Compiled claims. While it's being compiled, the tuples grow; most claims leave them empty."""

    claims: Sequence[Claim]
    """As they were given."""
    steps: list[PlanStep]
    match: tuple[str, ...] = ()
    """Attributes of the match constraints of all claims."""
    distinct: tuple[str, ...] = ()
    members: tuple[list[tuple[int, Alternative]], ...] = ()
    """Per match constraint: (step, recipe) of the requests without alternatives that it covers."""
    configured: frozenset[int] = frozenset()
    """Claims that have configuration, or use a class that has."""
    checks: tuple[Check, ...] = ()
    fatal: str = ""
    """The first problem that is the same on every node; it comes after the checks."""
    single: Alternative | None = None
    """The recipe of a single counted request, if that is all there is: no constraint, configuration or admin access."""


class _Problem(Exception):  # noqa: N818 - it never leaves this module
    """A problem, in upstream's words."""


class Compiler:
    """Compiles claims against one set of classes and features. Equal recipes are compiled once."""

    def __init__(self, classes: Mapping[str, DeviceClass], features: Features) -> None:
        self._classes = classes
        self._features = features
        self._ids: dict[RecipeKey, int] = {}
        self._compiled: dict[object, Alternative] = {}

    def plan(self, claims: Sequence[Claim]) -> Plan:
        """Compile claims that are to be allocated together."""
        plan = Plan(claims, [])
        try:
            for number, claim in enumerate(claims):
                self._add(plan, number, claim)
        except _Problem as problem:
            plan.fatal = str(problem)
            return plan
        if len(claims) == 1 and len(plan.steps) == 1 and not plan.configured and not plan.checks:
            step = plan.steps[0]
            one = step.alternatives[0]
            if not step.listed and not one.order and not one.admin and one.count > 0:
                plan.single = one
        return plan

    def _add(self, plan: Plan, number: int, claim: Claim) -> None:
        spec = claim.spec
        if spec.config:
            plan.configured |= {number}
        covered = _numbered(plan, spec.constraints) if spec.constraints else ()
        least = 0
        all_mode = False
        for index, request in enumerate(spec.requests):
            recipe = request.exactly
            if request.first_available:
                alternatives = self._listed(claim, request)
                names = tuple(f"{request.name}/{each.name}" for each in request.first_available)
                fewest = min((each.count for each in alternatives if each.count != ALL), default=0)
            else:
                one = self._alternative(claim, request, recipe or SubRequest(request.name, ""), listed=False)
                alternatives = (one,)
                names = (request.name,)
                fewest = one.count
            if covered:
                alternatives = _covered(alternatives, request, covered)
            step = len(plan.steps)
            plan.steps.append(PlanStep(number, index, alternatives, names, bool(request.first_available)))
            for place, each in enumerate(alternatives):
                if each.configured:
                    plan.configured |= {number}
                if each.count == ALL:
                    plan.checks += (Check(number, step, place),)
                    all_mode = True
            least += max(0, fewest)
            if covered and len(alternatives) == 1:
                for member in alternatives[0].match:
                    plan.members[member].append((step, alternatives[0]))
        if all_mode:
            plan.checks += (Check(number, len(plan.steps), -1),)
        elif least > RESULTS_LIMIT:
            raise _Problem(too_many(claim, least))
        if spec.constraints:
            _check_kinds(claim)

    def _listed(self, claim: Claim, request: Request) -> tuple[Alternative, ...]:
        where = f"claim {claim.meta.key}"
        if not self._features.prioritized_list:
            raise _Problem(
                f"{where}, request {request.name}: has subrequests, but the DRAPrioritizedList feature is disabled"
            )
        if not self._features.consumable_capacity:
            for recipe in (request.exactly, *request.first_available):
                if recipe is not None and recipe.capacity is not None:
                    kind = "request" if recipe is request.exactly else "subrequest"
                    name = request.name if recipe is request.exactly else recipe.name
                    raise _Problem(f"{where}, {kind} {name}: {_CAPACITY_OFF}")
        return tuple(self._alternative(claim, request, recipe, listed=True) for recipe in request.first_available)

    def _alternative(self, claim: Claim, request: Request, recipe: SubRequest, *, listed: bool) -> Alternative:
        content = (
            recipe.class_name, recipe.selectors, recipe.mode, recipe.count, recipe.tolerations,
            recipe.admin_access, listed, tuple(recipe.capacity.items()) if recipe.capacity is not None else None,
        )  # fmt: skip
        known = self._compiled.get(content)
        if known is None:
            known = self._compiled[content] = self._compile(claim, request, recipe, listed)
        return known

    def _compile(self, claim: Claim, request: Request, recipe: SubRequest, listed: bool) -> Alternative:
        where = f"claim {claim.meta.key}, request {recipe.name}"
        if not listed and recipe.capacity is not None and not self._features.consumable_capacity:
            raise _Problem(f"claim {claim.meta.key}, request {request.name}: {_CAPACITY_OFF}")
        if None in recipe.selectors:
            position = recipe.selectors.index(None)
            raise _Problem(f"{where}, selector #{position}: CEL expression empty (unsupported selector type?)")
        if not listed and recipe.admin_access is not None and not self._features.admin_access:
            raise _Problem(f"{where}: admin access is requested, but the feature is disabled")
        if not recipe.class_name:
            raise _Problem(f"{where}: missing device class name (unsupported request type?)")
        device_class = self._classes.get(recipe.class_name)
        if device_class is None:
            raise _Problem(
                f"{where}: could not retrieve device class {recipe.class_name}: "
                f'deviceclass.resource.k8s.io "{recipe.class_name}" not found'
            )
        count = max(recipe.count, 0)
        if recipe.mode == "All":
            count = ALL
        elif recipe.mode != "ExactCount":
            raise _Problem(f"{where}: unsupported count mode {recipe.mode}")
        wanted: Wanted = tuple(sorted(recipe.capacity.items())) if recipe.capacity else ()
        key = (device_class.selectors, recipe.selectors, recipe.tolerations, wanted)
        return Alternative(
            id=self._ids.setdefault(key, len(self._ids)),
            key=key,
            count=count,
            admin=not listed and recipe.admin_access is True,
            configured=bool(device_class.config),
        )


def recipe_name(claim: Claim, step: PlanStep, place: int) -> tuple[str, str]:
    """The class and the name of a step's alternative, as messages tell them."""
    request = claim.spec.requests[step.request]
    recipe = request.first_available[place] if step.listed else request.exactly
    return (recipe.class_name, recipe.name) if recipe is not None else ("", request.name)


def too_many(claim: Claim, least: int) -> str:
    """Upstream's words for a claim that needs more devices than a claim may have."""
    return f"claim {claim.meta.key}: number of requested devices {least} exceeds the claim limit of {RESULTS_LIMIT}"


_CAPACITY_OFF = "has capacity requests, but the DRAConsumableCapacity feature is disabled"


def _numbered(plan: Plan, constraints: Sequence[Constraint]) -> list[tuple[str, int, Constraint]]:
    """Gives the constraints of a claim their numbers in the plan."""
    covered: list[tuple[str, int, Constraint]] = []
    for constraint in constraints:
        if constraint.match_attribute is not None:
            number = len(plan.match)
            covered.append(("match", number, constraint))
            plan.match += (constraint.match_attribute,)
            plan.members += (list[tuple[int, Alternative]](),)
        elif constraint.distinct_attribute is not None:
            covered.append(("distinct", len(plan.distinct), constraint))
            plan.distinct += (constraint.distinct_attribute,)
    return covered


def _covered(
    alternatives: Sequence[Alternative], request: Request, constraints: Sequence[tuple[str, int, Constraint]]
) -> tuple[Alternative, ...]:
    """The alternatives of a request with the constraints that cover them."""
    result: list[Alternative] = []
    for place, each in enumerate(alternatives):
        sub = request.first_available[place].name if request.first_available else ""
        order = tuple(
            (kind, number)
            for kind, number, constraint in constraints
            if covers(frozenset(constraint.requests), request.name, sub)
        )
        match = tuple(number for kind, number in order if kind == "match")
        distinct = tuple(number for kind, number in order if kind == "distinct")
        result.append(replace(each, match=match, distinct=distinct, order=order))
    return tuple(result)


def _check_kinds(claim: Claim) -> None:
    for index, constraint in enumerate(claim.spec.constraints):
        if constraint.match_attribute is None and constraint.distinct_attribute is None:
            raise _Problem(
                f"claim {claim.meta.key}, constraint #{index}: empty constraint (unsupported constraint type?)"
            )
