"""A plan bound to a node: the question that the search works on, and the checks that only a node can make."""

from collections.abc import Collection, Sequence
from dataclasses import replace

from aliquot.allocation.exact.compiled_claims import ALL, Alternative, Plan, recipe_name, too_many
from aliquot.allocation.exact.node_devices import Blame, Candidates, View
from aliquot.allocation.exact.node_state import Standing
from aliquot.allocation.inputs import RESULTS_LIMIT
from aliquot.allocation.search.attribute_values import Values
from aliquot.allocation.search.bits import members
from aliquot.allocation.search.question import Part, Question, Step


def bound(plan: Plan, view: View, standing: Standing) -> Question:
    """The question of a plan on a node."""
    match = [view.values(attribute) for attribute in plan.match]
    distinct = [view.values(attribute) for attribute in plan.distinct]
    steps = [
        tuple(_part(view, standing, step.claim, alternative) for alternative in step.alternatives)
        for step in plan.steps
    ]
    if match or distinct:
        steps = _without_idle(steps, match, distinct)
    return Question(
        steps=steps,
        counters=view.blocks,
        counters_of=view.block_of,
        match=match,
        distinct=distinct,
        shareable=view.shareable & ~standing.spent,
        guards={number: shared.guard for number, shared in view.shared.items()},
        limit=RESULTS_LIMIT,
        totals=view.totals,
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


def _part(view: View, standing: Standing, claim: int, alternative: Alternative) -> Part:
    found = view.candidates(alternative)
    bits = found.bits & ~standing.spent
    if not alternative.admin:
        bits &= ~standing.overdrawn
    if standing.busy:
        bits &= ~_too_busy(view, standing, bits, alternative)
    need, every = alternative.count, 0
    if need == ALL:
        every = every_device(view, standing, alternative, found)
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


def every_device(view: View, standing: Standing, alternative: Alternative, found: Candidates) -> int:
    """The devices that mode All finds: matching, and with the capacity that is asked for, at the start."""
    every = found.every & ~standing.spent
    for number in members(every & view.shareable):
        guard = view.shared[number].guard
        if ((standing.start.left[number] | guard) - found.consumes[number]) & guard != guard:
            every &= ~(1 << number)
    if standing.busy:
        every &= ~_too_busy(view, standing, every, alternative)
    return every


def _too_busy(view: View, standing: Standing, bits: int, alternative: Alternative) -> int:
    """Exclusive devices of which shares are in use that leave too little."""
    result = 0
    for number, used in standing.busy.items():
        if not bits >> number & 1:
            continue
        consumed = view.consumed(number, alternative.key[3])
        for name, capacity in view.devices[number].capacity.items():
            if name in used and used[name] + consumed[name] > capacity.value:
                result |= 1 << number
    return result


def fatal_on_node(plan: Plan, view: View, standing: Standing) -> str:
    """The first problem of validation on this node, in upstream's words; "": none."""
    for check in plan.checks:
        if check.alternative >= 0:
            problem = _all_problem(plan, view, check.step, check.alternative)
        else:
            least = sum(
                min(_count(view, standing, alternative) for alternative in step.alternatives)
                for step in plan.steps
                if step.claim == check.claim
            )
            problem = too_many(plan.claims[check.claim], least) if least > RESULTS_LIMIT else ""
        if problem:
            return problem
    return plan.fatal


def _count(view: View, standing: Standing, alternative: Alternative) -> int:
    if alternative.count != ALL:
        return alternative.count
    return every_device(view, standing, alternative, view.candidates(alternative)).bit_count()


def _all_problem(plan: Plan, view: View, place: int, number: int) -> str:
    step = plan.steps[place]
    alternative = step.alternatives[number]
    found: Candidates | None = None
    if not view.unusable and not view.candidates(alternative).error_bits:
        return ""
    claim = plan.claims[step.claim]
    where = f"claim {claim.meta.key}, request {recipe_name(claim, step, number)[1]}"
    for pool in view.pools:
        if pool.state != "usable":
            state = "being updated" if pool.state == "incomplete" else "invalid"
            return f"{where}: asks for all devices, but resource pool {pool.label} is currently {state}"
        found = found or view.candidates(alternative)
        for device in view.numbers[pool.key].values():
            if device in found.errors:
                return blamed(plan, view, place, number, device, found.errors[device])
    return ""


def blamed(plan: Plan, view: View, place: int, number: int, device: int, blame: Blame) -> str:
    """The text of a device's error, in upstream's words."""
    step = plan.steps[place]
    claim = plan.claims[step.claim]
    class_name, name = recipe_name(claim, step, number)
    match blame.owner:
        case "class":
            return f"class {class_name}: selector #{blame.index}: {blame.text}"
        case "request":
            return f"claim {claim.meta.key}: selector #{blame.index}: {blame.text}"
        case "capacity":
            where = f"claim {claim.meta.key}, request {name}"
            told = view.ids[device].device if step.alternatives[number].count == ALL else view.ids[device]
            return f"{where}: checking capacity for device {told}: {blame.text}"
        case _:
            return blame.text
