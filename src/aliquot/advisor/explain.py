"""Why a pod is where it is, or isn't, and what would help: the whole story as data."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from aliquot.advisor import remedy_share, remedy_taints
from aliquot.advisor.alike import Alike, alike_groups
from aliquot.advisor.case import Judge, device_requests
from aliquot.advisor.holders import Holding, holdings
from aliquot.advisor.owners import OwnerRef, owner_of, pods_of
from aliquot.advisor.search import case_of, ways_out
from aliquot.advisor.verdicts import placed, refused, stale_note
from aliquot.advisor.wayout import Advice, WayOut
from aliquot.kube.pod import Pod
from aliquot.scheduling.outcome import NodeGroup, Placement
from aliquot.scheduling.shape import shape
from aliquot.snapshot.snapshot import Snapshot


@dataclass(frozen=True, slots=True)
class Explanation:
    """One pod's story."""

    pod: Pod
    owner: OwnerRef
    verdict: str
    """running, placeable, pending or gated."""
    sentence: str
    """The verdict for a person."""
    scheduler_message: str
    """What kube-scheduler of this version says (or would say) about it; empty when it places the pod."""
    reason: str
    """Unschedulable, SchedulingGated, SchedulerError, or empty."""
    groups: tuple[NodeGroup, ...]
    """Nodes that refuse the pod, those with equal reasons together, numbers included."""
    alike: tuple[Alike, ...]
    """The same nodes, those that differ only in numbers together: for people."""
    feasible: tuple[str, ...]
    node: str
    """Where it runs, or would be placed first."""
    holdings: tuple[Holding, ...]
    """Who holds the devices that it asks for."""
    ways_out: tuple[WayOut, ...]
    advice: tuple[Advice, ...]
    not_checked: tuple[str, ...]
    note: str = ""
    """That the cluster's own message is older than what the snapshot shows, for instance."""


def explain(snapshot: Snapshot, pods: Iterable[Pod], judge: Judge) -> list[Explanation]:
    """Explain pods. Pods of one owner with the same spec are judged once: their stories differ only by name."""
    told: dict[object, Explanation] = {}
    found: list[Explanation] = []
    for pod in pods:
        key = _shape(snapshot, pod)
        twin = told.get(key)
        if twin is None:
            story = told[key] = explain_one(snapshot, pod, judge)
        else:
            story = _renamed(snapshot, twin, pod)
        found.append(story)
    return found


def _shape(snapshot: Snapshot, pod: Pod) -> object:
    """Equal for pods that the scheduler can't tell apart, save by name and age."""
    if pod.node_name or pod.nominated_node:
        return pod.key
    volumes = tuple((one.kind, one.claim_name) for one in pod.volumes)
    return (owner_of(snapshot, pod), shape(pod), pod.scheduling_gates, pod.scheduler_name, volumes, pod.phase)


def _renamed(snapshot: Snapshot, twin: Explanation, pod: Pod) -> Explanation:
    return replace(twin, pod=pod, note=stale_note(pod, twin.scheduler_message), owner=owner_of(snapshot, pod))


def explain_one(snapshot: Snapshot, pod: Pod, judge: Judge) -> Explanation:
    """Explain one pod."""
    owner = owner_of(snapshot, pod)
    decision = judge.decide(snapshot, pod)
    if isinstance(decision, Placement):
        return Explanation(
            pod,
            owner,
            decision.verdict,
            placed(pod, decision),
            decision.message,
            "",
            (),
            (),
            decision.nodes,
            decision.preemption.node if decision.preemption else next(iter(decision.nodes), ""),
            (),
            (),
            (),
            decision.not_checked,
            stale_note(pod, decision.message) if decision.verdict == "placeable" else "",
        )
    wanted = device_requests(pod)
    exact = decision.groups
    groups = alike_groups(exact)
    if decision.verdict == "gated":
        ways: list[WayOut] = []
        advice = [Advice(f"scheduling gate {gate}: whoever set it must take it away") for gate in pod.scheduling_gates]
    else:
        case = case_of(snapshot, pod, owner, judge, groups, decision)
        ways = ways_out(case)
        advice = [
            one for spot in case.spots for module in (remedy_taints, remedy_share) for one in module.advice(case, spot)
        ]
    return Explanation(
        pod,
        owner,
        decision.verdict,
        refused(pod, decision, groups),
        decision.message,
        decision.reason,
        exact,
        groups,
        (),
        "",
        holdings(snapshot, (node for group in groups for node in group.nodes), wanted),
        tuple(ways),
        tuple(dict.fromkeys(advice)),
        decision.not_checked,
        stale_note(pod, decision.message),
    )


def find(snapshot: Snapshot, kind: str, name: str, namespace: str | None) -> list[Pod]:
    """The pods that `pod/NAME` or `deployment/NAME` means; of a workload, all its pods that haven't ended."""
    if kind == "pod":
        return [
            pod
            for pod in snapshot.pods.values()
            if pod.name == name and (namespace is None or pod.namespace == namespace)
        ]
    found: list[Pod] = []
    owners = {owner_of(snapshot, pod) for pod in snapshot.pods.values()}
    for owner in sorted(owners, key=lambda one: (one.namespace, one.name)):
        if owner.kind.lower() == kind and owner.name == name and namespace in (None, owner.namespace):
            found += pods_of(snapshot, owner)
    return found


def counts(stories: Iterable[Explanation]) -> Mapping[str, int]:
    """Verdict -> how many pods."""
    found: dict[str, int] = {}
    for story in stories:
        found[story.verdict] = found.get(story.verdict, 0) + 1
    return found
