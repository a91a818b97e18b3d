"""The filter phase for one pod on one snapshot: which nodes take it, and what the scheduler counts for the others."""

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass
from itertools import chain

from aliquot.allocation.claims.pod_check import Fault
from aliquot.kube.pod import Pod
from aliquot.scheduling.bulk_filters import PASSES, NodeOutcome, NodeTable, node_table
from aliquot.scheduling.cycle import Cycle
from aliquot.scheduling.filter_order import FILTERS, WIDE_FILTERS, Filter, first_failure
from aliquot.scheduling.filters.equal_nodes import positions
from aliquot.scheduling.filters.node_affinity import LEFT_OUT, named_nodes
from aliquot.scheduling.filters.reason import Reason
from aliquot.scheduling.versions import tells_of_left_out_nodes
from aliquot.snapshot.load import NodeLoad
from aliquot.snapshot.snapshot import Snapshot


@dataclass(frozen=True, slots=True)
class FilterResults:
    """Every node's outcome: the root's table, and in place of it what is known better."""

    snapshot: Snapshot
    table: NodeTable | None
    better: Mapping[str, NodeOutcome]
    """Nodes that changed since then, have pods promised to them, or were looked at by the wide filters."""
    left_out: NodeOutcome | None = None
    """Of all other nodes, where there's no table."""

    def outcome(self, node: str) -> NodeOutcome | None:
        """One node's; None if there's no such node."""
        if node not in self.snapshot.nodes:
            return None
        return self.better.get(node) or (self.table.outcome(node) if self.table else self.left_out)

    def counts(self) -> dict[str, int]:
        """Text -> nodes."""
        counts: Counter[str] = Counter()
        for outcome, number in self._numbers().items():
            for text in outcome.texts:
                counts[text] += number
        return {text: number for text, number in counts.items() if number}

    def _numbers(self) -> Mapping[NodeOutcome, int]:
        numbers = Counter(self.better.values())
        if self.table:
            for outcome, nodes in self.table.nodes.items():
                numbers[outcome] += len(nodes)
            for node in self.snapshot.changed | self.better.keys():
                if (tabled := self.table.outcome(node)) is not None:
                    numbers[tabled] -= 1
        elif self.left_out:
            numbers[self.left_out] += len(self.snapshot.nodes) - len(self.better)
        return numbers

    def feasible(self) -> tuple[str, ...]:
        """The nodes that take the pod, in the snapshot's order (new ones of a changed snapshot last)."""
        return self._where(lambda outcome: not outcome.texts)

    def preemptible(self) -> tuple[str, ...]:
        """The nodes where removing pods might help."""
        return self._where(_curable)

    def preemptible_number(self) -> int:
        """How many they are."""
        return sum(number for outcome, number in self._numbers().items() if _curable(outcome))

    def _where(self, accept: Callable[[NodeOutcome], bool]) -> tuple[str, ...]:
        elsewhere = self.snapshot.changed | self.better.keys()
        parts = [[node for node, outcome in self.better.items() if accept(outcome)]]
        for outcome, nodes in self.table.nodes.items() if self.table else ():
            if accept(outcome):
                parts.append([node for node in nodes if node not in elsewhere] if elsewhere else nodes)
        parts = [part for part in parts if part]
        if len(parts) == 1 and parts[0][0] not in self.better:
            return tuple(parts[0])
        order = self.snapshot.root.recall("positions", positions)
        return tuple(sorted(chain.from_iterable(parts), key=lambda node: order.get(node, len(order))))


def _curable(outcome: NodeOutcome) -> bool:
    return bool(outcome.texts) and outcome.preemptible


def run_filters(snapshot: Snapshot, cycle: Cycle, key: Hashable) -> FilterResults | Fault:
    """Judge every node."""
    named = named_nodes(cycle.pod)
    if named is not None:
        return _filter_named(snapshot, cycle, named)
    known = node_table(snapshot.root, cycle, key)
    again: set[str] = {node for node in snapshot.changed if node in snapshot.nodes}
    again.update(n for n in snapshot.nominated() if n in snapshot.nodes and nominated_ahead(snapshot, cycle.pod, n))
    better: dict[str, NodeOutcome] = {}
    fault = _filter_wide(snapshot, cycle, [n for n in known.nodes.get(PASSES, ()) if n not in again], better)
    fault = fault or _filter_each(snapshot, cycle, sorted(again), better)
    return fault or FilterResults(snapshot, known, better)


def _filter_named(snapshot: Snapshot, cycle: Cycle, named: Iterable[str]) -> FilterResults | Fault:
    better: dict[str, NodeOutcome] = {}
    looked_at = {node for node in (*named, cycle.pod.nominated_node) if node in snapshot.nodes}
    fault = _filter_each(snapshot, cycle, sorted(looked_at), better)
    texts = (LEFT_OUT,) if tells_of_left_out_nodes(cycle.kubernetes) else ()
    return fault or FilterResults(snapshot, None, better, NodeOutcome(texts, preemptible=False))


def _filter_wide(snapshot: Snapshot, cycle: Cycle, nodes: Iterable[str], found: dict[str, NodeOutcome]) -> Fault | None:
    """Put nodes that pass all other filters before the wide ones."""
    if not (cycle.spread or cycle.neighbours or cycle.claims or cycle.pod.needs_features):
        return None
    keys = cycle.topology_keys()
    one_by_one = bool(cycle.claims or cycle.pod.needs_features)
    known: dict[tuple[str | None, ...], NodeOutcome] = {}
    for node in nodes:
        if node in snapshot.changed:
            continue
        labels = snapshot.nodes[node].meta.labels
        key = tuple([labels.get(topology_key) for topology_key in keys])
        outcome = None if one_by_one else known.get(key)
        if outcome is None:
            reasons = first_failure(cycle, snapshot.load(node), WIDE_FILTERS)
            if isinstance(reasons, Fault):
                return reasons
            outcome = known[key] = NodeOutcome.of(reasons)
        if outcome.texts:
            found[node] = outcome
    return None


def _filter_each(snapshot: Snapshot, cycle: Cycle, nodes: Iterable[str], found: dict[str, NodeOutcome]) -> Fault | None:
    for node in nodes:
        reasons = failures_with_nominated(cycle, snapshot.load(node), nominated_ahead(snapshot, cycle.pod, node))
        if isinstance(reasons, Fault):
            return reasons
        found[node] = NodeOutcome.of(reasons) if reasons else PASSES
    return None


def nominated_ahead(snapshot: Snapshot, pod: Pod, node: str) -> tuple[Pod, ...]:
    """Pods nominated for a node to which this one must leave room: of its own priority or above."""
    nominated = snapshot.nominated()
    if not nominated:
        return ()
    waiting = nominated.get(node, ())
    return tuple(other for other in waiting if other.priority >= pod.priority and other.key != pod.key)


def failures_with_nominated(
    cycle: Cycle, load: NodeLoad, waiting: tuple[Pod, ...], filters: Iterable[Filter] = FILTERS
) -> tuple[Reason, ...] | Fault:
    """What the scheduler finds on one node: with the pods promised to it, and then without them too."""
    if waiting:
        fuller = load
        for pod in waiting:
            fuller = fuller.plus(pod)
        reasons = first_failure(cycle.moved(load, waiting, 1), fuller, filters)
        if reasons:
            return reasons
    return first_failure(cycle, load, filters)
