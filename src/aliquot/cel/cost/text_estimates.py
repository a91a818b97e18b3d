"""Static estimates of the functions of texts."""

from aliquot.cel.cost.argument import Argument, CallEstimator, Estimate, element_type, items_length, walk
from aliquot.cel.cost.ranges import MAX, ONE, Range, fixed
from aliquot.cel.syntax.nodes import Literal


def argument_walk(target: Argument | None, args: list[Argument]) -> Estimate:
    """A function that walks once through its argument."""
    del target
    return Estimate(walk(args[0].length))


def url_parsing(target: Argument | None, args: list[Argument]) -> Estimate:
    """`url`."""
    del target
    return Estimate(walk(args[0].length), args[0].length)


def same_length(target: Argument | None, _: list[Argument]) -> Estimate:
    """A function that walks through the target and gives a text as long."""
    assert target is not None
    return Estimate(walk(target.length), target.length)


def replacing(target: Argument | None, args: list[Argument]) -> Estimate:
    """`replace`."""
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


def splitting(target: Argument | None, args: list[Argument]) -> Estimate:
    """`split`."""
    assert target is not None
    high = target.length.high
    if len(args) > 1 and isinstance(args[1].node, Literal) and type(args[1].node.value) is int:
        high = args[1].node.value % 2**64
    return Estimate(target.length.scaled(2 * 0.1), Range(0, high))


def joining(target: Argument | None, args: list[Argument]) -> Estimate:
    """`join`."""
    assert target is not None
    count = target.length
    length = Range(0, 0) if element_type(target) is None else count.times(items_length(target))
    if args:
        separators = Range(max(count.low - 1, 0), max(count.high - 1, 0))
        length = length.plus(args[0].length.times(separators))
    return Estimate(walk(length), length)


def finding(target: Argument | None, args: list[Argument]) -> Estimate:
    """`find` and `findAll`."""
    assert target is not None
    cost = walk(target.length.plus(ONE)).times(args[0].length.scaled(0.25))
    return Estimate(cost, Range(0, target.length.high))


def selecting(_: Argument | None, args: list[Argument]) -> Estimate:
    """`fieldSelector` and `labelSelector`."""
    length = args[0].length
    return Estimate(fixed(10).plus(walk(length)).plus(length.scaled(0.5).scaled(50.0)))


def matching(target: Argument | None, args: list[Argument]) -> Estimate:
    """`matches`, as method and as function."""
    text, pattern = (args[0], args[1]) if target is None else (target, args[0])
    return Estimate(walk(text.length.plus(ONE)).times(pattern.length.scaled(0.25)))


def containing(target: Argument | None, args: list[Argument]) -> Estimate:
    """`contains`."""
    assert target is not None
    return Estimate(walk(target.length).times(walk(args[0].length)))


def comparing(_: Argument | None, args: list[Argument]) -> Estimate:
    """An operator that walks through the smaller side."""
    smallest = min(args[0].length.high, args[1].length.high)
    return Estimate(walk(Range(1 if smallest else 0, smallest)))


def adding(_: Argument | None, args: list[Argument]) -> Estimate:
    """`+` of texts."""
    length = args[0].length.plus(args[1].length)
    return Estimate(walk(length), length)


def formatting(target: Argument | None, _: list[Argument]) -> Estimate:
    """`format`."""
    assert target is not None
    return Estimate(walk(target.length))


def converting(low: float, high: int, extra: int = 0) -> CallEstimator:
    """A conversion whose result is between `low` and `high` times as long, and `extra` longer."""

    def rule(_: Argument | None, args: list[Argument]) -> Estimate:
        length = args[0].length
        result = Range(int(length.low * low) + extra, (length.high * high + extra) % 2**64)
        return Estimate(walk(length), result)

    return rule
