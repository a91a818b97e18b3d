"""Where a search may meet an error: only there must nothing be left out before it has been looked at.

A selector without a verdict, and a constraint that stops mode All, are fatal *when the search looks at the device*.
Where no error lies ahead, pruning is safe. Interchangeable devices and known dead ends are safe everywhere: devices
that differ in errors aren't interchangeable, and a dead end was searched to its end without meeting one.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from aliquot.allocation.bits import members, union
from aliquot.allocation.question import Part, Question, Start


@dataclass(frozen=True, slots=True)
class Danger:
    """Per step."""

    bombs: Sequence[tuple[int, ...]]
    """Per alternative: the devices on which its selectors have no verdict, as far as they could be looked at."""
    ordered: Sequence[tuple[bool, ...]]
    """Per alternative: it's mode All under constraints that might stop it."""
    safe: Sequence[int]
    """Step -> the first step behind it that may meet an error; if those before it can't be served, it's never met."""

    named: int
    """Devices of mode All under such constraints: which error is met first depends on their order."""

    def at(self, step: int, alternative: int) -> bool:
        """Whether this alternative may meet an error."""
        return bool(self.bombs[step][alternative]) or self.ordered[step][alternative]


def danger_of(question: Question, start: Start) -> Danger:
    """Find the errors that could be met."""
    bombs: list[tuple[int, ...]] = []
    ordered: list[tuple[bool, ...]] = []
    for step in question.steps:
        bombs.append(tuple(part.error_bits & (-1 if part.admin else start.free) for part in step))
        ordered.append(tuple(bool(part.every and part.order) and not _harmless(question, part, step) for part in step))
    safe: list[int] = []
    until = len(question.steps)
    for place in range(until - 1, -1, -1):
        safe.append(until)
        if any(bombs[place]) or any(ordered[place]):
            until = place
    named = union(
        part.every
        for step, flags in zip(question.steps, ordered, strict=True)
        for part, flag in zip(step, flags, strict=True)
        if flag
    )
    return Danger(bombs, ordered, safe[::-1], named)


def _harmless(question: Question, part: Part, step: tuple[Part, ...]) -> bool:
    """Whether mode All can't break its constraints: nobody else is under them, and its devices agree."""
    others = [other for each in question.steps if each is not step for other in each]
    return not any(tie in other.order for tie in part.order for other in others) and all(
        _agree(question, kind, number, part.every) for kind, number in part.order
    )


def _agree(question: Question, kind: str, number: int, devices: int) -> bool:
    if kind == "match":
        values = question.match[number]
        if devices & ~values.matchable:
            return False
        common = -1
        for device in members(devices):
            common &= values.atoms[device]
        return devices & (devices - 1) == 0 or (bool(common) and devices & ~values.sharing(common) == 0)
    rivals = question.distinct[number]
    used = 0
    for device in members(devices):
        if not rivals.differing(used) >> device & 1:
            return False
        used |= rivals.atoms[device]
    return True
