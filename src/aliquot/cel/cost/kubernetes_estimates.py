"""Static estimates of Kubernetes' functions of networks and named formats."""

from typing import Final

from aliquot.cel.cost.argument import Argument, CallEstimator, Estimate, walk
from aliquot.cel.cost.ranges import ONE, Range

_REGEX_LENGTH: Final = 128.0
"""The length that a named format's pattern is taken for."""


_NETWORK: Final = Range(4, 16)


def contains_ip(*, text: bool) -> CallEstimator:
    """`containsIP`, of an address or of its text."""

    def rule(_: Argument | None, args: list[Argument]) -> Estimate:
        cost = walk(_NETWORK.plus(_NETWORK))
        return Estimate(cost.plus(walk(args[0].length)) if text else cost)

    return rule


def contains_network(*, text: bool) -> CallEstimator:
    """`containsCIDR`, of a network or of its text."""

    def rule(_: Argument | None, args: list[Argument]) -> Estimate:
        cost = walk(_NETWORK.plus(_NETWORK)).plus(walk(_NETWORK)).plus(ONE)
        return Estimate(cost.plus(walk(args[0].length)) if text else cost)

    return rule


def validating(_: Argument | None, args: list[Argument]) -> Estimate:
    """`validate` of a named format."""
    return Estimate(walk(args[0].length).scaled(_REGEX_LENGTH * 0.25))
