"""What a call may cost at most, by function and overload: cel-go's estimates and Kubernetes' own."""

from typing import Final

from aliquot.cel.cost.argument import Argument, CallEstimator, Estimate, walk
from aliquot.cel.cost.kubernetes_estimates import contains_ip, contains_network, validating
from aliquot.cel.cost.list_estimates import (
    finding_distinct,
    flattening,
    including,
    made_list,
    number,
    reversing,
    set_product,
    slicing,
    sorting,
    whole_list,
)
from aliquot.cel.cost.ranges import MAX, ONE, Range, fixed
from aliquot.cel.cost.text_estimates import (
    adding,
    argument_walk,
    comparing,
    containing,
    converting,
    finding,
    formatting,
    joining,
    matching,
    replacing,
    same_length,
    selecting,
    splitting,
    url_parsing,
)
from aliquot.cel.cost.unit_functions import UNIT_FUNCTIONS
from aliquot.cel.operator_names import EQUALS
from aliquot.cel.static_types import same


def _authorization(*_: object) -> Estimate:
    return Estimate(fixed(350_000))


def _included_up_to_limit(*_: object) -> Estimate:
    """`includes` of 1.36, which refuses longer lists."""
    return Estimate(Range(0, 48))


def _unit(*_: object) -> Estimate:
    return Estimate(ONE)


_BY_FUNCTION: Final[dict[str, CallEstimator]] = {
    "check": _authorization,
    "fieldSelector": selecting,
    "labelSelector": selecting,
    **dict.fromkeys(("isSorted", "sum", "max", "min", "indexOf", "lastIndexOf"), whole_list),
    "url": url_parsing,
    **dict.fromkeys(("lowerAscii", "upperAscii", "substring", "trim"), same_length),
    "replace": replacing,
    "split": splitting,
    "join": joining,
    "find": finding,
    "findAll": finding,
    **dict.fromkeys(("cidr", "isIP", "isCIDR", "quantity", "isQuantity", "semver", "isSemver"), argument_walk),
    "ip.isCanonical": lambda _, args: Estimate(args[0].length.scaled(2 * 0.1)),
    "validate": validating,
}


_BY_OVERLOAD: Final[dict[str, CallEstimator]] = {
    "string_format": formatting,
    "string_to_bytes": converting(1, 4),
    "bytes_to_string": converting(0.25, 1),
    "strings_quote": converting(1, 2, 2),
    "starts_with_string": lambda _, args: Estimate(walk(args[0].length)),
    "ends_with_string": lambda _, args: Estimate(walk(args[0].length)),
    "in_list": lambda _, args: Estimate(args[1].length.scaled(1)),
    "matches_string": matching,
    "contains_string": containing,
    "add_string": adding,
    "add_bytes": adding,
    "add_list": lambda _, args: Estimate(ONE, args[0].length.plus(args[1].length)),
    "equals": comparing,
    "not_equals": comparing,
    **{f"{name}_{kind}": comparing
       for name in ("less", "greater", "less_equals", "greater_equals") for kind in ("string", "bytes")},
}  # fmt: skip

_BY_EXTENSION: Final[dict[str, CallEstimator]] = {
    "list_slice": slicing,
    "list_flatten": flattening,
    "list_flatten_int": flattening,
    "lists_range": lambda _, args: made_list(1, fixed(number(args[0], MAX))),
    "list_reverse": reversing,
    "list_distinct": finding_distinct,
    "list_sets_contains_list": set_product(1),
    "list_sets_intersects_list": set_product(1),
    "list_sets_equivalent_list": set_product(2),
}


def estimate_call(function: str, overload: str, target: Argument | None, args: list[Argument], minor: int) -> Estimate:
    """The estimate of one call by one overload, without what its arguments cost.

    Args:
        function: the function's name.
        overload: the overload's id.
        target: what stands before the dot of a member call.
        args: the arguments.
        minor: the Kubernetes minor version.
    """
    rule = _rule(function, overload, args, minor)
    return Estimate(ONE) if rule is None else rule(target, args)


def _rule(function: str, overload: str, args: list[Argument], minor: int) -> CallEstimator | None:
    if overload in _BY_EXTENSION:
        return _BY_EXTENSION[overload]
    if overload.endswith("_sort"):
        return sorting(text=overload in {"list_string_sort", "list_bytes_sort"}, by_keys=False)
    if overload.endswith("_sortByAssociatedKeys"):
        return sorting(text=overload.split("_")[1] in {"string", "bytes"}, by_keys=True)
    if function in UNIT_FUNCTIONS:
        return None
    if function in _BY_FUNCTION:
        return _BY_FUNCTION[function]
    if function == "includes":
        return including if minor >= 37 else _included_up_to_limit
    if function == "ip" and overload != "cidr_ip":
        return argument_walk
    if function == "containsIP":
        return contains_ip(text=overload == "cidr_contains_ip_string")
    if function == "containsCIDR":
        return contains_network(text=overload == "cidr_contains_cidr_string")
    if function == EQUALS and same(args[0].type, args[1].type):
        rule = _EQUALITY.get(args[0].type.name)
        if rule is not None:
            return rule
    if overload == "matches" and minor >= 37:
        return matching
    return _BY_OVERLOAD.get(overload)


def _format_equality(*_: object) -> Estimate:
    return Estimate(Range(1, 64).scaled(0.1))


def _url_equality(_: Argument | None, args: list[Argument]) -> Estimate:
    length = args[1].size
    return Estimate(Range(1, 1 if length is None else length.high).scaled(0.1))


_EQUALITY: Final[dict[str, CallEstimator]] = {
    **dict.fromkeys(("net.IP", "net.CIDR", "kubernetes.Quantity", "kubernetes.Semver"), _unit),
    "kubernetes.NamedFormat": _format_equality,
    "kubernetes.URL": _url_equality,
}
