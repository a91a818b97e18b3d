"""matchAttribute and distinctAttribute."""

from collections.abc import Iterator, Sequence
from itertools import combinations

from aliquot.dra.claim import Constraint
from aliquot.dra.device import Attribute, DeviceId
from scenarios.oracle.world import Given, World

LISTS = ("ints", "bools", "strings", "versions")


def violated(world: World, given: Sequence[Given]) -> Iterator[str]:
    """The constraints of each claim that its devices don't keep."""
    for number, claim in enumerate(world.claims):
        for constraint in claim.spec.constraints:
            covered = [each for each in given if each.claim == number and _covers(world, constraint, each)]
            name = constraint.match_attribute or constraint.distinct_attribute or ""
            found = [attribute for each in covered if (attribute := _attribute(world, each.device, name))]
            if len(found) < len(covered):
                yield f"{claim.meta.name}: a device has no {name}"
            elif not world.features.list_attributes and any(one.kind in LISTS for one in found[1:]):
                yield f"{claim.meta.name}: {name} is a list, which can't be compared"
            elif constraint.match_attribute is not None:
                if found and not frozenset.intersection(*(_values(one) for one in found)):
                    yield f"{claim.meta.name}: {name} differs"
            elif any(_values(one) & _values(other) for one, other in combinations(found, 2)):
                yield f"{claim.meta.name}: {name} isn't distinct"


def _covers(world: World, constraint: Constraint, each: Given) -> bool:
    request = world.claims[each.claim].spec.requests[each.request].name
    names = {request} if each.alternative is None else {request, f"{request}/{each.recipe.name}"}
    return not constraint.requests or bool(names & set(constraint.requests))


def _attribute(world: World, id_: DeviceId, name: str) -> Attribute | None:
    attributes = world.devices[id_].attributes
    domain, _, short = name.partition("/")
    return attributes.get(name) or (attributes.get(short) if domain == id_.driver else None)


def _values(attribute: Attribute) -> frozenset[tuple[str, object]]:
    values = attribute.value if isinstance(attribute.value, tuple) else (attribute.value,)
    return frozenset((attribute.kind.removesuffix("s"), value) for value in values)
