"""Small supplies and claims for tests, said briefly. The driver is drv.example.com unless said otherwise."""

from collections.abc import Mapping, Sequence

from aliquot.allocation.allocator_features import Features, Implementation, features_of
from aliquot.allocation.behaviour import V1_36, Behaviour
from aliquot.allocation.inputs import AllocatedState, Supply
from aliquot.allocation.reference.allocator import Reference
from aliquot.allocation.rules.cel_selectors import selectors_of
from aliquot.dra.claim import Claim, ClaimSpec, Constraint, DeviceClass, DeviceConfig, Request, SubRequest
from aliquot.dra.device import Attribute, Capacity, CounterSet, CounterUse, Device, DeviceId, Slice
from aliquot.kube.meta import Meta
from aliquot.kube.node import Node
from aliquot.kube.release import Kubernetes
from aliquot.units.quantity import Quantity

DRIVER = "drv.example.com"
NODE = Node(Meta("n1", labels={"kubernetes.io/hostname": "n1", "zone": "a"}))
DEFAULT = features_of(Kubernetes(36))

Value = int | bool | str | tuple[int, ...] | tuple[str, ...]


def quantities(amounts: Mapping[str, str]) -> dict[str, Quantity]:
    """Amounts by name."""
    return {name: Quantity.parse(text) for name, text in amounts.items()}


def attribute(value: Value) -> Attribute:
    """An attribute of the type that the value has; a tuple is a list."""
    if isinstance(value, tuple):
        return Attribute("ints" if isinstance(value[0], int) else "strings", value)
    return Attribute("bool" if isinstance(value, bool) else "int" if isinstance(value, int) else "string", value)


def device(
    name: str,
    *,
    uses: Mapping[str, Mapping[str, str]] | None = None,
    capacity: Mapping[str, Capacity | str] | None = None,
    shared: bool = False,
    **attributes: Value,
) -> Device:
    """A device; `uses`: counter set -> counter -> amount; a capacity may be written as its amount alone."""
    return Device(
        name,
        {key: attribute(value) for key, value in attributes.items()},
        {
            key: Capacity(Quantity.parse(value)) if isinstance(value, str) else value
            for key, value in (capacity or {}).items()
        },
        tuple(CounterUse(counter_set, quantities(amounts)) for counter_set, amounts in (uses or {}).items()),
        allow_multiple=shared,
    )


def pool(
    *devices: Device,
    name: str = "p",
    driver: str = DRIVER,
    node: str | None = "n1",
    count: int = 1,
    generation: int = 1,
    label: str = "s",
) -> Slice:
    """A slice: all of its pool unless `count` says otherwise."""
    return Slice(Meta(label), driver, name, generation, count, node_name=node, devices=devices)


def counters(sets: Mapping[str, Mapping[str, str]], *, name: str = "p", count: int = 2) -> Slice:
    """The slice of a pool that holds its counter sets."""
    made = tuple(CounterSet(key, quantities(amounts)) for key, amounts in sets.items())
    return Slice(Meta("counters"), DRIVER, name, 1, count, node_name="n1", shared_counters=made)


def recipe(name: str, *selectors: str | None, count: int = 1, **more: object) -> SubRequest:
    """What a request, or an alternative of one, asks for."""
    fields: dict[str, object] = {"class_name": "any", "selectors": selectors, "count": count, **more}
    return SubRequest(name, **fields)  # type: ignore[arg-type]


def request(name: str, *selectors: str | None, count: int = 1, **more: object) -> Request:
    """A request for so many devices."""
    return Request(name, recipe(name, *selectors, count=count, **more))


def first_of(name: str, *alternatives: SubRequest) -> Request:
    """A request with alternatives, the best first."""
    return Request(name, None, alternatives)


def claim(
    *requests: Request,
    name: str = "c",
    constraints: Sequence[Constraint] = (),
    config: Sequence[DeviceConfig] = (),
) -> Claim:
    """A claim."""
    return Claim(Meta(name, "default"), ClaimSpec(requests, tuple(constraints), tuple(config)))


def match(attribute_name: str, *requests: str) -> Constraint:
    """Devices of these requests (none named: of all) have one value of the attribute."""
    return Constraint(requests, match_attribute=attribute_name)


def distinct(attribute_name: str, *requests: str) -> Constraint:
    """Their values of the attribute differ."""
    return Constraint(requests, distinct_attribute=attribute_name)


def supply(
    *slices: Slice,
    classes: Sequence[DeviceClass] = (),
    taken: Sequence[str] = (),
    state: AllocatedState | None = None,
    features: Features = DEFAULT,
) -> Supply:
    """A supply with the class `any`, and other classes; `taken`: names of devices of pool p."""
    known = {one.meta.name: one for one in (DeviceClass(Meta("any")), *classes)}
    held = state or AllocatedState(frozenset(DeviceId(DRIVER, "p", name) for name in taken))
    return Supply(slices, known, held, features)


def engine(offered: Supply, behaviour: Behaviour = V1_36, implementation: Implementation | None = None) -> Reference:
    """The reference allocator, as an implementation of upstream or as the features ask."""
    return Reference(offered, selectors_of(Kubernetes(36), offered.features), behaviour, implementation)
