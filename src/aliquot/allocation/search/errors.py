"""Where a search may meet an error: only there must nothing be left out before it has been looked at.

A selector without a verdict, and a constraint that stops mode All, are fatal *when the search looks at the device*.
Where no error lies ahead, pruning is safe. Interchangeable devices and known dead ends are safe everywhere: devices
that differ in errors aren't interchangeable, and a dead end was searched to its end without meeting one.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from aliquot.allocation.search.bits import members, union
from aliquot.allocation.search.question import Part, Question, Start, Step


@dataclass(frozen=True, slots=True)
class Errors:
    """Per step."""

    unsure: Sequence[tuple[int, ...]]
    """Per alternative: the devices on which its selectors have no verdict, as far as they could be looked at."""
    ordered: Sequence[tuple[bool, ...]]
    """Per alternative: it's mode All under constraints that might stop it."""
    safe: Sequence[int]
    """Step -> how far one may look ahead: to the first step behind it that may meet an error, for if those before that
    one can't be served, it's never met."""

    least: Sequence[tuple[Part, ...]]
    """Per step that may meet an error: the least it takes to meet one or to go on. Empty: it can't be told."""
    named: int
    """Devices of mode All under such constraints: which error is met first depends on their order."""

    def at(self, step: int, alternative: int) -> bool:
        """Whether this alternative may meet an error."""
        return bool(self.unsure[step][alternative]) or self.ordered[step][alternative]


def errors_of(question: Question, start: Start) -> Errors:
    """Find the errors that could be met."""
    unsure: list[tuple[int, ...]] = []
    ordered: list[tuple[bool, ...]] = []
    for place, step in enumerate(question.steps):
        unsure.append(tuple(part.error_bits & (-1 if part.admin else start.free) for part in step))
        ordered.append(
            tuple(bool(part.every and part.order) and not _harmless(question, start, part, place) for part in step)
        )
    safe: list[int] = []
    until = len(question.steps)
    for place in range(until - 1, -1, -1):
        safe.append(until)
        if any(unsure[place]) or any(ordered[place]):
            until = place
    named = union(
        part.every
        for step, flags in zip(question.steps, ordered, strict=True)
        for part, flag in zip(step, flags, strict=True)
        if flag
    )
    least: list[tuple[Part, ...]] = [
        _least(question, step, unsure[place], ordered[place]) for place, step in enumerate(question.steps)
    ]
    if _pays_for_others(question):
        safe = list(range(len(question.steps), 0, -1))
        least = [()] * len(question.steps)
    return Errors(unsure=unsure, ordered=ordered, safe=safe[::-1], least=least, named=named)


def _pays_for_others(question: Question) -> bool:
    """Whether admin access may open a device that nobody else could pay for.

    A share for admin access pays no counters, and later shares of the device find them paid. So looking ahead from
    before it tells nothing.
    """
    counting = question.drawing() & question.shareable
    return bool(counting) and any(part.admin and part.bits & counting for step in question.steps for part in step)


def _least(question: Question, step: Step, unsure: Sequence[int], ordered: Sequence[bool]) -> tuple[Part, ...]:
    """Some device to look at, by any alternative: if even that can't be had, no error is met here or behind it."""
    if question.counters or question.shareable or not (any(unsure) or any(ordered)):
        return ()
    parts: list[Part] = []
    for part, unsure_bits, in_order in zip(step, unsure, ordered, strict=True):
        bits = part.bits | unsure_bits
        if in_order:
            bits = part.every & -part.every  # it begins with the first one, and goes no further if that one is in use
        parts.append(Part(part.claim, bits, min(part.need, 1), part.admin, consumes=part.consumes))
    return tuple(part for part in parts) if all(part.need for part in parts) else ()


def _harmless(question: Question, start: Start, part: Part, step: int) -> bool:
    """Whether mode All can't break its constraints: nobody before it is under them, and its devices agree.

    It goes through its devices in order, and no further than the first that can't be had anyway.
    """
    missing = part.every & ~(part.bits if part.admin else part.bits & start.avail)
    looked_at = part.every & ((missing & -missing) - 1 if missing else -1)
    others = [other for each in question.steps[:step] for other in each]
    return not any(tie in other.order for tie in part.order for other in others) and all(
        _agree(question, kind, number, looked_at) for kind, number in part.order
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
