"""Nodes that refuse a pod alike: the same reasons, whatever their numbers."""

from collections.abc import Iterable
from dataclasses import dataclass

from aliquot.advisor.case import Shortage, shortage
from aliquot.scheduling.filters.reason import Reason
from aliquot.scheduling.outcome import NodeGroup


@dataclass(frozen=True, slots=True)
class Alike:
    """A group of nodes, the reasons of its first node, and how the numbers differ among them."""

    nodes: tuple[str, ...]
    reasons: tuple[Reason, ...]
    free: dict[str, tuple[int, int]]
    """Resource -> least and most that's free on a node of the group."""
    total: dict[str, tuple[int, int]]
    """Resource -> least and most that a node of the group offers."""
    found: dict[tuple[str, str, str], tuple[str, ...]]
    """(filter, subject) -> what the nodes of the group have there."""


def alike_groups(exact: Iterable[NodeGroup]) -> tuple[Alike, ...]:
    """Put groups that differ only in numbers together; the largest first, equals by the first node's name."""
    groups: dict[object, list[tuple[tuple[str, ...], tuple[Reason, ...]]]] = {}
    for group in exact:
        if group.reasons:
            key = tuple(map(_alike, group.reasons))
            groups.setdefault(key, []).append((group.nodes, group.reasons))
    found: list[Alike] = []
    for same in groups.values():
        nodes = tuple(sorted(node for some, _ in same for node in some))
        free: dict[str, tuple[int, int]] = {}
        total: dict[str, tuple[int, int]] = {}
        seen: dict[tuple[str, str, str], set[str]] = {}
        for _, reasons in same:
            for reason in reasons:
                seen.setdefault((reason.filter, reason.subject, reason.text), set()).add(reason.found)
                short = shortage(reason)
                if short is not None:
                    _widen(free, short, short.free)
                    _widen(total, short, short.total)
        values = {key: tuple(sorted(several)) for key, several in seen.items()}
        found.append(Alike(nodes, same[0][1], free, total, values))
    return tuple(sorted(found, key=lambda one: (-len(one.nodes), one.nodes[0])))


def _alike(reason: Reason) -> object:
    """A node without any GPU isn't like one whose GPUs are taken."""
    short = shortage(reason)
    if short is not None:
        return reason.filter, short.resource, short.total > 0
    return reason.filter, reason.subject, reason.found if reason.filter == "TaintToleration" else reason.text


def _widen(spans: dict[str, tuple[int, int]], short: Shortage, amount: int) -> None:
    least, most = spans.get(short.resource, (amount, amount))
    spans[short.resource] = (min(least, amount), max(most, amount))
