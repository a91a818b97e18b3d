"""Alternatives that never help: where another one needs no more devices and may take all that it may take.

The order of alternatives decides which one is *chosen*; whether the rest of the claims *can* be served doesn't depend
on them. So looking ahead, "three GPUs, or else two" is "two".
"""

from collections.abc import Sequence

from aliquot.allocation.search.question import Part, Question, Step


def worth_trying(question: Question) -> list[tuple[int, ...]]:
    """Per step: the alternatives that matter for whether the step can be served, in order."""
    return [_of_step(step, question.shareable) for step in question.steps]


def _of_step(step: Step, shareable: int) -> tuple[int, ...]:
    able = [number for number, part in enumerate(step) if not part.impossible]
    if len(able) < 2:
        return tuple(able)
    return tuple(number for number in able if not _useless(number, able, step, shareable))


def _useless(number: int, able: Sequence[int], step: Step, shareable: int) -> bool:
    part = step[number]
    return any(
        other != number
        and _serves(step[other], part, shareable)
        and (other < number or not _serves(part, step[other], shareable))
        for other in able
    )


def _serves(better: Part, part: Part, shareable: int) -> bool:
    """Whether whoever can serve `part` can serve `better`."""
    return (
        better.need <= part.need
        and part.bits & ~better.bits == 0
        and better.order == part.order
        and better.admin == part.admin
        and not part.bits & shareable
    )
