"""The run-time cost of each call, given its arguments and result: cel-go's cost tracker and Kubernetes' estimator."""

from collections.abc import Callable
from math import ceil
from typing import Final

from aliquot.cel.cost.actual_sizes import LIST_COST, size, size_or_inside, smaller, traversal, walk_cost
from aliquot.cel.cost.unit_functions import UNIT_FUNCTIONS
from aliquot.cel.functions.extensions.lists import MAX_RANGE
from aliquot.cel.values.lists import LISTS
from aliquot.cel.values.named_format import NamedFormat
from aliquot.cel.values.stops import Panic
from aliquot.cel.values.type_names import go_type_name
from aliquot.cel.values.value import Value

CallCost = Callable[[list[Value]], int]
"""What a call costs, from its arguments. A result's size is passed as a further argument where it counts."""


def _walk(factor: int, index: int = 0) -> CallCost:
    return lambda args: ceil(size(args[index]) * factor * 0.1)


def _pattern(args: list[Value]) -> int:
    return walk_cost(1 + size_or_inside(args[0])) * ceil(size_or_inside(args[1]) * 0.25)


def _validation(args: list[Value]) -> int:
    chosen = args[0]
    if type(chosen) is not NamedFormat:
        return 1
    return walk_cost(1 + size(args[1])) * ceil(chosen.pattern_size * 0.25)


def _contained_ip(args: list[Value]) -> int:
    return walk_cost(2 * size(args[0]))


def _contained_ip_text(args: list[Value]) -> int:
    return walk_cost(2 * size(args[0])) + walk_cost(size(args[1]))


def _contained_network(args: list[Value]) -> int:
    return walk_cost(2 * size(args[0])) + walk_cost(size(args[0])) + 1


def _contained_network_text(args: list[Value]) -> int:
    return _contained_network(args) + walk_cost(size(args[1]))


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


def _product(factor: int) -> CallCost:
    return lambda args: 1 + size(args[0]) * size(args[1]) * factor


def _smaller(args: list[Value]) -> int:
    return smaller(args[0], args[1])


_BY_FUNCTION: Final[dict[str, CallCost]] = {
    **{name: lambda args: traversal(args[0]) for name in ("isSorted", "sum", "max", "min", "indexOf", "lastIndexOf")},
    **{name: _walk(1) for name in ("url", "lowerAscii", "upperAscii", "substring", "trim", "cidr", "isIP", "isCIDR")},
    **{name: _walk(1) for name in ("quantity", "isQuantity", "semver", "isSemver")},
    **{name: _walk(2) for name in ("replace", "split", "ip.isCanonical")},
    **dict.fromkeys(("find", "findAll"), _pattern),
    "validate": _validation,
    "check": lambda _: 350_000,
    **{name: lambda args: 10 + walk_cost(size(args[1])) + ceil(ceil(size(args[1]) * 0.5) * 50.0)
       for name in ("fieldSelector", "labelSelector")},
}  # fmt: skip
"""Kubernetes' prices by function; these stand before those by overload."""


_BY_OVERLOAD: Final[dict[str, CallCost]] = {
    "starts_with_string": _walk(1),
    "ends_with_string": _walk(1),
    "string_to_bytes": _walk(1),
    "bytes_to_string": _walk(1),
    "strings_quote": _walk(1),
    "string_format": _walk(1),
    "in_list": lambda args: size_or_inside(args[1]),
    **{f"{name}_{kind}": _smaller
       for name in ("less", "greater", "less_equals", "greater_equals") for kind in ("string", "bytes")},
    "add_string": lambda args: walk_cost(size_or_inside(args[0]) + size_or_inside(args[1])),
    "add_bytes": lambda args: walk_cost(size_or_inside(args[0]) + size_or_inside(args[1])),
    "matches_string": _pattern,
    "contains_string": lambda args: walk_cost(size_or_inside(args[0])) * walk_cost(size_or_inside(args[1])),
}  # fmt: skip

_BY_EXTENSION: Final[dict[str, CallCost]] = {
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


_SINCE_1_37: Final[dict[str, CallCost]] = {
    "list_flatten_int": _flattened_1_37,
    "lists_range": _ranged_1_37,
}

_BY_RESULT: Final = frozenset({"join", "list_slice"})
"""Functions and overloads whose price counts the result, which is passed behind the arguments."""


def cost_of_call(function: str, overload: str, minor: int) -> tuple[int, CallCost | None, bool]:
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
        return 0, lambda args: traversal(args[0]), False
    return _special(function, overload, minor)


def _special(function: str, overload: str, minor: int) -> tuple[int, CallCost | None, bool]:
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
