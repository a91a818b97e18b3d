"""The sizes of run-time values, as costs count them."""

from math import ceil
from typing import Final

from aliquot.cel.values.lists import LISTS
from aliquot.cel.values.maps import entries_of, is_map
from aliquot.cel.values.named_format import NamedFormat
from aliquot.cel.values.network.cidr import Cidr
from aliquot.cel.values.network.ip import Ip
from aliquot.cel.values.network.url import Url
from aliquot.cel.values.optional import NONE, Optional
from aliquot.cel.values.quantities import ComputedQuantity
from aliquot.cel.values.value import Value
from aliquot.units.quantity import Quantity
from aliquot.units.semver import Semver

LIST_COST: Final = 10
MAP_COST: Final = 30


def size(value: Value) -> int:
    """A value's size as costs count it: 1 for what has none."""
    kind: type[object] = value.__class__
    if kind is str or kind is bytes or kind in LISTS or is_map(value):
        return len(value)
    if kind is Ip or kind is Cidr:
        octets: int = value.octets
        return octets
    return 1


def size_or_inside(value: Value) -> int:
    """As `size`; the tracker of cel-go also looks into optionals."""
    while type(value) is Optional and value is not NONE:
        value = value.value
    return size(value)


def walk_cost(length: float) -> int:
    """Walking once through a text."""
    return ceil(length * 0.1)


def traversal(value: Value) -> int:
    """Walking through a value and all that's in it."""
    kind: type[object] = value.__class__
    if kind is str:
        return int(len(value.encode()) * 0.1)
    if kind is bytes:
        return int(len(value) * 0.1)
    if kind in LISTS:
        return sum(traversal(item) for item in value)
    if is_map(value):
        return sum(traversal(key) + traversal(item) for key, item in entries_of(value))
    return 1


def smaller(left: Value, right: Value) -> int:
    """What comparing costs: walking through the smaller side."""
    return walk_cost(min(size_or_inside(left), size_or_inside(right)))


_UNIT_EQUALITY: Final = frozenset({Quantity, ComputedQuantity, Ip, Cidr, NamedFormat, Url, Semver})


def equality(left: Value, right: Value) -> int:
    """What `left == right` costs."""
    return 1 if type(left) in _UNIT_EQUALITY else smaller(left, right)
