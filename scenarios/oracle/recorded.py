"""What an allocation says of a device beside its name: admin access, whether it's a share, and what the share takes."""

from collections.abc import Iterator

from aliquot.dra.claim import AllocatedDevice
from scenarios.oracle.capacity import takes
from scenarios.oracle.world import Given, World


def misstated(world: World, each: Given, result: AllocatedDevice) -> Iterator[str]:
    """What a result says wrongly."""
    if result.admin_access != each.admin:
        yield f"{each.device}: admin access {result.admin_access}"
    if result.tolerations != each.recipe.tolerations:
        yield f"{each.device}: other tolerations than the request's"
    shared = world.shareable(each.device)
    if (result.share_id is not None) != shared:
        yield f"{each.device}: share ID {result.share_id}"
    capacities = world.devices[each.device].capacity if shared else {}
    right = {name: takes((each.recipe.capacity or {}).get(name), capacity) for name, capacity in capacities.items()}
    if {name: amount.nanos for name, amount in (result.consumed or {}).items()} != right:
        yield f"{each.device}: consumes {result.consumed}"
