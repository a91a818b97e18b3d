"""What a call may cost at most, by function: cel-go's estimates and Kubernetes' own."""

from collections.abc import Callable
from typing import Final, NamedTuple

from aliquot.cel import celtypes as t
from aliquot.cel.celtypes import Type, same
from aliquot.cel.extents import device_size
from aliquot.cel.nodes import EQUALS, Literal, Node
from aliquot.cel.sizes import MAX, ONE, UNKNOWN, Range, fixed
from aliquot.cel.spending import UNIT_FUNCTIONS


class Argument(NamedTuple):
    """What is known of an argument (or target) of a call."""

    node: Node
    type: Type
    size: Range | None
    path: tuple[str, ...]

    @property
    def length(self) -> Range:
        """Its size, boundless where nothing is known."""
        return self.size or UNKNOWN


class Estimate(NamedTuple):
    """A call's cost, and the size of its result where the function determines it."""

    cost: Range
    result: Range | None = None


Rule = Callable[[Argument | None, list[Argument]], Estimate]
"""(target, arguments) -> estimate; a method's rule is asked with a target only."""

_REGEX_LENGTH: Final = 128.0
"""The length that a named format's pattern is taken for."""


def _walk(length: Range) -> Range:
    return length.scaled(0.1)


def _argument_walk(target: Argument | None, args: list[Argument]) -> Estimate:
    del target
    return Estimate(_walk(args[0].length))


def _url(target: Argument | None, args: list[Argument]) -> Estimate:
    del target
    return Estimate(_walk(args[0].length), args[0].length)


def _same_length(target: Argument | None, _: list[Argument]) -> Estimate:
    assert target is not None
    return Estimate(_walk(target.length), target.length)


def _element_type(target: Argument) -> Type | None:
    """Of a list; but also the first parameter of anything else that has parameters, as in the original."""
    return target.type.params[0] if target.type.params else None


def _whole_list(target: Argument | None, _: list[Argument]) -> Estimate:
    assert target is not None
    element = _element_type(target)
    if element is None:
        return Estimate(_walk(target.length))
    each = ONE
    if element.kind in {t.STRING, t.BYTES}:
        each = each.plus(_walk(_items_length(target)))
    return Estimate(target.length.times(each))


def _items_length(target: Argument) -> Range:
    size = device_size((*target.path, "@items")) if target.path else None
    return size or UNKNOWN


def _included(target: Argument | None, _: list[Argument]) -> Estimate:
    """`includes` of 1.37, priced as the functions over whole lists."""
    assert target is not None
    element = _element_type(target)
    if element is None:
        return Estimate(target.length)
    each = ONE
    if element.kind in {t.STRING, t.BYTES}:
        each = each.plus(_walk(_items_length(target)))
    return Estimate(target.length.times(each))


def _replaced(target: Argument | None, args: list[Argument]) -> Estimate:
    assert target is not None
    text, old, new = target.length, args[0].length, args[1].length
    count_high = kept_high = count_low = kept_low = 0
    if old.low == 0:
        count_high, kept_high = min(text.high + 1, MAX), text.high
    elif new.high <= old.low:
        kept_high = text.high
    else:
        count_high = _parts(text.high, old.low)
    if old.high == 0:
        count_low, kept_low = min(text.low + 1, MAX), text.low
    elif old.high <= new.low:
        kept_low = text.low
    else:
        count_low = _parts(text.low, old.high)
    result = Range(count_low, count_high).times(new).plus(Range(kept_low, kept_high))
    return Estimate(text.scaled(2 * 0.1), result)


def _parts(length: int, size: int) -> int:
    return min(-(-length // size), MAX)


def _split(target: Argument | None, args: list[Argument]) -> Estimate:
    assert target is not None
    high = target.length.high
    if len(args) > 1 and isinstance(args[1].node, Literal) and type(args[1].node.value) is int:
        high = args[1].node.value % 2**64
    return Estimate(target.length.scaled(2 * 0.1), Range(0, high))


def _joined(target: Argument | None, args: list[Argument]) -> Estimate:
    assert target is not None
    count = target.length
    length = Range(0, 0) if _element_type(target) is None else count.times(_items_length(target))
    if args:
        separators = Range(max(count.low - 1, 0), max(count.high - 1, 0))
        length = length.plus(args[0].length.times(separators))
    return Estimate(_walk(length), length)


def _found(target: Argument | None, args: list[Argument]) -> Estimate:
    assert target is not None
    cost = _walk(target.length.plus(ONE)).times(args[0].length.scaled(0.25))
    return Estimate(cost, Range(0, target.length.high))


_NETWORK: Final = Range(4, 16)


def _contains_ip(*, text: bool) -> Rule:
    def rule(_: Argument | None, args: list[Argument]) -> Estimate:
        cost = _walk(_NETWORK.plus(_NETWORK))
        return Estimate(cost.plus(_walk(args[0].length)) if text else cost)

    return rule


def _contains_network(*, text: bool) -> Rule:
    def rule(_: Argument | None, args: list[Argument]) -> Estimate:
        cost = _walk(_NETWORK.plus(_NETWORK)).plus(_walk(_NETWORK)).plus(ONE)
        return Estimate(cost.plus(_walk(args[0].length)) if text else cost)

    return rule


def _validated(_: Argument | None, args: list[Argument]) -> Estimate:
    return Estimate(_walk(args[0].length).scaled(_REGEX_LENGTH * 0.25))


def _selector(_: Argument | None, args: list[Argument]) -> Estimate:
    length = args[0].length
    return Estimate(fixed(10).plus(_walk(length)).plus(length.scaled(0.5).scaled(50.0)))


def _authorization(*_: object) -> Estimate:
    return Estimate(fixed(350_000))


def _included_up_to_limit(*_: object) -> Estimate:
    """`includes` of 1.36, which refuses longer lists."""
    return Estimate(Range(0, 48))


def _unit(*_: object) -> Estimate:
    return Estimate(ONE)


_BY_FUNCTION: Final[dict[str, Rule]] = {
    "check": _authorization,
    "fieldSelector": _selector,
    "labelSelector": _selector,
    **dict.fromkeys(("isSorted", "sum", "max", "min", "indexOf", "lastIndexOf"), _whole_list),
    "url": _url,
    **dict.fromkeys(("lowerAscii", "upperAscii", "substring", "trim"), _same_length),
    "replace": _replaced,
    "split": _split,
    "join": _joined,
    "find": _found,
    "findAll": _found,
    **dict.fromkeys(("cidr", "isIP", "isCIDR", "quantity", "isQuantity", "semver", "isSemver"), _argument_walk),
    "ip.isCanonical": lambda _, args: Estimate(args[0].length.scaled(2 * 0.1)),
    "validate": _validated,
}


# --- by overload -----------------------------------------------------------------------------------------------------
def _listed(factor: float, size: Range) -> Estimate:
    return Estimate(size.scaled(factor).plus(ONE).plus(fixed(10)), size)


def _number(argument: Argument, otherwise: int) -> int:
    if isinstance(argument.node, Literal) and type(argument.node.value) is int:
        return max(argument.node.value, 0)
    return otherwise


def _sliced(target: Argument | None, args: list[Argument]) -> Estimate:
    assert target is not None
    return _listed(1, fixed((_number(args[1], target.length.high) - _number(args[0], 0)) % 2**64))


def _flattened(target: Argument | None, args: list[Argument]) -> Estimate:
    depth = _number(args[0], MAX) if args else 1
    assert target is not None
    return _listed(float(depth), target.length)


def _distinct(target: Argument | None, _: list[Argument]) -> Estimate:
    assert target is not None
    return _listed(2.0, target.length.times(target.length))


def _reversed(target: Argument | None, _: list[Argument]) -> Estimate:
    assert target is not None
    return _listed(1, target.length)


def _sorted(*, text: bool, by_keys: bool) -> Rule:
    def rule(target: Argument | None, args: list[Argument]) -> Estimate:
        keys = args[0] if by_keys else target
        assert keys is not None
        return _listed(2.1 if text else 2.0, keys.length.times(keys.length))

    return rule


def _set(factor: float) -> Rule:
    def rule(_: Argument | None, args: list[Argument]) -> Estimate:
        return Estimate(args[0].length.times(args[1].length).scaled(factor).plus(ONE))

    return rule


def _pattern(target: Argument | None, args: list[Argument]) -> Estimate:
    text, pattern = (args[0], args[1]) if target is None else (target, args[0])
    return Estimate(_walk(text.length.plus(ONE)).times(pattern.length.scaled(0.25)))


def _contained(target: Argument | None, args: list[Argument]) -> Estimate:
    assert target is not None
    return Estimate(_walk(target.length).times(_walk(args[0].length)))


def _compared(_: Argument | None, args: list[Argument]) -> Estimate:
    smallest = min(args[0].length.high, args[1].length.high)
    return Estimate(_walk(Range(1 if smallest else 0, smallest)))


def _added(_: Argument | None, args: list[Argument]) -> Estimate:
    length = args[0].length.plus(args[1].length)
    return Estimate(_walk(length), length)


def _formatted(target: Argument | None, _: list[Argument]) -> Estimate:
    assert target is not None
    return Estimate(_walk(target.length))


def _converted(low: float, high: int, extra: int = 0) -> Rule:
    def rule(_: Argument | None, args: list[Argument]) -> Estimate:
        length = args[0].length
        result = Range(int(length.low * low) + extra, (length.high * high + extra) % 2**64)
        return Estimate(_walk(length), result)

    return rule


_BY_OVERLOAD: Final[dict[str, Rule]] = {
    "string_format": _formatted,
    "string_to_bytes": _converted(1, 4),
    "bytes_to_string": _converted(0.25, 1),
    "strings_quote": _converted(1, 2, 2),
    "starts_with_string": lambda _, args: Estimate(_walk(args[0].length)),
    "ends_with_string": lambda _, args: Estimate(_walk(args[0].length)),
    "in_list": lambda _, args: Estimate(args[1].length.scaled(1)),
    "matches_string": _pattern,
    "contains_string": _contained,
    "add_string": _added,
    "add_bytes": _added,
    "add_list": lambda _, args: Estimate(ONE, args[0].length.plus(args[1].length)),
    "equals": _compared,
    "not_equals": _compared,
    **{f"{name}_{kind}": _compared
       for name in ("less", "greater", "less_equals", "greater_equals") for kind in ("string", "bytes")},
}  # fmt: skip

_BY_EXTENSION: Final[dict[str, Rule]] = {
    "list_slice": _sliced,
    "list_flatten": _flattened,
    "list_flatten_int": _flattened,
    "lists_range": lambda _, args: _listed(1, fixed(_number(args[0], MAX))),
    "list_reverse": _reversed,
    "list_distinct": _distinct,
    "list_sets_contains_list": _set(1),
    "list_sets_intersects_list": _set(1),
    "list_sets_equivalent_list": _set(2),
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


def _rule(function: str, overload: str, args: list[Argument], minor: int) -> Rule | None:
    if overload in _BY_EXTENSION:
        return _BY_EXTENSION[overload]
    if overload.endswith("_sort"):
        return _sorted(text=overload in {"list_string_sort", "list_bytes_sort"}, by_keys=False)
    if overload.endswith("_sortByAssociatedKeys"):
        return _sorted(text=overload.split("_")[1] in {"string", "bytes"}, by_keys=True)
    if function in UNIT_FUNCTIONS:
        return None
    if function in _BY_FUNCTION:
        return _BY_FUNCTION[function]
    if function == "includes":
        return _included if minor >= 37 else _included_up_to_limit
    if function == "ip" and overload != "cidr_ip":
        return _argument_walk
    if function == "containsIP":
        return _contains_ip(text=overload == "cidr_contains_ip_string")
    if function == "containsCIDR":
        return _contains_network(text=overload == "cidr_contains_cidr_string")
    if function == EQUALS and same(args[0].type, args[1].type):
        rule = _EQUALITY.get(args[0].type.name)
        if rule is not None:
            return rule
    if overload == "matches" and minor >= 37:
        return _pattern
    return _BY_OVERLOAD.get(overload)


def _format_equality(*_: object) -> Estimate:
    return Estimate(Range(1, 64).scaled(0.1))


def _url_equality(_: Argument | None, args: list[Argument]) -> Estimate:
    length = args[1].size
    return Estimate(Range(1, 1 if length is None else length.high).scaled(0.1))


_EQUALITY: Final[dict[str, Rule]] = {
    **dict.fromkeys(("net.IP", "net.CIDR", "kubernetes.Quantity", "kubernetes.Semver"), _unit),
    "kubernetes.NamedFormat": _format_equality,
    "kubernetes.URL": _url_equality,
}
