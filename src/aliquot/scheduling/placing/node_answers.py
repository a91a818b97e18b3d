"""What is known of every node about one question, while nodes change one by one.

Sets of nodes are bits by the nodes' positions. A change makes the answers of a node unknown again; it's asked again
only when somebody gets to it. So a change costs the same in a small cluster and in a large one.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass


@dataclass(slots=True)
class NodeAnswers:
    """Yes, no or not yet known, for each node that the question concerns."""

    about: int
    """The nodes that it concerns; of all others the answer is no for ever."""
    open: int
    """Those that must be asked."""
    yes: int = 0
    seen: int = 0
    """How many changes have been taken into account."""

    @property
    def possible(self) -> int:
        """All that may say yes."""
        return self.yes | self.open

    def forget(self, nodes: int, seen: int) -> None:
        """Takes into account that nodes have changed."""
        nodes &= self.about
        self.open |= nodes
        self.yes &= ~nodes
        self.seen = seen

    def learn(self, bit: int, *, answer: bool) -> None:
        """Keeps a node's answer."""
        self.open &= ~bit
        if answer:
            self.yes |= bit


def bits_of(flags: Iterable[bool]) -> int:
    """The positions that are true, as bits."""
    text = "".join("1" if flag else "0" for flag in flags)
    return int(text[::-1] or "0", 2)


def merged(positions: Sequence[int]) -> int:
    """A few positions as bits."""
    bits = 0
    for position in positions:
        bits |= 1 << position
    return bits


def ascending(bits: int) -> Iterator[int]:
    """The positions in a set."""
    while bits:
        low = bits & -bits
        bits ^= low
        yield low.bit_length() - 1
