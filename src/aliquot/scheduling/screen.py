"""The filter phase for one pod on one snapshot: which nodes take it, and what the scheduler counts for the others."""

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass
from itertools import chain

from aliquot.kube.pod import Pod
from aliquot.scheduling.cycle import WIDE_FILTERS, Cycle, first_failure
from aliquot.scheduling.node_affinity import LEFT_OUT, named_nodes
from aliquot.scheduling.reason import Fault, Reason
from aliquot.scheduling.survey import PASSES, Outcome, Survey, survey
from aliquot.snapshot.load import NodeLoad
from aliquot.snapshot.snapshot import Snapshot


@dataclass(frozen=True, slots=True)
class Screen:
    """Every node's outcome: the root's survey, and in place of it what is known better."""

    snapshot: Snapshot
    survey: Survey | None
    better: Mapping[str, Outcome]
    """Nodes that changed since the survey, have pods promised to them, or were looked at by the wide filters."""
    left_out: Outcome | None = None
    """Of all other nodes, where the survey is None."""

    def outcome(self, node: str) -> Outcome:
        """One node's."""
        found = self.better.get(node)
        if found is None:
            found = self.survey.outcome[node] if self.survey else self.left_out
        assert found is not None
        return found

    def counts(self) -> dict[str, int]:
        """Text -> nodes."""
        counts: Counter[str] = Counter()
        for outcome, number in self._numbers().items():
            for text in outcome.texts:
                counts[text] += number
        return {text: number for text, number in counts.items() if number}

    def _numbers(self) -> Mapping[Outcome, int]:
        numbers = Counter(self.better.values())
        if self.survey:
            for outcome, nodes in self.survey.nodes.items():
                numbers[outcome] += len(nodes)
            for node in self.snapshot.changed | self.better.keys():
                if (surveyed := self.survey.outcome.get(node)) is not None:
                    numbers[surveyed] -= 1
        elif self.left_out:
            numbers[self.left_out] += len(self.snapshot.nodes) - len(self.better)
        return numbers

    def feasible(self) -> tuple[str, ...]:
        """The nodes that take the pod, in the snapshot's order."""
        return self._where(lambda outcome: not outcome.texts)

    def preemptible(self) -> tuple[str, ...]:
        """The nodes where removing pods might help."""
        return self._where(lambda outcome: bool(outcome.texts) and outcome.preemptible)

    def _where(self, accept: Callable[[Outcome], bool]) -> tuple[str, ...]:
        elsewhere = self.snapshot.changed | self.better.keys()
        parts = [[node for node, outcome in self.better.items() if accept(outcome)]]
        for outcome, nodes in self.survey.nodes.items() if self.survey else ():
            if accept(outcome):
                parts.append([node for node in nodes if node not in elsewhere] if elsewhere else nodes)
        parts = [part for part in parts if part]
        if len(parts) == 1 and parts[0][0] not in self.better:
            return tuple(parts[0])
        order = self.snapshot.recall("order", _order)
        return tuple(sorted(chain.from_iterable(parts), key=order.__getitem__))


def screen(snapshot: Snapshot, cycle: Cycle, shape: Hashable) -> Screen | Fault:
    """Judge every node."""
    named = named_nodes(cycle.pod)
    if named is not None:
        return _screen_named(snapshot, cycle, named)
    known = survey(snapshot.root, cycle, shape)
    again: set[str] = {node for node in snapshot.changed if node in snapshot.nodes}
    again.update(n for n in snapshot.nominated() if n in snapshot.nodes and promised(snapshot, cycle.pod, n))
    better: dict[str, Outcome] = {}
    if cycle.spread or cycle.neighbours or cycle.claims or cycle.pod.needs_features:
        gone = snapshot.changed
        for node in known.nodes.get(PASSES, ()):
            if node not in again and node not in gone:
                reasons = first_failure(cycle, snapshot.load(node), WIDE_FILTERS)
                if isinstance(reasons, Fault):
                    return reasons
                if reasons:
                    better[node] = Outcome.of(reasons)
    fault = _look(snapshot, cycle, sorted(again), better)
    return fault or Screen(snapshot, known, better)


def _screen_named(snapshot: Snapshot, cycle: Cycle, named: Iterable[str]) -> Screen | Fault:
    better: dict[str, Outcome] = {}
    looked_at = {node for node in (*named, cycle.pod.nominated_node) if node in snapshot.nodes}
    fault = _look(snapshot, cycle, sorted(looked_at), better)
    texts = (LEFT_OUT,) if cycle.release.tells_of_left_out_nodes else ()
    return fault or Screen(snapshot, None, better, Outcome(texts, preemptible=False))


def _look(snapshot: Snapshot, cycle: Cycle, nodes: Iterable[str], found: dict[str, Outcome]) -> Fault | None:
    for node in nodes:
        reasons = look(cycle, snapshot.load(node), promised(snapshot, cycle.pod, node))
        if isinstance(reasons, Fault):
            return reasons
        found[node] = Outcome.of(reasons) if reasons else PASSES
    return None


def promised(snapshot: Snapshot, pod: Pod, node: str) -> tuple[Pod, ...]:
    """Pods nominated for a node to which this one must leave room: of its own priority or above."""
    waiting = snapshot.nominated().get(node, ())
    return tuple(other for other in waiting if other.priority >= pod.priority and other.key != pod.key)


def look(cycle: Cycle, load: NodeLoad, waiting: tuple[Pod, ...]) -> tuple[Reason, ...] | Fault:
    """What the scheduler finds on one node: with the pods promised to it, and then without them too."""
    if waiting:
        fuller = load
        for pod in waiting:
            fuller = fuller.plus(pod)
        reasons = first_failure(cycle.moved(load, waiting, 1), fuller)
        if reasons:
            return reasons
    return first_failure(cycle, load)


def _order(snapshot: Snapshot) -> Mapping[str, int]:
    return {name: nth for nth, name in enumerate(snapshot.nodes)}
