"""Compiled claims bound to a node: the question that the search works on."""

from collections.abc import Collection, Sequence
from dataclasses import replace

from aliquot.allocation.exact.compiled_claims import ALL, Alternative, CompiledClaims
from aliquot.allocation.exact.eligible import Eligible, EligibleFinder
from aliquot.allocation.exact.node_devices import NodeDevices
from aliquot.allocation.exact.node_state import NodeState
from aliquot.allocation.inputs import RESULTS_LIMIT
from aliquot.allocation.search.attribute_values import Values
from aliquot.allocation.search.bits import members
from aliquot.allocation.search.counters import fits
from aliquot.allocation.search.question import Part, Question, Step


def question_of(claims: CompiledClaims, finder: EligibleFinder, state: NodeState) -> Question:
    """The question of compiled claims on a node."""
    devices = finder.devices
    match = [finder.values(attribute) for attribute in claims.match]
    distinct = [finder.values(attribute) for attribute in claims.distinct]
    steps = [
        tuple(_part(finder, state, step.claim, alternative) for alternative in step.alternatives)
        for step in claims.steps
    ]
    if match or distinct:
        steps = _without_idle(steps, match, distinct)
    return Question(
        steps=steps,
        counters=devices.counters,
        counters_of=devices.counters_of,
        match=match,
        distinct=distinct,
        shareable=devices.shareable & ~state.spent,
        guards=devices.guards,
        limit=RESULTS_LIMIT,
        totals=finder.totals,
    )


def _without_idle(steps: Sequence[Step], match: Sequence[Values], distinct: Sequence[Values]) -> list[Step]:
    """Takes away constraints that only ever have one device: that one must have the attribute, no more."""
    most: dict[tuple[str, int], int] = {}
    for step in steps:
        for tie in {tie for part in step for tie in part.order}:
            # mode All keeps its constraints: there, a missing attribute is an error
            needs = [2 if part.every else part.need for part in step if tie in part.order]
            most[tie] = most.get(tie, 0) + max(needs)
    idle = {tie for tie, count in most.items() if count < 2}
    if not idle:
        return list(steps)
    return [tuple(_freed(part, idle, match, distinct) for part in step) for step in steps]


def _freed(part: Part, idle: Collection[tuple[str, int]], match: Sequence[Values], distinct: Sequence[Values]) -> Part:
    bits = part.bits
    for kind, number in part.order:
        if (kind, number) in idle:
            bits &= match[number].matchable if kind == "match" else distinct[number].having
    order = tuple(tie for tie in part.order if tie not in idle)
    return replace(
        part,
        bits=bits,
        order=order,
        match=tuple(number for kind, number in order if kind == "match"),
        distinct=tuple(number for kind, number in order if kind == "distinct"),
    )


def _part(finder: EligibleFinder, state: NodeState, claim: int, alternative: Alternative) -> Part:
    found = finder.eligible(alternative)
    bits = found.bits & ~state.spent
    if not alternative.admin:
        bits &= ~state.overdrawn
    if state.busy:
        bits &= ~_too_busy(finder.devices, state, bits, alternative)
    need, every = alternative.count, 0
    if need == ALL:
        every = every_device(finder.devices, state, alternative, found)
        need = every.bit_count()
    return Part(
        claim=claim,
        bits=bits & every if every else bits,
        need=need,
        admin=alternative.admin,
        match=alternative.match,
        distinct=alternative.distinct,
        consumes=found.consumes,
        impossible=alternative.count == ALL and not every,
        every=every,
        error_bits=found.error_bits,
        order=alternative.order,
    )


def every_device(devices: NodeDevices, state: NodeState, alternative: Alternative, found: Eligible) -> int:
    """The devices that mode All finds: matching, and with the capacity that is asked for, at the start."""
    every = found.every & ~state.spent
    for number in members(every & devices.shareable):
        if not fits(found.consumes[number], state.start.left[number], devices.guards[number]):
            every &= ~(1 << number)
    if state.busy:
        every &= ~_too_busy(devices, state, every, alternative)
    return every


def _too_busy(devices: NodeDevices, state: NodeState, bits: int, alternative: Alternative) -> int:
    """Exclusive devices of which shares are in use that leave too little."""
    result = 0
    requests = dict(alternative.criteria.capacity)
    for number, used in state.busy.items():
        if not bits >> number & 1:
            continue
        consumed = devices.consumed(number, requests)
        for name, capacity in devices.devices[number].capacity.items():
            if name in used and used[name] + consumed[name] > capacity.value:
                result |= 1 << number
    return result
