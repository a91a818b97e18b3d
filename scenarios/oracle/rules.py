"""The rules that a choice of devices breaks."""

from collections.abc import Iterator, Sequence

from aliquot.dra.claim import AllocatedDevice, ClaimAllocation, DeviceToleration, SubRequest
from aliquot.dra.device import Device, DeviceId, DeviceTaint
from scenarios.oracle.capacity import in_use, short, takes
from scenarios.oracle.constraints import violated
from scenarios.oracle.counters import overdrawn
from scenarios.oracle.recorded import misstated
from scenarios.oracle.world import Given, World

MOST_RESULTS = 32
"""Devices that a claim may be given (resource.k8s.io/v1, AllocationResultsMaxSize)."""


def problems(world: World, allocations: Sequence[ClaimAllocation]) -> list[str]:
    """Every rule that the allocations of a world's claims break."""
    given: list[tuple[Given, AllocatedDevice]] = []
    found: list[str] = []
    for number, (claim, allocation) in enumerate(zip(world.claims, allocations, strict=True)):
        if len(allocation.results) > MOST_RESULTS:
            found.append(f"{claim.meta.name}: {len(allocation.results)} devices")
        known = {request.name for request in claim.spec.requests}
        found += [
            f"unknown request {one.request}" for one in allocation.results if one.request.split("/")[0] not in known
        ]
        for index, request in enumerate(claim.spec.requests):
            got = [each for each in allocation.results if each.request.split("/")[0] == request.name]
            found += _counted(world, number, index, got)
            given += [(_given(world, number, index, each), each) for each in got]
    missing = [f"{each.device} isn't there" for each, _ in given if each.device not in world.devices]
    if missing:
        return found + missing
    found += [problem for each, result in given for problem in misstated(world, each, result)]
    return found + list(broken(world, [each for each, _ in given]))


def broken(world: World, given: Sequence[Given]) -> Iterator[str]:
    """The rules that a choice of devices breaks, counts apart. More devices never break fewer rules."""
    of_each = [problem for each in given for problem in alone(world, each)]
    if of_each:
        yield from of_each
        return
    yield from _twice(world, given)
    yield from overdrawn(world, given)
    yield from short(world, given)
    yield from violated(world, given)


def alone(world: World, each: Given) -> Iterator[str]:
    """A device by itself: it's selected, not allocated, and has no taint in the way."""
    device = world.devices[each.device]
    if not world.selected(each.recipe, each.device):
        yield f"{each.device} isn't selected"
    if each.device in world.state.devices and not each.admin:
        yield f"{each.device} is taken"
    if device.consumes and not world.features.partitionable_devices:
        yield f"{each.device} draws on counters"
    if world.features.device_taints and any(_blocks(taint, each.recipe.tolerations) for taint in device.taints):
        yield f"{each.device} is tainted"


def every(world: World, recipe: SubRequest) -> list[DeviceId]:
    """What mode All asks for: the devices that are selected and have room for the request beside shares in use."""

    def room(id_: DeviceId, device: Device) -> bool:
        amounts = {
            name: takes((recipe.capacity or {}).get(name), capacity) for name, capacity in device.capacity.items()
        }
        return all(
            amount is not None and in_use(world, id_, name) + amount <= device.capacity[name].value.nanos
            for name, amount in amounts.items()
        )

    consumable = world.features.consumable_capacity
    return [
        id_
        for id_, device in world.devices.items()
        if world.selected(recipe, id_) and (not consumable or room(id_, device))
    ]


def _blocks(taint: DeviceTaint, tolerations: Sequence[DeviceToleration]) -> bool:
    return taint.effect in {"NoSchedule", "NoExecute"} and not any(
        one.effect in {"", taint.effect}
        and one.key in {"", taint.key}
        and (one.operator == "Exists" or (one.operator in {"", "Equal"} and one.value == taint.value))
        for one in tolerations
    )


def _twice(world: World, given: Sequence[Given]) -> Iterator[str]:
    """An exclusive device serves one request, or one request of each of several claims if later ones are admins."""
    for number, one in enumerate(given):
        for other in given[:number]:
            if one.device != other.device:
                continue
            if (one.claim, one.request) == (other.claim, other.request):
                yield f"{one.device} twice for one request"
            elif not world.shareable(one.device) and (one.claim == other.claim or not one.admin):
                yield f"{one.device} twice"


def _counted(world: World, claim: int, index: int, got: Sequence[AllocatedDevice]) -> list[str]:
    """Whether a request has as many devices as it asks for, all by one alternative."""
    request = world.claims[claim].spec.requests[index]
    where = f"{world.claims[claim].meta.name}/{request.name}"
    names = {each.request for each in got}
    if len(names) > 1:
        return [f"{where}: several alternatives: {sorted(names)}"]
    if not got:
        able = [one for one in (request.exactly, *request.first_available) if one is not None and one.mode != "All"]
        return [] if any(one.count == 0 for one in able) else [f"{where}: nothing given"]
    recipe = _given(world, claim, index, got[0]).recipe
    if recipe.mode == "All":
        lacking = set(every(world, recipe)) ^ {each.device for each in got}
        return [f"{where}: not all, or more: {sorted(map(str, lacking))}"] if lacking else []
    return [] if len(got) == recipe.count else [f"{where}: {len(got)} devices, not {recipe.count}"]


def _given(world: World, claim: int, index: int, one: AllocatedDevice) -> Given:
    request = world.claims[claim].spec.requests[index]
    _, listed, sub = one.request.partition("/")
    if not listed:
        assert request.exactly is not None
        return Given(claim=claim, request=index, alternative=None, recipe=request.exactly, device=one.device)
    place = next(place for place, each in enumerate(request.first_available) if each.name == sub)
    recipe = request.first_available[place]
    return Given(claim=claim, request=index, alternative=place, recipe=recipe, device=one.device)
