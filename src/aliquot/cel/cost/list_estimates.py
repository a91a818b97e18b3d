"""Static estimates of the functions of lists."""

from aliquot.cel import static_types as t
from aliquot.cel.cost.argument import Argument, CallEstimator, Estimate, element_type, items_length, walk
from aliquot.cel.cost.ranges import MAX, ONE, Range, fixed
from aliquot.cel.syntax.nodes import Literal


def whole_list(target: Argument | None, _: list[Argument]) -> Estimate:
    """A function that looks at every element, and walks through texts."""
    assert target is not None
    element = element_type(target)
    if element is None:
        return Estimate(walk(target.length))
    each = ONE
    if element.kind in {t.STRING, t.BYTES}:
        each = each.plus(walk(items_length(target)))
    return Estimate(target.length.times(each))


def including(target: Argument | None, _: list[Argument]) -> Estimate:
    """`includes` of 1.37, priced as the functions over whole lists."""
    assert target is not None
    element = element_type(target)
    if element is None:
        return Estimate(target.length)
    each = ONE
    if element.kind in {t.STRING, t.BYTES}:
        each = each.plus(walk(items_length(target)))
    return Estimate(target.length.times(each))


# --- by overload -----------------------------------------------------------------------------------------------------
def made_list(factor: float, size: Range) -> Estimate:
    """A function that makes a list of that size."""
    return Estimate(size.scaled(factor).plus(ONE).plus(fixed(10)), size)


def number(argument: Argument, otherwise: int) -> int:
    """A literal int that isn't negative, or what else to take."""
    if isinstance(argument.node, Literal) and type(argument.node.value) is int:
        return max(argument.node.value, 0)
    return otherwise


def slicing(target: Argument | None, args: list[Argument]) -> Estimate:
    """`slice`."""
    assert target is not None
    return made_list(1, fixed((number(args[1], target.length.high) - number(args[0], 0)) % 2**64))


def flattening(target: Argument | None, args: list[Argument]) -> Estimate:
    """`flatten`."""
    depth = number(args[0], MAX) if args else 1
    assert target is not None
    return made_list(float(depth), target.length)


def finding_distinct(target: Argument | None, _: list[Argument]) -> Estimate:
    """`distinct`."""
    assert target is not None
    return made_list(2.0, target.length.times(target.length))


def reversing(target: Argument | None, _: list[Argument]) -> Estimate:
    """`reverse`."""
    assert target is not None
    return made_list(1, target.length)


def sorting(*, text: bool, by_keys: bool) -> CallEstimator:
    """`sort`, or sorting by keys."""

    def rule(target: Argument | None, args: list[Argument]) -> Estimate:
        keys = args[0] if by_keys else target
        assert keys is not None
        return made_list(2.1 if text else 2.0, keys.length.times(keys.length))

    return rule


def set_product(factor: float) -> CallEstimator:
    """A function of two sets, which compares all pairs `factor` times."""

    def rule(_: Argument | None, args: list[Argument]) -> Estimate:
        return Estimate(args[0].length.times(args[1].length).scaled(factor).plus(ONE))

    return rule
