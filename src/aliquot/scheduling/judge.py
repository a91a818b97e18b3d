"""Judge a pod on a snapshot as kube-scheduler would, and tell the whole story."""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, replace

from aliquot.kube.pod import Pod
from aliquot.scheduling.bulk_filters import amounts, survey
from aliquot.scheduling.cycle import Cycle, Halt, begin, every_failure, uses_dynamic_resources
from aliquot.scheduling.equal_pods import shape
from aliquot.scheduling.filter_phase import promised, screen
from aliquot.scheduling.filters.dynamic_resources import DynamicResources, NotGenerated, Rejected
from aliquot.scheduling.filters.node_affinity import CONFLICT, named_nodes
from aliquot.scheduling.filters.reason import Fault, Reason
from aliquot.scheduling.message import GATED, NO_NODES, sentence
from aliquot.scheduling.outcome import NodeGroup, Placement, Refusal, Verdict
from aliquot.scheduling.preemption import NoPreemption, preempt, unhelped
from aliquot.scheduling.unchecked import BUDGETS, not_checked
from aliquot.scheduling.versions import Release
from aliquot.snapshot.snapshot import Snapshot


def judge(snapshot: Snapshot, pod: Pod, release: Release, dynamic: DynamicResources | None = None) -> Verdict:
    """What becomes of a pod: a Placement (it runs, or could now, or after a preemption) or a Refusal.

    Args:
        snapshot: The cluster. The pod needn't be in it; a namesake there that waits doesn't count against it.
        pod: The pod.
        release: Of kube-scheduler.
        dynamic: Who allocates devices; None: claims are named as not checked.
    """
    if pod.node_name or pod.terminal:
        return Placement(pod.key, "running", (pod.node_name,) if pod.node_name else ())
    if pod.scheduling_gates:
        return Refusal(pod.key, "gated", "SchedulingGated", GATED)
    if pod.terminating:
        return Refusal(pod.key, "pending", "", "", total=len(snapshot.nodes))
    kind = shape(pod)

    def make(there: Snapshot) -> Verdict:
        return _judge(there, pod, release, dynamic, kind)

    verdict = snapshot.recall(("verdict", kind, release, dynamic), make)
    unchecked = not_checked(snapshot, pod, release, dynamic)
    if isinstance(verdict, Placement) and verdict.preemption:
        unchecked = (*unchecked, BUDGETS)
    return replace(verdict, pod=pod.key, not_checked=unchecked)


def fits(
    snapshot: Snapshot, pod: Pod, node: str, release: Release, dynamic: DynamicResources | None = None
) -> tuple[Reason, ...]:
    """Every reason why one node doesn't take the pod now; empty if it does. Looks at this node only.

    A reason of the filter `DynamicResources` may be a fault of the whole attempt: its text says so.

    Raises:
        KeyError: if there's no such node.
    """
    cycle = _cycle(snapshot, pod, release, dynamic)
    if isinstance(cycle, Halt):
        text = cycle.verdict.message if isinstance(cycle.verdict, Fault) else cycle.verdict.text
        return (Reason("DynamicResources", text),)
    return Details(snapshot, cycle, shape(pod)).reasons(node)


def _cycle(snapshot: Snapshot, pod: Pod, release: Release, dynamic: DynamicResources | None) -> Cycle | Halt:
    def make(there: Snapshot) -> Cycle | Halt:
        return begin(there, pod, release, dynamic)

    return snapshot.recall(("cycle", shape(pod), release, dynamic), make)


def _judge(snapshot: Snapshot, pod: Pod, release: Release, dynamic: DynamicResources | None, kind: Hashable) -> Verdict:
    total = len(snapshot.nodes)
    cycle = _cycle(snapshot, pod, release, dynamic)
    if isinstance(cycle, Halt) and isinstance(cycle.verdict, NotGenerated):
        return Refusal(pod.key, "pending", "", "", total)
    if not total:
        return Refusal(pod.key, "pending", "Unschedulable", NO_NODES)
    if named_nodes(pod) == frozenset():
        return _rejected(snapshot, pod, release, CONFLICT, "")
    if isinstance(cycle, Halt):
        if isinstance(cycle.verdict, Fault):
            return Refusal(pod.key, "pending", "SchedulerError", cycle.verdict.message, total)
        assert isinstance(cycle.verdict, Rejected)
        return _rejected(snapshot, pod, release, cycle.verdict.text, cycle.verdict.post_filter)
    details = Details(snapshot, cycle, kind)
    if pod.nominated_node in snapshot.nodes and not details.reasons(pod.nominated_node):
        return Placement(pod.key, "placeable", (pod.nominated_node,), by_node=details)
    screened = screen(snapshot, cycle, kind)
    if isinstance(screened, Fault):
        return Refusal(pod.key, "pending", "SchedulerError", screened.message, total, by_node=details)
    feasible = screened.feasible()
    if feasible:
        return Placement(pod.key, "placeable", feasible, by_node=details)
    counts = screened.counts()
    outcome = preempt(snapshot, cycle, screened)
    if not isinstance(outcome, NoPreemption):
        return Placement(pod.key, "placeable", (), preemption=outcome, message=sentence(total, counts), by_node=details)
    post = _post_filter(release, _claims_text(pod, cycle), outcome.text)
    return Refusal(
        pod.key,
        "pending",
        "Unschedulable",
        sentence(total, counts, post),
        total,
        counts,
        outcome.counts,
        by_node=details,
    )


def _claims_text(pod: Pod, cycle: Cycle) -> str:
    if not cycle.dynamic:
        return ""
    if cycle.claims is not None:
        return cycle.claims.post_filter
    return "still not schedulable" if pod.claims or cycle.delegated else "no new claims to deallocate"


def _post_filter(release: Release, claims: str, preemption: str) -> str:
    """What the PostFilter plugins say, in their order."""
    said = [claims] if release.tells_of_claims and claims else []
    return ", ".join([*said, f"preemption: {preemption}"])


def _rejected(snapshot: Snapshot, pod: Pod, release: Release, text: str, claims: str) -> Refusal:
    """PreFilter said no, so that no node is looked at, and no preemption would help.

    Args:
        snapshot: The cluster.
        pod: The pod.
        release: Of kube-scheduler.
        text: Why.
        claims: What DynamicResources says afterwards; empty if it had not prepared: it then misses its state, and its
            error `not found` is all that PostFilter says.
    """
    total = len(snapshot.nodes)
    if not claims and uses_dynamic_resources(snapshot, release):
        return Refusal(pod.key, "pending", "Unschedulable", sentence(total, {}, "not found", text), total)
    outcome = unhelped(total, pod)
    post = _post_filter(release, claims, outcome.text)
    message = sentence(total, {}, post, text)
    return Refusal(pod.key, "pending", "Unschedulable", message, total, {}, outcome.counts)


@dataclass(frozen=True, slots=True)
class Details:
    """Every failing filter of every node, reckoned when asked for (`outcome.NodeReasons`)."""

    snapshot: Snapshot
    cycle: Cycle
    kind: Hashable
    """The pod's shape."""

    def reasons(self, node: str) -> tuple[Reason, ...]:
        """Of one node, with room left for the pods promised to it."""
        if node not in self.snapshot.nodes:
            raise KeyError(node)
        load = self.snapshot.load(node)
        waiting = promised(self.snapshot, self.cycle.pod, node)
        if waiting:
            fuller = load
            for pod in waiting:
                fuller = fuller.plus(pod)
            found = every_failure(self.cycle.moved(load, waiting, 1), fuller)
            if found:
                return found
        return every_failure(self.cycle, load)

    def groups(self) -> tuple[NodeGroup, ...]:
        """Nodes with the same reasons together, in the order of their first."""
        return self.snapshot.recall(("reasons", id(self.cycle)), self._groups)

    def _groups(self, snapshot: Snapshot) -> tuple[NodeGroup, ...]:
        found: dict[tuple[Reason, ...], list[str]] = {}
        known: dict[Hashable, list[str]] = {}
        keys = self._alike(snapshot)
        for node in snapshot.nodes:
            key = keys.get(node)
            alike = known.get(key) if key is not None else None
            if alike is None:
                alike = found.setdefault(self.reasons(node), [])
                if key is not None:
                    known[key] = alike
            alike.append(node)
        return tuple(NodeGroup(tuple(nodes), reasons) for reasons, nodes in found.items())

    def _alike(self, snapshot: Snapshot) -> Mapping[str, Hashable]:
        """Node -> a key that says all its reasons depend on; nodes without one are reckoned one by one."""
        cycle = self.cycle
        if cycle.claims or cycle.ports or cycle.pod.needs_features:
            return {}
        labels = cycle.topology_keys()
        known = survey(snapshot.root, cycle, self.kind)
        columns = [amounts(snapshot.root, resource) for resource in known.resources]
        apart = snapshot.changed | snapshot.nominated().keys()
        told = {
            key: [amount for code, pair in zip(key[2:], columns, strict=True) if code for amount in pair]
            for key in known.outcomes
        }
        keys: dict[str, Hashable] = {}
        for nth, (node, key) in enumerate(zip(snapshot.root.nodes, known.keys, strict=True)):
            if node not in apart:
                there = snapshot.nodes[node].meta.labels
                keys[node] = (key, *[amount[nth] for amount in told[key]], *[there.get(label) for label in labels])
        return keys
