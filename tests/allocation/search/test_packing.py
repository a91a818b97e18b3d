"""Packing says no only to what is impossible, and yes only if it has looked at all that is wanted."""

from collections.abc import Hashable, Sequence

from aliquot.allocation.search.attribute_values import values_of
from aliquot.allocation.search.bounds import Need, refuted
from aliquot.allocation.search.counter_totals import totals_of
from aliquot.allocation.search.counters import linked_counters
from aliquot.allocation.search.packing import Packing
from aliquot.allocation.search.position import position_of
from aliquot.allocation.search.question import Part, Question, Start, Step
from aliquot.allocation.search.symmetry import Symmetry

HALVES = 0b001111
"""Devices 0-3: two halves of each of two GPUs. 4 is the whole first GPU; 5 draws on nothing and can be shared."""
Column = Sequence[Sequence[Hashable] | None]


def half(count: int = 1, *, order: tuple[tuple[str, int], ...] = ()) -> Step:
    distinct = tuple(number for _, number in order)
    return (Part(claim=0, bits=HALVES, need=count, distinct=distinct, order=order),)


def possible(*steps: Step, gpus: int = 2, distinct: Sequence[Column] = ()) -> bool | None:
    uses = [(number, {(f"gpu-{number // 2}", "memory"): 1}) for number in range(2 * gpus)]
    uses.append((4, {("gpu-0", "memory"): 2}))
    counters = linked_counters({f"gpu-{number}": {"memory": 2} for number in range(gpus)}, uses)
    counters_of = [next((at for at, each in enumerate(counters) if number in each.use), -1) for number in range(6)]
    everything = 0b110000 | (1 << 2 * gpus) - 1
    question = Question(
        steps=steps,
        counters=counters,
        counters_of=counters_of,
        match=[],
        distinct=[values_of(column, lone_first=True) for column in distinct],
        shareable=0b100000,
        guards={5: 0},
        limit=32,
        totals=totals_of(counters, everything),
    )
    start = Start(free=everything, avail=everything, paid=0, residual=[each.full for each in counters], left={5: 0})
    position = position_of(question, start)
    needs = [Need(step, 0, []) for step in steps]
    assert not refuted(question, position, needs)
    return Packing(question, Symmetry(question)).possible(position, needs)


WHOLE: Step = (Part(claim=0, bits=0b010000, need=1),)
SHARE: Step = (Part(claim=0, bits=0b100000, need=1, consumes={5: 0}),)
ADMIN: Step = (Part(claim=0, bits=HALVES, need=1, admin=True),)


def test_what_fits() -> None:
    assert possible(half(2), WHOLE) is True
    assert possible(half(4)) is True


def test_what_it_leaves_out_could_still_be_impossible() -> None:
    assert possible(half(2), WHOLE, ADMIN) is None
    assert possible(half(2), WHOLE, SHARE) is None


def test_values_must_differ() -> None:
    gpu = [((number // 2),) for number in range(4)] + [None, None]
    tied = (("distinct", 0),)
    assert possible(half(order=tied), half(order=tied), distinct=[gpu]) is True
    assert possible(half(order=tied), half(order=tied), WHOLE, distinct=[gpu]) is False


def test_lists_that_must_differ_are_left_to_others() -> None:
    gpu = [(number // 2, "more") for number in range(2)] + [(1,), (1,), None, None]
    tied = (("distinct", 0),)
    assert possible(half(order=tied), half(order=tied), distinct=[gpu]) is None


def test_without_counters_or_with_one_bin_it_is_not_asked() -> None:
    assert possible(SHARE) is None
    assert possible((Part(claim=0, bits=0b11, need=2),), gpus=1) is None
