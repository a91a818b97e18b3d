"""What makes the scheduler give up on a pod: claims that can't be handled, and errors that a search may meet."""

from collections.abc import Iterator

from aliquot.allocation.rules.selectors import CelFailure
from aliquot.dra.claim import Request, SubRequest
from scenarios.oracle.nodes import malformed
from scenarios.oracle.rules import MOST_RESULTS
from scenarios.oracle.world import World


def certain(world: World) -> Iterator[str]:
    """What is wrong with the claims, whatever devices there are."""
    for claim in world.claims:
        for request in claim.spec.requests:
            yield from (f"{claim.meta.name}/{request.name}: {fault}" for fault in _of_request(world, request))
        if any(one.match_attribute is None and one.distinct_attribute is None for one in claim.spec.constraints):
            yield f"{claim.meta.name}: a constraint says nothing"


def recipes(request: Request) -> tuple[SubRequest, ...]:
    """A request's alternatives, or its only recipe."""
    return request.first_available or ((request.exactly,) if request.exactly is not None else ())


def _of_request(world: World, request: Request) -> Iterator[str]:
    features = world.features
    if not recipes(request):
        yield "asks for nothing"
    if request.first_available and not features.prioritized_list:
        yield "has alternatives, but that feature is off"
    for one in recipes(request):
        if one.class_name not in world.classes:
            yield f"there's no class {one.class_name!r}"
        if one.mode not in {"ExactCount", "All"}:
            yield f"there's no mode {one.mode!r}"
        if None in one.selectors:
            yield "a selector isn't CEL"
        if one.capacity is not None and not features.consumable_capacity:
            yield "asks for capacity, but that feature is off"
        if not request.first_available and one.admin_access is not None and not features.admin_access:
            yield "asks for admin access, but that feature is off"


def possible_errors(world: World) -> Iterator[str]:
    """What may be met on the way, or not, as the search goes. The claims have no certain faults."""
    unusable = [pool for pool in world.pools if pool.state != "usable"]
    for claim in world.claims:
        wanted = [one for request in claim.spec.requests for one in recipes(request)]
        if sum(max(_count(world, one) for one in recipes(request)) for request in claim.spec.requests) > MOST_RESULTS:
            yield f"{claim.meta.name}: more than {MOST_RESULTS} devices"
        if any(one.mode == "All" for one in wanted) and (claim.spec.constraints or unusable):
            yield f"{claim.meta.name}: all devices, under constraints or with pools that can't be used"
        yield from (f"{claim.meta.name}: {one.name} has a selector that fails" for one in wanted if _fails(world, one))
    yield from _of_devices(world)


def _count(world: World, recipe: SubRequest) -> int:
    return len(world.devices) if recipe.mode == "All" else recipe.count


def _fails(world: World, recipe: SubRequest) -> bool:
    expressions = [each or "" for each in (*world.classes[recipe.class_name].selectors, *recipe.selectors)]
    return any(
        isinstance(world.selectors.verdict(each, one.driver, device), CelFailure)
        for each in expressions
        for pool in world.pools
        for one in pool.here
        for device in one.devices
    )


def _of_devices(world: World) -> Iterator[str]:
    slices = world.slices
    of_devices = [device.node_selector for one in slices for device in one.devices]
    for selector in [*(one.node_selector for one in slices), *of_devices]:
        if selector is not None and (malformed(selector) or len(selector.terms) > 1):
            yield "a node selector that can't be used"
    for one in slices:
        for device in one.devices:
            for name, capacity in device.capacity.items():
                valid = capacity.policy.valid_range if capacity.policy is not None else None
                if valid is not None and valid.step is not None and (valid.min is None or valid.step.value() == 0):
                    yield f"{device.name}: the policy of {name} can't be calculated with"
