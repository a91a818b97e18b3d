"""How large the parts of a device can be, by the limits of resource.k8s.io."""

from typing import Final

from aliquot.cel.cost.ranges import Range

DRIVER_LENGTH: Final = 63
DOMAIN_LENGTH: Final = 63
IDENTIFIER_LENGTH: Final = 32
ATTRIBUTE_LENGTH: Final = 64
NAMES_PER_DEVICE: Final = 32
"""The limits of resource.k8s.io: texts in characters, attributes and capacities by number."""

SchemaPath = tuple[str, ...]
"""Where a value comes from: `device`, then fields, `@keys`, `@values`, `@items`."""


def device_size(path: SchemaPath) -> Range | None:
    """The size of what a path through the device leads to, or None where the schema doesn't say."""
    if path[0] != "device":
        return None
    high = 0
    place = "device"
    for name in path[1:]:
        step = _SCHEMA.get(place, {}).get(name)
        if step is None and place.startswith("attributes/"):
            step = ("attribute", ATTRIBUTE_LENGTH)
        if step is None:
            return None
        place, high = step
    return Range(0, high)


_SCHEMA: Final[dict[str, dict[str, tuple[str, int]]]] = {
    "device": {
        "driver": ("driver", DRIVER_LENGTH),
        "allowMultipleAllocations": ("bool", 1),
        "attributes": ("attributes", NAMES_PER_DEVICE),
        "capacity": ("capacity", NAMES_PER_DEVICE),
    },
    "attributes": {
        "@keys": ("domain", DOMAIN_LENGTH),
        "@values": ("attributes/", NAMES_PER_DEVICE),
        "@items": ("attributes/", NAMES_PER_DEVICE),
    },
    "attributes/": {
        "@keys": ("identifier", IDENTIFIER_LENGTH),
        "@values": ("attribute", ATTRIBUTE_LENGTH),
        "@items": ("attribute", ATTRIBUTE_LENGTH),
    },
    "capacity": {
        "@keys": ("domain", DOMAIN_LENGTH),
        "@values": ("capacity/", NAMES_PER_DEVICE),
        "@items": ("capacity/", NAMES_PER_DEVICE),
    },
    "capacity/": {
        "@keys": ("identifier", IDENTIFIER_LENGTH),
        "@values": ("quantity", 0),
        "@items": ("quantity", 0),
    },
}
"""place -> step -> (place, largest size): the declared type of `device`."""
