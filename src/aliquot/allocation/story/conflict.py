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
class Relaxed:
    """Claims and a supply, with some obstacles lifted."""

    supply: Supply
    claims: tuple[Claim, ...]


@dataclass(frozen=True, slots=True)
class Obstacle:
    """One thing that must hold: in words, and claims and supply without it."""

    text: str
    lifted: Callable[[Relaxed], Relaxed]


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
    relaxed = Relaxed(supply, tuple(claims))

    def unfit(candidate: Relaxed) -> bool:
        answer = make_engine(candidate.supply).prepare(candidate.claims).on(node)
        return isinstance(answer, NoAllocation) and answer.category == "does not fit"

    obstacles = list(_obstacles(relaxed))
    if len(obstacles) > MOST or not unfit(relaxed):
        return ()
    kept: list[str] = []
    for obstacle in obstacles:
        candidate = obstacle.lifted(relaxed)
        if unfit(candidate):
            relaxed = candidate
        else:
            kept.append(obstacle.text)
    return tuple(kept)


def _obstacles(relaxed: Relaxed) -> Iterator[Obstacle]:
    state = relaxed.supply.state
    holders: dict[str, list[DeviceId]] = {}
    for device in sorted(state.devices | state.shared_devices()):
        names = [holder.claim for holder in state.holders.get(device, ())] or [""]
        for name in names:
            holders.setdefault(name, []).append(device)
    for name, devices in holders.items():
        told = f"claim {name} keeps" if name else "another claim keeps"
        yield Obstacle(f"{told} {', '.join(map(str, devices))}", _Released(frozenset(devices)))
    if any(device.taints for published in relaxed.supply.slices for device in published.devices):
        yield Obstacle("taints of devices count", _untainted)
    for number, claim in enumerate(relaxed.claims):
        yield from _of_claim(number, claim)


def _of_claim(number: int, claim: Claim) -> Iterator[Obstacle]:
    for request in claim.spec.requests:
        for alternative, recipe in enumerate(_recipes(request)):
            name = f"{request.name}/{recipe.name}" if request.first_available else request.name
            for index, selector in enumerate(recipe.selectors):
                lifted = _SelectorTaken(number, request.name, alternative, index)
                yield Obstacle(f"{claim.meta.key}: request {name} wants {selector}", lifted)
    for index, constraint in enumerate(claim.spec.constraints):
        yield Obstacle(f"{claim.meta.key}: {_constraint(constraint)}", _ConstraintTaken(number, index))
    for request in claim.spec.requests:
        yield Obstacle(
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

    def __call__(self, relaxed: Relaxed) -> Relaxed:
        state, gone = relaxed.supply.state, self.devices
        left = AllocatedState(
            state.devices - gone,
            frozenset(share for share in state.shares if share[0] not in gone),
            {device: amounts for device, amounts in state.consumed.items() if device not in gone},
            {device: held for device, held in state.holders.items() if device not in gone},
        )
        return replace(relaxed, supply=replace(relaxed.supply, state=left))


def _untainted(relaxed: Relaxed) -> Relaxed:
    def tolerant(recipe: SubRequest) -> SubRequest:
        return replace(recipe, tolerations=(_ANY_TAINT,))

    return _with_recipes(relaxed, lambda _claim, _request, _alternative, recipe: tolerant(recipe))


@dataclass(frozen=True, slots=True)
class _SelectorTaken:
    claim: int
    request: str
    alternative: int
    index: int

    def __call__(self, relaxed: Relaxed) -> Relaxed:
        def change(claim: int, request: str, alternative: int, recipe: SubRequest) -> SubRequest:
            if (claim, request, alternative) != (self.claim, self.request, self.alternative):
                return recipe
            always = tuple("true" if i == self.index else selector for i, selector in enumerate(recipe.selectors))
            return replace(recipe, selectors=always)

        return _with_recipes(relaxed, change)


@dataclass(frozen=True, slots=True)
class _ConstraintTaken:
    claim: int
    index: int

    def __call__(self, relaxed: Relaxed) -> Relaxed:
        def change(claim: Claim) -> Claim:
            nothing = Constraint(("-",), match_attribute="-/-")  # keeps the others' places
            kept = tuple(
                nothing if i == self.index else constraint for i, constraint in enumerate(claim.spec.constraints)
            )
            return replace(claim, spec=replace(claim.spec, constraints=kept))

        return _with_claim(relaxed, self.claim, change)


@dataclass(frozen=True, slots=True)
class _RequestTaken:
    claim: int
    request: str

    def __call__(self, relaxed: Relaxed) -> Relaxed:
        def change(claim: Claim) -> Claim:
            kept = tuple(request for request in claim.spec.requests if request.name != self.request)
            return replace(claim, spec=replace(claim.spec, requests=kept))

        return _with_claim(relaxed, self.claim, change)


def _with_claim(relaxed: Relaxed, number: int, change: Callable[[Claim], Claim]) -> Relaxed:
    claims = tuple(change(claim) if i == number else claim for i, claim in enumerate(relaxed.claims))
    return replace(relaxed, claims=claims)


def _with_recipes(relaxed: Relaxed, change: Callable[[int, str, int, SubRequest], SubRequest]) -> Relaxed:
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
        replace(
            claim, spec=replace(claim.spec, requests=tuple(changed(number, request) for request in claim.spec.requests))
        )
        for number, claim in enumerate(relaxed.claims)
    )
    return replace(relaxed, claims=claims)
