"""Checks an allocation rule by rule, and by brute force that there is none. Shares no code with the engines.

Only selectors are evaluated by the project's own CEL. Everything else is written down here again, as plainly as can be.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, product

from aliquot.allocation.inputs import Supply
from aliquot.allocation.rules.selectors import Selectors
from aliquot.dra.claim import AllocatedDevice, Claim, ClaimAllocation, Constraint, Request, SubRequest
from aliquot.dra.device import Device, DeviceId, Slice
from aliquot.kube.node import Node
from aliquot.units.quantity import Quantity

Given = tuple[Claim, Request, int | None, SubRequest, DeviceId]
"""A device that is given to a request's recipe; the number tells which alternative it is."""

MOST = 20_000
"""Choices that brute force looks at."""


@dataclass(frozen=True, slots=True)
class World:
    """What allocations are checked against."""

    supply: Supply
    node: Node
    claims: tuple[Claim, ...]
    selectors: Selectors

    def devices(self) -> dict[DeviceId, tuple[Device, Slice]]:
        """The devices of the newest generation of each pool that this node can use."""
        newest: dict[tuple[str, str], int] = {}
        for one in self.supply.slices:
            key = (one.driver, one.pool)
            newest[key] = max(newest.get(key, one.generation), one.generation)
        return {
            DeviceId(one.driver, one.pool, device.name): (device, one)
            for one in self.supply.slices
            if one.generation == newest[one.driver, one.pool] and (one.node_name == self.node.name or one.all_nodes)
            for device in one.devices
        }


def problems(world: World, allocations: Sequence[ClaimAllocation]) -> list[str]:
    """Every rule that the allocations of a world's claims break."""
    given: list[Given] = []
    found: list[str] = []
    for claim, allocation in zip(world.claims, allocations, strict=True):
        if len(allocation.results) > 32:
            found.append(f"{claim.meta.name}: {len(allocation.results)} devices")
        for request in claim.spec.requests:
            got = [each for each in allocation.results if each.request.split("/")[0] == request.name]
            found += _counted(world, claim, request, got)
            given += [_given(claim, request, each) for each in got]
        known = {request.name for request in claim.spec.requests}
        found += [
            f"unknown request {one.request}" for one in allocation.results if one.request.split("/")[0] not in known
        ]
    return found + broken(world, given)


def broken(world: World, given: Sequence[Given]) -> list[str]:
    """The rules that a choice of devices breaks, counts apart."""
    return [*_alone(world, given), *_used_twice(world, given), *_overdrawn(world, given), *_constraints(world, given)]


def possible(world: World) -> bool | None:
    """Whether any choice of devices would do, found by trying them all; None: there are too many."""
    options: list[list[list[Given]]] = []
    total = 1
    for claim in world.claims:
        for request in claim.spec.requests:
            mine = list(_options(world, claim, request))
            options.append(mine)
            total *= max(len(mine), 1)
            if total > MOST:
                return None
    return any(
        _few(world, choice := [each for option in chosen for each in option]) and not broken(world, choice)
        for chosen in product(*options)
    )


def _options(world: World, claim: Claim, request: Request) -> Iterator[list[Given]]:
    recipes: list[tuple[int | None, SubRequest]] = [(place, one) for place, one in enumerate(request.first_available)]
    if request.exactly is not None and not recipes:
        recipes = [(None, request.exactly)]
    for place, recipe in recipes:
        fitting = [id_ for id_ in world.devices() if _selected(world, recipe, id_)]
        if recipe.mode == "All":
            if fitting:
                yield [(claim, request, place, recipe, id_) for id_ in fitting]
            continue
        alone = [id_ for id_ in fitting if not any(_alone(world, [(claim, request, place, recipe, id_)]))]
        for chosen in combinations(alone, recipe.count):
            yield [(claim, request, place, recipe, id_) for id_ in chosen]


def _few(world: World, given: Sequence[Given]) -> bool:
    return all(sum(claim is each[0] for each in given) <= 32 for claim in world.claims)


def _counted(world: World, claim: Claim, request: Request, got: Sequence[AllocatedDevice]) -> list[str]:
    names = {each.request for each in got}
    if len(names) > 1:
        return [f"{claim.meta.name}/{request.name}: several alternatives: {sorted(names)}"]
    if not got:
        able = [one for one in (request.exactly, *request.first_available) if one is not None and one.mode != "All"]
        return [] if any(one.count == 0 for one in able) else [f"{claim.meta.name}/{request.name}: nothing given"]
    recipe = _given(claim, request, got[0])[3]
    wanted = sum(_selected(world, recipe, id_) for id_ in world.devices()) if recipe.mode == "All" else recipe.count
    if len(got) != wanted:
        return [f"{claim.meta.name}/{request.name}: {len(got)} devices, not {wanted}"]
    return []


def _given(claim: Claim, request: Request, one: AllocatedDevice) -> Given:
    _, listed, sub = one.request.partition("/")
    if not listed:
        assert request.exactly is not None
        return (claim, request, None, request.exactly, one.device)
    place = next(place for place, each in enumerate(request.first_available) if each.name == sub)
    return (claim, request, place, request.first_available[place], one.device)


def _admin(each: Given) -> bool:
    return each[2] is None and each[3].admin_access is True


def _shareable(world: World, id_: DeviceId) -> bool:
    return world.supply.features.consumable_capacity and world.devices()[id_][0].allow_multiple


def _selected(world: World, recipe: SubRequest, id_: DeviceId) -> bool:
    device = world.devices()[id_][0]
    expressions = (*world.supply.classes[recipe.class_name].selectors, *recipe.selectors)
    return all(world.selectors.verdict(each or "", id_.driver, device) is True for each in expressions) and (
        not recipe.capacity or set(recipe.capacity) <= set(device.capacity)
    )


def _alone(world: World, given: Sequence[Given]) -> Iterator[str]:
    """Each device by itself: it exists, is selected, isn't allocated, and has no taint in the way."""
    for each in given:
        _, _, _, recipe, id_ = each
        if id_ not in world.devices():
            yield f"{id_} doesn't exist here"
            continue
        device = world.devices()[id_][0]
        if not _selected(world, recipe, id_):
            yield f"{id_} isn't selected"
        if id_ in world.supply.state.devices and not _admin(each):
            yield f"{id_} is taken"
        for taint in device.taints:
            tolerated = any(
                one.effect in {"", taint.effect}
                and one.key in {"", taint.key}
                and (one.operator == "Exists" or one.value == taint.value)
                for one in recipe.tolerations
            )
            if taint.effect in {"NoSchedule", "NoExecute"} and not tolerated:
                yield f"{id_} is tainted"


def _used_twice(world: World, given: Sequence[Given]) -> Iterator[str]:
    """An exclusive device serves one request, or one request of each of several claims if later ones are admins."""
    for number, one in enumerate(given):
        for other in given[:number]:
            if one[4] != other[4]:
                continue
            if one[1] is other[1] and one[0] is other[0]:
                yield f"{one[4]} twice for one request"
            elif not _shareable(world, one[4]) and (one[0] is other[0] or not _admin(one)):
                yield f"{one[4]} twice"


def _overdrawn(world: World, given: Sequence[Given]) -> Iterator[str]:
    """Counters, each device charged once; capacities of shareable devices, each share."""
    state = world.supply.state
    everywhere = {
        DeviceId(one.driver, one.pool, device.name): device for one in world.supply.slices for device in one.devices
    }
    charged = {id_ for id_ in everywhere if state.holds(id_)}
    new = {each[4] for each in given if not _admin(each) or _shareable(world, each[4])} - charged
    left: dict[tuple[str, str, str, str], int] = {}
    for one in world.supply.slices:
        for counter_set in one.shared_counters:
            for name, amount in counter_set.counters.items():
                left[one.driver, one.pool, counter_set.name, name] = amount.nanos
    for id_ in charged | new:
        for use in everywhere[id_].consumes:
            for name, amount in use.counters.items():
                left[id_.driver, id_.pool, use.counter_set, name] -= amount.nanos
    for id_ in new:
        for use in everywhere[id_].consumes:
            yield from (
                f"{id_}: {use.counter_set}/{name} is overdrawn"
                for (driver, pool, counter_set, name), rest in left.items()
                if (driver, pool, counter_set) == (id_.driver, id_.pool, use.counter_set) and rest < 0
            )
    for id_ in {each[4] for each in given}:
        device = everywhere[id_]
        for name, capacity in device.capacity.items():
            takers = [each[3] for each in given if each[4] == id_]
            amounts = [_takes(recipe.capacity, name, device) for recipe in takers]
            if None in amounts:
                yield f"{id_}: {name} breaks its policy"
                continue
            used = [state.consumed[id_][name].nanos] if id_ in state.consumed and name in state.consumed[id_] else []
            total = sum(used) + sum(amount or 0 for amount in amounts)
            if _shareable(world, id_) and total > capacity.value.nanos:
                yield f"{id_}: {name} is overdrawn"
            if any((amount or 0) > capacity.value.nanos for amount in amounts):
                yield f"{id_}: {name} is too small"


def _takes(requests: object, name: str, device: Device) -> int | None:
    """What a share takes of a capacity, in nano-units; None: the policy forbids it."""
    capacity = device.capacity[name]
    policy = capacity.policy
    wanted = requests.get(name) if isinstance(requests, dict) else None
    if wanted is None:
        return (policy.default if policy and policy.default is not None else capacity.value).nanos
    assert isinstance(wanted, Quantity)
    amount = wanted.nanos
    if policy is None:
        return amount
    if policy.valid_range is not None and policy.valid_range.min is not None:
        low, step = policy.valid_range.min.nanos, policy.valid_range.step
        amount = max(amount, low)
        if step is not None:
            amount = low - (low - amount) // step.nanos * step.nanos
        most = policy.valid_range.max
        return None if most is not None and amount > most.nanos else amount
    larger = [value.nanos for value in policy.valid_values if value.nanos >= amount]
    return min(larger) if larger else None if policy.valid_values else amount


def _constraints(world: World, given: Sequence[Given]) -> Iterator[str]:
    for claim in world.claims:
        for constraint in claim.spec.constraints:
            covered = [each for each in given if each[0] is claim and _covers(constraint, each)]
            name = constraint.match_attribute or constraint.distinct_attribute or ""
            values = [_values(world, each[4], name) for each in covered]
            if any(not each for each in values):
                yield f"{claim.meta.name}: a device has no {name}"
            elif constraint.match_attribute and values and not frozenset.intersection(*values):
                yield f"{claim.meta.name}: {name} differs"
            elif constraint.distinct_attribute and any(one & other for one, other in combinations(values, 2)):
                yield f"{claim.meta.name}: {name} isn't distinct"


def _covers(constraint: Constraint, each: Given) -> bool:
    _, request, place, recipe, _ = each
    full = request.name if place is None else f"{request.name}/{recipe.name}"
    return not constraint.requests or request.name in constraint.requests or full in constraint.requests


def _values(world: World, id_: DeviceId, name: str) -> frozenset[tuple[str, object]]:
    attributes = world.devices()[id_][0].attributes
    domain, _, short = name.partition("/")
    found = attributes.get(name) or (attributes.get(short) if domain == id_.driver else None)
    if found is None:
        return frozenset()
    values = found.value if isinstance(found.value, tuple) else (found.value,)
    return frozenset((found.kind.removesuffix("s"), value) for value in values)
