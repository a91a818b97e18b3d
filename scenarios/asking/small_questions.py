"""Questions for the search in whole numbers, and a plain search that answers them by trying everything in order."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import combinations
from random import Random

from aliquot.allocation.search.attribute_values import Values, values_of
from aliquot.allocation.search.bits import members
from aliquot.allocation.search.counter_totals import totals_of
from aliquot.allocation.search.counters import linked_counters
from aliquot.allocation.search.question import Part, Question, Start

Picks = list[tuple[int, int, tuple[int, ...]]]
Placements = ((3, (0, 1)), (3, (2, 3)), (4, (0, 1)), (1, (0,)), (1, (2,)))
"""What a GPU can be cut into: compute slices, memory slices."""


@dataclass(slots=True)
class World:
    """A question with the facts that it was made from."""

    question: Question
    start: Start
    uses: dict[int, dict[tuple[str, str], int]]
    left: dict[tuple[str, str], int]
    match: list[list[object]] = field(default_factory=list)
    distinct: list[list[object]] = field(default_factory=list)


def tight(seed: int, gpus: int = 3) -> World:
    """About as much is asked for as there is, under nested constraints: a GPU, a pair of GPUs, every other GPU."""
    draw = Random(f"question/{seed}")
    count = draw.randint(2, gpus)
    uses: dict[int, dict[tuple[str, str], int]] = {}
    kinds: dict[int, int] = {}
    attributes: list[list[object]] = [[], [], []]
    offered = sorted(draw.sample(range(len(Placements)), draw.randint(2, 4)))
    for gpu in range(count):
        for kind in offered:
            compute, memory = Placements[kind]
            number = len(kinds)
            name = f"gpu-{gpu}"
            uses[number] = {(name, "compute"): compute, **{(name, f"memory-{at}"): 1 for at in memory}}
            kinds[number] = compute
            for attribute, value in zip(attributes, (gpu, gpu // 2, gpu % 2), strict=True):
                attribute.append(None if draw.random() < 0.02 else value)
        if draw.random() < 0.5:  # a device beside the GPU that draws on nothing
            kinds[len(kinds)] = 0
            for attribute, value in zip(attributes, (gpu, gpu // 2, gpu % 2), strict=True):
                attribute.append(value)
    sets = {f"gpu-{gpu}": {"compute": 7, **{f"memory-{at}": 1 for at in range(4)}} for gpu in range(count)}
    linked = linked_counters(sets, list(uses.items()))
    everything = (1 << len(kinds)) - 1
    made = [values_of([None if each is None else (each,) for each in row], lone_first=True) for row in attributes]
    steps, match, distinct = _steps(draw, kinds, count, made)
    counters_of = [-1] * len(kinds)
    for place, each in enumerate(linked):
        for number in each.use:
            counters_of[number] = place
    question = Question(
        steps=steps,
        counters=linked,
        counters_of=counters_of,
        match=[made[place] for place in match],
        distinct=[made[place] for place in distinct],
        shareable=0,
        guards={},
        limit=32,
        totals=totals_of(linked, everything),
    )
    start = Start(free=everything, avail=everything, paid=0, residual=[each.full for each in linked], left={})
    left = {(name, counter): amount for name, counters in sets.items() for counter, amount in counters.items()}
    return World(
        question=question,
        start=start,
        uses=uses,
        left=left,
        match=[attributes[place] for place in match],
        distinct=[attributes[place] for place in distinct],
    )


def _steps(
    draw: Random, kinds: dict[int, int], gpus: int, values: list[Values]
) -> tuple[list[tuple[Part, ...]], list[int], list[int]]:
    room = 7 * gpus - draw.randint(0, 7 * gpus - 4)
    steps: list[tuple[Part, ...]] = []
    match: list[int] = []
    distinct: list[int] = []
    claim = 0
    while room > 0 and len(steps) < 7:
        order: list[tuple[str, int]] = []
        for _ in range(draw.choice((0, 0, 1, 1, 2))):
            kind, numbers = draw.choice((("match", match), ("match", match), ("distinct", distinct)))
            order.append((kind, len(numbers)))
            numbers.append(draw.randrange(len(values)))
        for _ in range(draw.choice((1, 2, 2, 3))):
            under = tuple(tie for tie in order if draw.random() < 0.9)
            alternatives = tuple(_part(draw, kinds, claim, under) for _ in range(2 if draw.random() < 0.15 else 1))
            steps.append(alternatives)
            room -= min(part.need * max(_least(kinds, part.bits), 1) for part in alternatives)
        claim += 1
    return steps, match, distinct


def _part(draw: Random, kinds: dict[int, int], claim: int, order: tuple[tuple[str, int], ...]) -> Part:
    kind = draw.choice(sorted(set(kinds.values())))
    return Part(
        claim=claim,
        bits=sum(1 << number for number, each in kinds.items() if each == kind),
        need=draw.choice((1, 1, 1, 1, 2)),
        match=tuple(number for name, number in order if name == "match"),
        distinct=tuple(number for name, number in order if name == "distinct"),
        order=order,
    )


def _least(kinds: dict[int, int], bits: int) -> int:
    return min(each for number, each in kinds.items() if bits >> number & 1)


def first_solution(world: World, most: int = 60_000) -> Picks | None:
    """The first solution, by trying all choices in order.

    Raises:
        TimeoutError: there are too many choices.
    """
    tried = 0

    def go(step: int, picks: Picks) -> Picks | None:
        nonlocal tried
        if step == len(world.question.steps):
            return picks
        for alternative, part in enumerate(world.question.steps[step]):
            taken = {device for _, _, devices in picks for device in devices}
            free = [device for device in members(part.bits) if device not in taken]
            for devices in combinations(free, part.need):
                tried += 1
                if tried > most:
                    raise TimeoutError
                more = [*picks, (step, alternative, devices)]
                if holds(world, more):
                    found = go(step + 1, more)
                    if found is not None:
                        return found
        return None

    return go(0, [])


def holds(world: World, picks: Picks) -> bool:
    """Whether counters and constraints allow these picks."""
    left = dict(world.left)
    for device in (device for _, _, devices in picks for device in devices):
        for counter, amount in world.uses.get(device, {}).items():
            left[counter] -= amount
    if min(left.values()) < 0:
        return False
    for number, attribute in enumerate(world.match):
        if len(set(_values(world, picks, "match", number, attribute))) > 1:
            return False
    for number, attribute in enumerate(world.distinct):
        values = list(_values(world, picks, "distinct", number, attribute))
        if len(set(values)) < len(values):
            return False
    return not any(
        None in _values(world, picks, kind, number, attribute)
        for kind, attributes in (("match", world.match), ("distinct", world.distinct))
        for number, attribute in enumerate(attributes)
    )


def _values(world: World, picks: Picks, kind: str, number: int, attribute: list[object]) -> Iterator[object]:
    for step, alternative, devices in picks:
        if (kind, number) in world.question.steps[step][alternative].order:
            yield from (attribute[device] for device in devices)
