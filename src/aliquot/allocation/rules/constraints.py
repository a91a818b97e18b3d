"""What a constraint looks at: which requests it covers, and a device's attribute as a set of values.

Source: resource.k8s.io/v1, DeviceConstraint and DeviceAttribute; k8s.io/dynamic-resource-allocation v0.36,
structured/internal/experimental (lookupAttribute).
"""

from collections.abc import Mapping
from typing import Final

from aliquot.dra.device import Attribute, Device

SCALARS: Final = ("string", "int", "bool", "version")
"""Kinds of attributes with one value."""
LISTS: Final[Mapping[str, str]] = {"strings": "string", "ints": "int", "bools": "bool", "versions": "version"}
"""Kind of a list -> kind of its elements."""

ValueSet = tuple[str, frozenset[object]]
"""(scalar kind, values): an attribute as a set, for comparing lists and scalars alike."""


def covers(names: frozenset[str], request: str, alternative: str) -> bool:
    """Says whether a constraint covers a request; one that names no requests covers all of its claim."""
    return not names or request in names or (alternative != "" and f"{request}/{alternative}" in names)


def attribute_of(device: Device, driver: str, name: str) -> Attribute | None:
    """Finds an attribute by its fully qualified name; an unqualified one counts as the driver's own."""
    found = device.attributes.get(name)
    if found is not None:
        return found
    domain, slash, rest = name.partition("/")
    return device.attributes.get(rest) if slash and domain == driver else None


def value_set(attribute: Attribute) -> ValueSet | None:
    """Returns an attribute as a set of values; None for an empty list or an unknown kind."""
    if attribute.kind in SCALARS:
        return attribute.kind, frozenset((attribute.value,))
    if isinstance(attribute.value, tuple) and attribute.value:
        return LISTS[attribute.kind], frozenset(attribute.value)
    return None
