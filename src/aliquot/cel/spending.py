"""Run-time cost: what each call costs, given its arguments and result. cel-go's tracker and Kubernetes' estimator."""

from collections.abc import Callable
from math import ceil
from typing import Final

from aliquot.cel.dynamics import LISTS, go_type_name, is_map
from aliquot.cel.lists import MAX_RANGE
from aliquot.cel.naming import NamedFormat
from aliquot.cel.networks import Cidr, Ip
from aliquot.cel.operators import entries_of
from aliquot.cel.urls import Url
from aliquot.cel.values import NONE, Optional, Panic, Sum, Value
from aliquot.units.quantity import Quantity
from aliquot.units.semver import Semver

Price = Callable[[list[Value]], int]
"""What a call costs, from its arguments. A result's size is passed as a further argument where it counts."""

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


def _size_or_inside(value: Value) -> int:
    """As `size`; the tracker of cel-go also looks into optionals."""
    while type(value) is Optional and value is not NONE:
        value = value.value
    return size(value)


def _text(length: float) -> int:
    """Walking once through a text."""
    return ceil(length * 0.1)


def _walk(factor: int, index: int = 0) -> Price:
    return lambda args: ceil(size(args[index]) * factor * 0.1)


def _traversal(value: Value) -> int:
    kind: type[object] = value.__class__
    if kind is str:
        return int(len(value.encode()) * 0.1)
    if kind is bytes:
        return int(len(value) * 0.1)
    if kind in LISTS:
        return sum(_traversal(item) for item in value)
    if is_map(value):
        return sum(_traversal(key) + _traversal(item) for key, item in entries_of(value))
    return 1


def _pattern(args: list[Value]) -> int:
    return _text(1 + _size_or_inside(args[0])) * ceil(_size_or_inside(args[1]) * 0.25)


def _validation(args: list[Value]) -> int:
    chosen = args[0]
    if type(chosen) is not NamedFormat:
        return 1
    return _text(1 + size(args[1])) * ceil(chosen.pattern_size * 0.25)


def _contained_ip(args: list[Value]) -> int:
    return _text(2 * size(args[0]))


def _contained_ip_text(args: list[Value]) -> int:
    return _text(2 * size(args[0])) + _text(size(args[1]))


def _contained_network(args: list[Value]) -> int:
    return _text(2 * size(args[0])) + _text(size(args[0])) + 1


def _contained_network_text(args: list[Value]) -> int:
    return _contained_network(args) + _text(size(args[1]))


def _allocated(factor: float, count: int) -> int:
    return int(count * factor) + 1 + LIST_COST


def _compared_with_itself(items: Value) -> int:
    if type(items) not in LISTS:
        raise Panic("interface conversion: *types.Err is not traits.Lister: missing method Add")
    count = len(items)
    factor = 2.0
    if count and type(items[0]) in {str, bytes}:
        factor += 0.1
    return _allocated(factor, count * count)


def _flattened(args: list[Value]) -> int:
    if len(args) > 1 and type(args[1]) is not int:
        raise Panic(f"interface conversion: ref.Val is {go_type_name(args[1])}, not types.Int")
    depth = float(args[1]) if len(args) > 1 else 1.0
    return _allocated(depth, size(args[0]))


def _product(factor: int) -> Price:
    return lambda args: 1 + size(args[0]) * size(args[1]) * factor


def smaller(left: Value, right: Value) -> int:
    """What comparing costs: walking through the smaller side."""
    return _text(min(_size_or_inside(left), _size_or_inside(right)))


def _smaller(args: list[Value]) -> int:
    return smaller(args[0], args[1])


_UNIT_EQUALITY: Final = frozenset({Quantity, Sum, Ip, Cidr, NamedFormat, Url, Semver})


def equality(left: Value, right: Value) -> int:
    """What `left == right` costs."""
    return 1 if type(left) in _UNIT_EQUALITY else smaller(left, right)


_BY_FUNCTION: Final[dict[str, Price]] = {
    **{name: lambda args: _traversal(args[0]) for name in ("isSorted", "sum", "max", "min", "indexOf", "lastIndexOf")},
    **{name: _walk(1) for name in ("url", "lowerAscii", "upperAscii", "substring", "trim", "cidr", "isIP", "isCIDR")},
    **{name: _walk(1) for name in ("quantity", "isQuantity", "semver", "isSemver")},
    **{name: _walk(2) for name in ("replace", "split", "ip.isCanonical")},
    **dict.fromkeys(("find", "findAll"), _pattern),
    "validate": _validation,
    "check": lambda _: 350_000,
    **{name: lambda args: 10 + _text(size(args[1])) + ceil(ceil(size(args[1]) * 0.5) * 50.0)
       for name in ("fieldSelector", "labelSelector")},
}  # fmt: skip
"""Kubernetes' prices by function; these stand before those by overload."""

UNIT_FUNCTIONS: Final = frozenset({
    "serviceAccount", "path", "group", "resource", "subresource", "namespace", "name", "allowed", "reason", "error",
    "errored", "masked", "prefixLength", "family", "isUnspecified", "isLoopback", "isLinkLocalMulticast",
    "isLinkLocalUnicast", "isGlobalUnicast", "format.named", "sign", "asInteger", "isInteger", "asApproximateFloat",
    "isGreaterThan", "isLessThan", "compareTo", "add", "sub", "major", "minor", "patch", "getScheme", "getHostname",
    "getHost", "getPort", "getEscapedPath", "getQuery",
})  # fmt: skip
"""Functions that cost one unit, whatever their arguments."""

_BY_OVERLOAD: Final[dict[str, Price]] = {
    "starts_with_string": _walk(1),
    "ends_with_string": _walk(1),
    "string_to_bytes": _walk(1),
    "bytes_to_string": _walk(1),
    "strings_quote": _walk(1),
    "string_format": _walk(1),
    "in_list": lambda args: _size_or_inside(args[1]),
    **{f"{name}_{kind}": _smaller
       for name in ("less", "greater", "less_equals", "greater_equals") for kind in ("string", "bytes")},
    "add_string": lambda args: _text(_size_or_inside(args[0]) + _size_or_inside(args[1])),
    "add_bytes": lambda args: _text(_size_or_inside(args[0]) + _size_or_inside(args[1])),
    "matches_string": _pattern,
    "contains_string": lambda args: _text(_size_or_inside(args[0])) * _text(_size_or_inside(args[1])),
}  # fmt: skip

_BY_EXTENSION: Final[dict[str, Price]] = {
    "list_flatten": _flattened,
    "list_flatten_int": _flattened,
    "list_distinct": lambda args: _compared_with_itself(args[0]),
    "list_sets_contains_list": _product(1),
    "list_sets_intersects_list": _product(1),
    "list_sets_equivalent_list": _product(2),
    "list_slice": lambda args: _allocated(1, size(args[-1])),
    "lists_range": lambda args: _allocated(1, max(args[0], 0) if type(args[0]) is int else 1),
    "list_reverse": lambda args: _allocated(1, size(args[0])),
}


def _flattened_1_37(args: list[Value]) -> int:
    return _flattened([args[0], 1]) if len(args) > 1 and type(args[1]) is int and args[1] < 0 else _flattened(args)


def _ranged_1_37(args: list[Value]) -> int:
    refused = type(args[0]) is not int or not 0 <= args[0] <= MAX_RANGE
    return _allocated(1, 1 if refused else args[0])


_SINCE_1_37: Final[dict[str, Price]] = {
    "list_flatten_int": _flattened_1_37,
    "lists_range": _ranged_1_37,
}

_BY_RESULT: Final = frozenset({"join", "list_slice"})
"""Functions and overloads whose price counts the result, which is passed behind the arguments."""


def price_of(function: str, overload: str, minor: int) -> tuple[int, Price | None, bool]:
    """What a call costs: a fixed price, or a function of its arguments; and whether the latter wants the result.

    Args:
        function: the function's name.
        overload: the overload's id; empty where several are possible at run time.
        minor: the Kubernetes minor version.
    """
    if minor >= 37 and overload in _SINCE_1_37:
        return 0, _SINCE_1_37[overload], False
    if overload in _BY_EXTENSION:
        return 0, _BY_EXTENSION[overload], overload in _BY_RESULT
    if overload.endswith("_sort"):
        return 0, lambda args: _compared_with_itself(args[0]), False
    if overload.endswith("_sortByAssociatedKeys"):
        return 0, lambda args: _compared_with_itself(args[1]), False
    if function in UNIT_FUNCTIONS:
        return 1, None, False
    if function in _BY_FUNCTION:
        return 0, _BY_FUNCTION[function], False
    if function == "join":
        return 0, lambda args: ceil(size(args[-1]) * 2 * 0.1), True
    if function == "includes" and minor >= 37:
        return 0, lambda args: _traversal(args[0]), False
    return _special(function, overload, minor)


def _special(function: str, overload: str, minor: int) -> tuple[int, Price | None, bool]:
    if function == "ip":
        return (1, None, False) if overload == "cidr_ip" else (0, _walk(1), False)
    if function == "containsIP":
        return 0, _contained_ip_text if overload == "cidr_contains_ip_string" else _contained_ip, False
    if function == "containsCIDR":
        text = overload == "cidr_contains_cidr_string"
        return 0, _contained_network_text if text else _contained_network, False
    if minor >= 37:  # cel-go 0.29 walks through the prefix, and prices the function `matches` as the method
        if overload in {"starts_with_string", "ends_with_string"}:
            return 0, _walk(1, index=1), False
        if overload == "matches":
            return 0, _pattern, False
    price = _BY_OVERLOAD.get(overload)
    return (1, None, False) if price is None else (0, price, False)
