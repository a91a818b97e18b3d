"""Preemption: which pods of lower priority would be evicted to make room, and what is said when that's no help.

The rules are those of DefaultPreemption: on each node where removing pods might help, remove all pods of lower
priority; if the pod then fits, bring back as many as possible, those that would violate a PodDisruptionBudget before
the others, and of both the most important first; of the nodes that come out, take the one that hurts least.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

from aliquot.allocation.claims.pod_check import Fault
from aliquot.kube.disruption import DisruptionBudget
from aliquot.kube.pod import Pod
from aliquot.scheduling.budgets import violated
from aliquot.scheduling.cycle import Cycle
from aliquot.scheduling.filter_phase import FilterResults, failures_with_nominated, nominated_ahead
from aliquot.scheduling.message import sentence
from aliquot.scheduling.outcome import Preemption
from aliquot.snapshot.load import NodeLoad
from aliquot.snapshot.snapshot import Snapshot

NO_HELP = "Preemption is not helpful for scheduling"
NO_VICTIMS = "No preemption victims found for incoming pod"
NEVER = "not eligible due to preemptionPolicy=Never."
TERMINATING = "not eligible due to a terminating pod on the nominated node."
LEAST_CANDIDATES = 100
"""The scheduler stops at this many nodes, or a tenth of the potential ones if that's more."""


@dataclass(frozen=True, slots=True)
class NoPreemption:
    """It's no help; what the plugin says (without `preemption: `), and text -> nodes in its sentence."""

    text: str
    counts: dict[str, int]


@dataclass(frozen=True, slots=True)
class _Candidate:
    node: str
    victims: tuple[Pod, ...]
    violations: int
    """How many of them violate a budget."""
    budgets: tuple[str, ...] = ()
    """Which ones."""


def unhelped(total: int, pod: Pod) -> NoPreemption:
    """For a pod that was rejected before any of the `total` nodes was looked at."""
    if pod.preemption_policy == "Never":
        return NoPreemption(NEVER, {})
    counts = {NO_HELP: total}
    return NoPreemption(sentence(total, counts), counts)


def preempt(snapshot: Snapshot, cycle: Cycle, filtered: FilterResults) -> Preemption | NoPreemption:
    """Try it for a pod that fits nowhere, as the filters found."""
    pod = cycle.pod
    if pod.preemption_policy == "Never":
        return NoPreemption(NEVER, {})
    if _waits_for_victims(snapshot, pod, filtered):
        return NoPreemption(TERMINATING, {})
    counts: Counter[str] = Counter()
    potential = _worth_trying(snapshot, pod.priority, filtered, counts)
    faults: list[str] = []
    harmless: list[_Candidate] = []
    violating: list[_Candidate] = []
    budgets = tuple(snapshot.objects(DisruptionBudget).values())
    enough = max(len(potential) // 10, LEAST_CANDIDATES)
    for node in potential:
        found = _victims(cycle, snapshot.load(node), nominated_ahead(snapshot, pod, node), budgets)
        if isinstance(found, Fault):
            faults.append(found.message)
        elif isinstance(found, _Candidate):
            kept = violating if found.violations else harmless
            if len(kept) < enough:
                kept.append(found)
            if harmless and len(harmless) + len(violating) >= enough:
                break
        else:
            counts.update(found)
    if harmless or violating:
        best = _least_harm([*harmless, *violating])
        return Preemption(
            node=best[0].node,
            victims=tuple(victim.key for victim in best[0].victims),
            certain=len(best) == 1 and len(potential) <= enough,
            alternatives=tuple(candidate.node for candidate in best[1:]),
            violations=best[0].violations,
            budgets=best[0].budgets,
        )
    if faults:
        return NoPreemption(_together(faults), {})
    total = len(snapshot.nodes)
    hopeless = total - filtered.preemptible_number()
    if hopeless:
        counts[NO_HELP] += hopeless
    return NoPreemption(sentence(total, counts), dict(counts))


def _worth_trying(snapshot: Snapshot, priority: int, filtered: FilterResults, counts: Counter[str]) -> list[str]:
    """The potential nodes that have a pod of lower priority; the others are counted."""
    lowest = snapshot.root.recall("lowest priorities", _lowest_priorities)
    changed = [_lowest(snapshot.load(node)) for node in snapshot.changed]
    if min([*changed, lowest[""]]) >= priority:
        worth: list[str] = []
    else:
        worth = [
            node
            for node in filtered.preemptible()
            if (_lowest(snapshot.load(node)) if node in snapshot.changed else lowest[node]) < priority
        ]
    without = filtered.preemptible_number() - len(worth)
    if without:
        counts[NO_VICTIMS] += without
    return worth


_NONE = 1 << 31


def _lowest(load: NodeLoad) -> int:
    return min((pod.priority for pod in load.pods.values()), default=_NONE)


def _lowest_priorities(root: Snapshot) -> Mapping[str, int]:
    """Node -> lowest priority of its pods; under the empty name that of all."""
    found = {load.node.name: _lowest(load) for load in root.loads()}
    found[""] = min(found.values(), default=_NONE)
    return found


def _waits_for_victims(snapshot: Snapshot, pod: Pod, filtered: FilterResults) -> bool:
    """It has preempted already, and its victims are still going."""
    node = pod.nominated_node
    outcome = filtered.outcome(node) if node else None
    if outcome is None or not outcome.preemptible:
        return False
    return any(other.priority < pod.priority and other.terminating for other in snapshot.load(node).pods.values())


def _victims(
    cycle: Cycle, load: NodeLoad, waiting: tuple[Pod, ...], budgets: tuple[DisruptionBudget, ...]
) -> _Candidate | tuple[str, ...] | Fault:
    """The fewest pods to evict from a node; or the texts that count there."""
    pod = cycle.pod
    lower = sorted((p for p in load.pods.values() if p.priority < pod.priority), key=lambda p: p.meta.created or "")
    emptied = load.minus(*(p.key for p in lower))
    around = cycle.moved(load, lower, -1)
    reasons = failures_with_nominated(around, emptied, waiting)
    if isinstance(reasons, Fault):
        return reasons
    if reasons:
        return tuple(reason.text for reason in reasons)
    victims: list[Pod] = []
    against = list(violated(by_importance(lower), budgets))
    first = {one.key: named for one, named in against if named}
    for candidate in sorted((one for one, _ in against), key=lambda one: one.key not in first):
        fuller = emptied.plus(candidate)
        with_it = around.moved(load, (candidate,), 1)
        if failures_with_nominated(with_it, fuller, waiting):
            victims.append(candidate)
        else:
            emptied, around = fuller, with_it
    assert victims, "with all brought back it's the node that the pod didn't fit"
    named = [first[victim.key] for victim in victims if victim.key in first]
    ordered = by_importance(victims) if 0 < len(first) < len(against) else victims
    return _Candidate(load.node.name, tuple(ordered), len(named), tuple(dict.fromkeys(chain.from_iterable(named))))


def by_importance(pods: Sequence[Pod]) -> list[Pod]:
    """The most important first: by priority, then the longest running.

    A pod that hasn't started counts as starting the moment it's compared; so of two such pods the one that is compared
    first is the older, and the scheduler's insertion sort turns their order around. That is followed here.
    """
    ordered = list(pods)
    for i in range(1, len(ordered)):
        j = i
        while j > 0 and _more_important(ordered[j], ordered[j - 1]):
            ordered[j], ordered[j - 1] = ordered[j - 1], ordered[j]
            j -= 1
    return ordered


def _more_important(one: Pod, other: Pod) -> bool:
    if one.priority != other.priority:
        return one.priority > other.priority
    if one.started is None or other.started is None:
        return other.started is None
    return one.started < other.started


_FAR_FUTURE = "9999"


def _least_harm(candidates: list[_Candidate]) -> list[_Candidate]:
    """The best candidates; more than one if the scheduler would choose by chance."""
    rules: tuple[Callable[[_Candidate], tuple[int, str]], ...] = (
        lambda c: (c.violations, ""),
        lambda c: (c.victims[0].priority, ""),
        lambda c: (sum(p.priority + (1 << 31) for p in c.victims), ""),
        lambda c: (len(c.victims), ""),
    )
    for rule in rules:
        least = min(map(rule, candidates))
        candidates = [candidate for candidate in candidates if rule(candidate) == least]
    latest = max(map(_start, candidates))
    return [candidate for candidate in candidates if _start(candidate) == latest]


def _start(candidate: _Candidate) -> str:
    """When the first of the most important victims started."""
    top = max(pod.priority for pod in candidate.victims)
    return min(pod.started or _FAR_FUTURE for pod in candidate.victims if pod.priority == top)


def _together(faults: list[str]) -> str:
    """As Go's aggregate prints several errors."""
    different = list(dict.fromkeys(faults))
    return different[0] if len(different) == 1 else f"[{', '.join(different)}]"
