"""One attempt to schedule a pod: its cycle, the filters on all nodes, preemption, and the message."""

from collections.abc import Hashable

from aliquot.allocation.claims.pod_check import Fault
from aliquot.allocation.claims.pod_claims import NotReady
from aliquot.kube.pod import Pod
from aliquot.kube.release import Kubernetes
from aliquot.scheduling.cycle import Cycle, Halt, uses_dynamic_resources
from aliquot.scheduling.filter_phase import run_filters
from aliquot.scheduling.filters.node_affinity import CONFLICT, named_nodes
from aliquot.scheduling.message import NO_NODES, sentence
from aliquot.scheduling.node_reasons import Reckoned
from aliquot.scheduling.outcome import Placement, Refusal, Verdict
from aliquot.scheduling.preemption import NoPreemption, preempt, unhelped
from aliquot.scheduling.versions import tells_of_claims
from aliquot.snapshot.snapshot import Snapshot

NOTHING_TO_DEALLOCATE = "no new claims to deallocate"
"""What DynamicResources says after no node was found, if the pod has no claims that it could free."""


def judged(
    snapshot: Snapshot, cycle: Cycle | Halt, pod: Pod, kubernetes: Kubernetes, asked: tuple[Hashable, Hashable]
) -> Verdict:
    """What becomes of a pod that waits. `asked`: the pod's shape, and who judges."""
    total = len(snapshot.nodes)
    if isinstance(cycle, Halt) and isinstance(cycle.verdict, NotReady):
        return Refusal(pod.key, "pending", "", "", total)
    if not total:
        return Refusal(pod.key, "pending", "Unschedulable", NO_NODES)
    if named_nodes(pod) == frozenset():
        return _rejected(snapshot, pod, kubernetes, CONFLICT, "")
    if isinstance(cycle, Halt):
        if isinstance(cycle.verdict, Fault):
            return Refusal(pod.key, "pending", "SchedulerError", cycle.verdict.message, total)
        return _rejected(snapshot, pod, kubernetes, cycle.verdict.text, NOTHING_TO_DEALLOCATE)
    by_node = Reckoned(snapshot, cycle, asked[0], asked)
    if pod.nominated_node in snapshot.nodes and not by_node.reasons(pod.nominated_node):
        return Placement(pod.key, "placeable", (pod.nominated_node,), by_node=by_node)
    filtered = run_filters(snapshot, cycle, asked[0])
    if isinstance(filtered, Fault):
        return Refusal(pod.key, "pending", "SchedulerError", filtered.message, total, by_node=by_node)
    feasible = filtered.feasible()
    if feasible:
        return Placement(pod.key, "placeable", feasible, by_node=by_node)
    counts = filtered.counts()
    outcome = preempt(snapshot, cycle, filtered)
    if not isinstance(outcome, NoPreemption):
        message = sentence(total, counts)
        return Placement(pod.key, "placeable", (), preemption=outcome, message=message, by_node=by_node)
    post = _post_filter(kubernetes, _claims_text(pod, cycle), outcome.text)
    return Refusal(
        pod.key,
        "pending",
        "Unschedulable",
        sentence(total, counts, post),
        total=total,
        counts=counts,
        preemption_counts=outcome.counts,
        by_node=by_node,
    )


def _claims_text(pod: Pod, cycle: Cycle) -> str:
    if not cycle.dynamic:
        return ""
    if cycle.claims is not None:
        return cycle.claims.post_filter
    return "still not schedulable" if pod.claims or cycle.delegated else NOTHING_TO_DEALLOCATE


def _post_filter(kubernetes: Kubernetes, claims: str, preemption: str) -> str:
    """What the PostFilter plugins say, in their order."""
    said = [claims] if tells_of_claims(kubernetes) and claims else []
    return ", ".join([*said, f"preemption: {preemption}"])


def _rejected(snapshot: Snapshot, pod: Pod, kubernetes: Kubernetes, text: str, claims: str) -> Refusal:
    """PreFilter said no, so that no node is looked at, and no preemption would help.

    Args:
        snapshot: The cluster.
        pod: The pod.
        kubernetes: Of kube-scheduler.
        text: Why.
        claims: What DynamicResources says afterwards; empty if it had not prepared: it then misses its state, and its
            error `not found` is all that PostFilter says.
    """
    total = len(snapshot.nodes)
    if not claims and uses_dynamic_resources(snapshot, kubernetes):
        return Refusal(pod.key, "pending", "Unschedulable", sentence(total, {}, "not found", text), total)
    outcome = unhelped(total, pod)
    post = _post_filter(kubernetes, claims, outcome.text)
    message = sentence(total, {}, post, text)
    return Refusal(pod.key, "pending", "Unschedulable", message, total, preemption_counts=outcome.counts)
