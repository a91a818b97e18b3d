"""A smallest set of requirements that can't hold together: take any one away, and the claims fit.

Requirements are taken away one after the other for as long as the claims still don't fit; what can't be taken away is
the set. It's minimal, though another set of fewer may exist. Facts of the cluster are taken away first and a claim's
own requirements last, so that the set speaks of the claims where it can.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from aliquot.allocation.answer import NoAllocation
from aliquot.allocation.inputs import AllocatedState, Engine, Supply
from aliquot.dra.claim import Claim, Constraint, DeviceToleration, Request, SubRequest
from aliquot.dra.device import DeviceId
from aliquot.kube.node import Node

MOST: Final = 64
"""Requirements that are looked at, one call of an engine each; above that, no set is looked for."""

_ANY_TAINT: Final = DeviceToleration(operator="Exists")


@dataclass(frozen=True, slots=True)
class Problem:
    """Claims and a supply that may have lost some requirements."""

    supply: Supply
    claims: tuple[Claim, ...]


@dataclass(frozen=True, slots=True)
class Requirement:
    """One thing that must hold: in words, and the problem without it."""

    text: str
    without: Callable[[Problem], Problem]


def smallest_conflict(
    supply: Supply, node: Node, claims: Sequence[Claim], make_engine: Callable[[Supply], Engine]
) -> tuple[str, ...]:
    """Returns a smallest set of requirements, in words, that a node can't meet together.

    Args:
        supply: what the cluster offers.
        node: the node.
        claims: claims that don't fit there.
        make_engine: makes the allocator that is asked; one that answers fast and without defects.

    Returns:
        The set; empty if the claims fit, if they fail for another reason than not fitting, or if there are more than
        `MOST` requirements.
    """
    problem = Problem(supply, tuple(claims))

    def unfit(candidate: Problem) -> bool:
        answer = make_engine(candidate.supply).prepare(candidate.claims).on(node)
        return isinstance(answer, NoAllocation) and answer.category == "does not fit"

    requirements = list(_requirements(problem))
    if len(requirements) > MOST or not unfit(problem):
        return ()
    kept: list[str] = []
    for requirement in requirements:
        candidate = requirement.without(problem)
        if unfit(candidate):
            problem = candidate
        else:
            kept.append(requirement.text)
    return tuple(kept)


def _requirements(problem: Problem) -> Iterator[Requirement]:
    state = problem.supply.state
    holders: dict[str, list[DeviceId]] = {}
    for device in sorted(state.devices | state.shared_devices()):
        names = [holder.claim for holder in state.holders.get(device, ())] or [""]
        for name in names:
            holders.setdefault(name, []).append(device)
    for name, devices in holders.items():
        told = f"claim {name} keeps" if name else "another claim keeps"
        yield Requirement(f"{told} {', '.join(map(str, devices))}", _Released(frozenset(devices)))
    if any(device.taints for one in problem.supply.slices for device in one.devices):
        yield Requirement("taints of devices count", _untainted)
    for number, claim in enumerate(problem.claims):
        yield from _of_claim(number, claim)


def _of_claim(number: int, claim: Claim) -> Iterator[Requirement]:
    for request in claim.spec.requests:
        for alternative, recipe in enumerate(_recipes(request)):
            name = f"{request.name}/{recipe.name}" if request.first_available else request.name
            for index, selector in enumerate(recipe.selectors):
                without = _SelectorTaken(number, request.name, alternative, index)
                yield Requirement(f"{claim.meta.key}: request {name} wants {selector}", without)
    for index, constraint in enumerate(claim.spec.constraints):
        yield Requirement(f"{claim.meta.key}: {_constraint(constraint)}", _ConstraintTaken(number, index))
    for request in claim.spec.requests:
        yield Requirement(
            f"{claim.meta.key}: request {request.name} {_wants(request)}", _RequestTaken(number, request.name)
        )


def _recipes(request: Request) -> tuple[SubRequest, ...]:
    return request.first_available or ((request.exactly,) if request.exactly is not None else ())


def _constraint(constraint: Constraint) -> str:
    whose = f"requests {', '.join(constraint.requests)}" if constraint.requests else "all requests"
    if constraint.match_attribute is not None:
        return f"{whose} match in {constraint.match_attribute}"
    return f"{whose} differ in {constraint.distinct_attribute}"


def _wants(request: Request) -> str:
    wanted = [
        f"all of {recipe.class_name}" if recipe.mode == "All" else f"{recipe.count} of {recipe.class_name}"
        for recipe in _recipes(request)
    ]
    return f"wants {' or '.join(wanted)}"


# --- how each is taken away ------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Released:
    devices: frozenset[DeviceId]

    def __call__(self, problem: Problem) -> Problem:
        state, gone = problem.supply.state, self.devices
        left = AllocatedState(
            state.devices - gone,
            frozenset(share for share in state.shares if share[0] not in gone),
            {device: amounts for device, amounts in state.consumed.items() if device not in gone},
            {device: held for device, held in state.holders.items() if device not in gone},
        )
        return replace(problem, supply=replace(problem.supply, state=left))


def _untainted(problem: Problem) -> Problem:
    def tolerant(recipe: SubRequest) -> SubRequest:
        return replace(recipe, tolerations=(_ANY_TAINT,))

    return _with_recipes(problem, lambda _claim, _request, _alternative, recipe: tolerant(recipe))


@dataclass(frozen=True, slots=True)
class _SelectorTaken:
    claim: int
    request: str
    alternative: int
    index: int

    def __call__(self, problem: Problem) -> Problem:
        def change(claim: int, request: str, alternative: int, recipe: SubRequest) -> SubRequest:
            if (claim, request, alternative) != (self.claim, self.request, self.alternative):
                return recipe
            always = tuple("true" if i == self.index else one for i, one in enumerate(recipe.selectors))
            return replace(recipe, selectors=always)

        return _with_recipes(problem, change)


@dataclass(frozen=True, slots=True)
class _ConstraintTaken:
    claim: int
    index: int

    def __call__(self, problem: Problem) -> Problem:
        def change(claim: Claim) -> Claim:
            nothing = Constraint(("-",), match_attribute="-/-")  # keeps the others' places
            kept = tuple(nothing if i == self.index else one for i, one in enumerate(claim.spec.constraints))
            return replace(claim, spec=replace(claim.spec, constraints=kept))

        return _with_claim(problem, self.claim, change)


@dataclass(frozen=True, slots=True)
class _RequestTaken:
    claim: int
    request: str

    def __call__(self, problem: Problem) -> Problem:
        def change(claim: Claim) -> Claim:
            kept = tuple(one for one in claim.spec.requests if one.name != self.request)
            return replace(claim, spec=replace(claim.spec, requests=kept))

        return _with_claim(problem, self.claim, change)


def _with_claim(problem: Problem, number: int, change: Callable[[Claim], Claim]) -> Problem:
    claims = tuple(change(claim) if i == number else claim for i, claim in enumerate(problem.claims))
    return replace(problem, claims=claims)


def _with_recipes(problem: Problem, change: Callable[[int, str, int, SubRequest], SubRequest]) -> Problem:
    def changed(number: int, request: Request) -> Request:
        exactly = request.exactly
        return replace(
            request,
            exactly=change(number, request.name, 0, exactly) if exactly is not None else None,
            first_available=tuple(
                change(number, request.name, i, recipe) for i, recipe in enumerate(request.first_available)
            ),
        )

    claims = tuple(
        replace(claim, spec=replace(claim.spec, requests=tuple(changed(number, one) for one in claim.spec.requests)))
        for number, claim in enumerate(problem.claims)
    )
    return replace(problem, claims=claims)
