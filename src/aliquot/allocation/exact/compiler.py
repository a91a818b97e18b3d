"""Compiles claims against one set of classes and features.

Validation goes claim by claim and request by request; the first problem is the answer. What it says is the same on
every node, except for mode All, whose devices must be counted on the node: such checks are kept in order.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from aliquot.allocation.allocator_features import Features
from aliquot.allocation.exact.compiled_claims import (
    ALL,
    Alternative,
    CompiledClaims,
    CompiledRequest,
    ConstraintOrder,
    Criteria,
    NodeCheck,
    too_many,
)
from aliquot.allocation.inputs import RESULTS_LIMIT
from aliquot.dra.claim import Claim, Constraint, DeviceClass, Request, SubRequest

_CAPACITY_OFF = "has capacity requests, but the DRAConsumableCapacity feature is disabled"


class _InvalidClaimError(Exception):
    """A claim that no node can serve, in upstream's words. It never leaves this module."""


class _Constraints:
    """A claim's constraints, by the requests that they name."""

    __slots__ = ("_everywhere", "_named")

    def __init__(self) -> None:
        self._everywhere: list[tuple[int, tuple[str, int]]] = []
        """(place in the claim, constraint) of those that name no request."""
        self._named: dict[str, list[tuple[int, tuple[str, int]]]] = {}

    def add(self, constraint: tuple[str, int], requests: Sequence[str], place: int) -> None:
        """Adds a constraint: its kind and number, and the requests (or request/alternative) that it names."""
        if not requests:
            self._everywhere.append((place, constraint))
        for name in requests:
            self._named.setdefault(name, []).append((place, constraint))

    def order(self, request: str, alternative: str) -> ConstraintOrder:
        """The constraints that cover a request, or an alternative of one, in the claim's order."""
        named = self._named.get(request, [])
        if not alternative and not self._everywhere and len(named) < 2:
            return (named[0][1],) if named else ()
        of_alternative = self._named.get(f"{request}/{alternative}", []) if alternative else []
        return tuple(constraint for _, constraint in sorted({*self._everywhere, *named, *of_alternative}))


class Compiler:
    """Compiles claims. What is asked for alike is compiled once."""

    def __init__(self, classes: Mapping[str, DeviceClass], features: Features) -> None:
        self._classes = classes
        self._features = features
        self._ids: dict[Criteria, int] = {}
        self._compiled: dict[object, Alternative] = {}
        self._tied: dict[object, Alternative] = {}
        """Alternatives under constraints."""

    def compile(self, compiled: CompiledClaims) -> None:
        """Compiles claims that are to be allocated together, in place."""
        claims = compiled.claims
        try:
            for number, claim in enumerate(claims):
                self._add(compiled, number, claim)
        except _InvalidClaimError as error:
            compiled.fatal = str(error)
            return
        if len(claims) == 1 and len(compiled.steps) == 1 and not compiled.configured and not compiled.checks:
            step = compiled.steps[0]
            asked = step.alternatives[0]
            if not step.listed and not asked.order and not asked.admin and asked.count > 0:
                compiled.single = asked

    def _add(self, compiled: CompiledClaims, number: int, claim: Claim) -> None:
        spec = claim.spec
        if spec.config:
            compiled.configured |= {number}
        constraints = _numbered(compiled, spec.constraints) if spec.constraints else None
        least = 0
        all_mode = False
        for index, request in enumerate(spec.requests):
            recipe = request.exactly
            if request.first_available:
                alternatives = self._listed(claim, request)
                names = tuple(f"{request.name}/{each.name}" for each in request.first_available)
                fewest = min((each.count for each in alternatives if each.count != ALL), default=0)
            else:
                asked = self._alternative(claim, request, recipe or SubRequest(request.name, ""), listed=False)
                alternatives = (asked,)
                names = (request.name,)
                fewest = asked.count
            if constraints is not None:
                alternatives = self._covered(alternatives, request, constraints)
            step = len(compiled.steps)
            listed = bool(request.first_available)
            compiled.steps.append(CompiledRequest(number, index, alternatives, names, listed))  # keywords cost 5 %
            for place, each in enumerate(alternatives):
                if each.configured:
                    compiled.configured |= {number}
                if each.count == ALL:
                    compiled.checks += (NodeCheck(number, step, place),)
                    all_mode = True
            least += max(0, fewest)
            if constraints is not None and len(alternatives) == 1:
                for member in alternatives[0].match:
                    compiled.members[member].append((step, alternatives[0]))
        if all_mode:
            compiled.checks += (NodeCheck(number, len(compiled.steps), -1),)
        elif least > RESULTS_LIMIT:
            raise _InvalidClaimError(too_many(claim, least))
        if spec.constraints:
            _check_kinds(claim)

    def _listed(self, claim: Claim, request: Request) -> tuple[Alternative, ...]:
        where = f"claim {claim.meta.key}"
        if not self._features.prioritized_list:
            raise _InvalidClaimError(
                f"{where}, request {request.name}: has subrequests, but the DRAPrioritizedList feature is disabled"
            )
        if not self._features.consumable_capacity:
            for recipe in (request.exactly, *request.first_available):
                if recipe is not None and recipe.capacity is not None:
                    kind = "request" if recipe is request.exactly else "subrequest"
                    name = request.name if recipe is request.exactly else recipe.name
                    raise _InvalidClaimError(f"{where}, {kind} {name}: {_CAPACITY_OFF}")
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

    def _covered(
        self, alternatives: Sequence[Alternative], request: Request, constraints: _Constraints
    ) -> tuple[Alternative, ...]:
        """The alternatives of a request with the constraints that cover them."""
        result: list[Alternative] = []
        for place, each in enumerate(alternatives):
            sub = request.first_available[place].name if request.first_available else ""
            order = constraints.order(request.name, sub)
            key = (each.id, each.count, each.admin, each.configured, order)
            known = self._tied.get(key) if order else each
            if known is None:
                match = tuple(number for kind, number in order if kind == "match")
                distinct = tuple(number for kind, number in order if kind == "distinct")
                known = self._tied[key] = replace(each, match=match, distinct=distinct, order=order)
            result.append(known)
        return tuple(result)

    def _compile(self, claim: Claim, request: Request, recipe: SubRequest, listed: bool) -> Alternative:
        where = f"claim {claim.meta.key}, request {recipe.name}"
        if not listed and recipe.capacity is not None and not self._features.consumable_capacity:
            raise _InvalidClaimError(f"claim {claim.meta.key}, request {request.name}: {_CAPACITY_OFF}")
        if None in recipe.selectors:
            position = recipe.selectors.index(None)
            raise _InvalidClaimError(
                f"{where}, selector #{position}: CEL expression empty (unsupported selector type?)"
            )
        if not listed and recipe.admin_access is not None and not self._features.admin_access:
            raise _InvalidClaimError(f"{where}: admin access is requested, but the feature is disabled")
        if not recipe.class_name:
            raise _InvalidClaimError(f"{where}: missing device class name (unsupported request type?)")
        device_class = self._classes.get(recipe.class_name)
        if device_class is None:
            raise _InvalidClaimError(
                f"{where}: could not retrieve device class {recipe.class_name}: "
                f'deviceclass.resource.k8s.io "{recipe.class_name}" not found'
            )
        count = max(recipe.count, 0)
        if recipe.mode == "All":
            count = ALL
        elif recipe.mode != "ExactCount":
            raise _InvalidClaimError(f"{where}: unsupported count mode {recipe.mode}")
        capacity = tuple(sorted(recipe.capacity.items())) if recipe.capacity else ()
        criteria = Criteria(device_class.selectors, recipe.selectors, recipe.tolerations, capacity)
        return Alternative(
            id=self._ids.setdefault(criteria, len(self._ids)),
            criteria=criteria,
            count=count,
            admin=not listed and recipe.admin_access is True,
            configured=bool(device_class.config),
        )


def _numbered(compiled: CompiledClaims, constraints: Sequence[Constraint]) -> _Constraints:
    """Gives the constraints of a claim their numbers."""
    found = _Constraints()
    for place, constraint in enumerate(constraints):
        if constraint.match_attribute is not None:
            found.add(("match", len(compiled.match)), constraint.requests, place)
            compiled.match += (constraint.match_attribute,)
            compiled.members += (list[tuple[int, Alternative]](),)
        elif constraint.distinct_attribute is not None:
            found.add(("distinct", len(compiled.distinct)), constraint.requests, place)
            compiled.distinct += (constraint.distinct_attribute,)
    return found


def _check_kinds(claim: Claim) -> None:
    for index, constraint in enumerate(claim.spec.constraints):
        if constraint.match_attribute is None and constraint.distinct_attribute is None:
            raise _InvalidClaimError(
                f"claim {claim.meta.key}, constraint #{index}: empty constraint (unsupported constraint type?)"
            )
