"""Why a pod is where it is, or isn't, and what would help: the whole story as data."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from aliquot.advisor.alike import Alike, alike_groups
from aliquot.advisor.at_rest import at_rest
from aliquot.advisor.case import Case, device_requests
from aliquot.advisor.causes.blocked import of_blocker
from aliquot.advisor.causes.cause import Cause
from aliquot.advisor.causes.diagnose import diagnose
from aliquot.advisor.forecast import forecast
from aliquot.advisor.holders import Holding, holdings
from aliquot.advisor.owners import OwnerRef, owner_of
from aliquot.advisor.remedies.table import advice as advice_for
from aliquot.advisor.scheduler_notes.known_defects import Defect, defects
from aliquot.advisor.scheduler_notes.stale_counts import impossible
from aliquot.advisor.search import ways_out
from aliquot.advisor.spots import case_of
from aliquot.advisor.verdicts import message_note, placed, unchecked_note
from aliquot.advisor.wayout import Advice, WayOut
from aliquot.allocation.answer import Story
from aliquot.kube.pod import Pod
from aliquot.kube.workload import Workload
from aliquot.scheduling.blockers.blocker import Blocker
from aliquot.scheduling.blockers.find import lacking, pod_blockers, workload_blockers
from aliquot.scheduling.equal_pods import verdict_key
from aliquot.scheduling.filters.dynamic_resources import DYNAMIC_RESOURCES
from aliquot.scheduling.outcome import NodeGroup, Placement, Refusal
from aliquot.scheduling.scheduler import Scheduler
from aliquot.snapshot.snapshot import Snapshot

UNBLOCKING = ("fix-volume", "raise-quota", "fix-scheduler", "fix-driver", "label-node", "upgrade", "fewer-devices")
NODES_OF_HOLDERS = 60
"""Holders are told of the nodes that ways out were sought for, and a few more: not of thousands."""


@dataclass(frozen=True, slots=True)
class Possible:
    """What a correct allocator would give where kube-scheduler refuses."""

    node: str
    devices: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """One pod's story."""

    pod: Pod
    owner: OwnerRef
    verdict: str
    """running, placeable, pending or gated."""
    sentence: str
    """The verdict for a person."""
    scheduler_message: str = ""
    """What kube-scheduler of this version says (or would say) about it; empty when it places the pod."""
    reason: str = ""
    """Unschedulable, SchedulingGated, SchedulerError, or empty."""
    groups: tuple[NodeGroup, ...] = ()
    """Nodes that refuse the pod, those with equal reasons together, numbers included."""
    alike: tuple[Alike, ...] = ()
    """The same nodes, those that differ only in numbers together: for people."""
    feasible: tuple[str, ...] = ()
    node: str = ""
    """Where it runs, or would be placed first."""
    holdings: tuple[Holding, ...] = ()
    """Who holds the devices that it asks for."""
    ways_out: tuple[WayOut, ...] = ()
    advice: tuple[Advice, ...] = ()
    not_checked: tuple[str, ...] = ()
    stories: Mapping[str, Story] = field(default_factory=dict[str, Story])
    """Node -> what its devices have against the pod's claims, for the nodes looked at most closely."""
    conflict: tuple[str, ...] = ()
    """A smallest set of requirements that the first of these nodes can't meet together."""
    cause: Cause | None = None
    """The root cause; None: it isn't refused."""
    possible: Possible | None = None
    """An allocation that exists although the scheduler finds none."""
    shape: object = None
    """Equal for pods of one owner that differ only in name."""
    siblings: int = 0
    """Pods beside it that wait for the same reason: of the same owner and spec."""
    forecast: str = ""
    """What the queue will do to a pod that has room now."""
    note: str = ""
    """That the cluster's own message is older than what the snapshot shows, for instance."""


CRASHES = "container-crash"
"""Its pod is in the phase Running all the same."""


def explain(
    snapshot: Snapshot, pods: Iterable[Pod], scheduler: Scheduler, node_groups: Snapshot | None = None
) -> list[Explanation]:
    """Explain pods. Pods of one owner with the same spec are judged once: their stories differ only by name.

    Args:
        snapshot: the cluster.
        pods: which pods.
        scheduler: who decides.
        node_groups: nodes that could be added, one of each group, with their slices.
    """
    told: dict[object, Explanation] = {}
    found: list[Explanation] = []
    for pod in pods:
        key = _shape(snapshot, pod)
        twin = told.get(key)
        if twin is None:
            twin = told[key] = replace(explain_one(snapshot, pod, scheduler, node_groups), shape=key)
            found.append(twin)
        else:
            found.append(_renamed(snapshot, twin, pod))
    found = _with_siblings(snapshot, found)
    if not any(one.verdict == "placeable" for one in found):
        return found
    waiting = {pod.key: pod for pod in (*snapshot.pending(), *(one.pod for one in found if one.verdict == "placeable"))}
    roomy = [pod for pod in waiting.values() if scheduler.decide(snapshot, pod) is not None]
    said = forecast(snapshot, roomy, scheduler)
    return [replace(one, forecast=said.get(one.pod.key, "")) for one in found]


def _with_siblings(snapshot: Snapshot, found: list[Explanation]) -> list[Explanation]:
    """Count those that wait alike, asked for or not."""
    if not any(one.verdict in ("pending", "gated") for one in found):
        return found
    alike: dict[object, int] = {}
    for pod in snapshot.pending():
        key = _shape(snapshot, pod)
        alike[key] = alike.get(key, 0) + 1
    return [replace(one, siblings=max(0, alike.get(_shape(snapshot, one.pod), 1) - 1)) for one in found]


def _shape(snapshot: Snapshot, pod: Pod) -> object:
    """Equal for pods that the scheduler can't tell apart, save by name and age."""
    if pod.node_name or pod.nominated_node or pod.terminating:
        return pod.key
    volumes = tuple((one.kind, one.claim_name) for one in pod.volumes)
    claims = _claims_shape(snapshot, pod)
    kind = verdict_key(replace(pod, claims=()) if claims is not None else pod)
    return (owner_of(snapshot, pod), kind, claims, pod.scheduling_gates, pod.scheduler_name, volumes, pod.phase)


def _claims_shape(snapshot: Snapshot, pod: Pod) -> object:
    """Claims that say the same get the same answer: those made from templates, that nobody has allocated yet."""
    if not pod.claims or pod.extended_claim is not None:
        return None
    specs: list[str] = []
    for wanted in pod.claims:
        name = pod.claim_names.get(wanted.name)
        claim = snapshot.claims.get(f"{pod.namespace}/{name}") if name else None
        if wanted.template_name is None or claim is None or claim.allocation is not None:
            return None
        specs.append(f"{wanted.name} {claim.spec!r}")
    return tuple(specs)


def _renamed(snapshot: Snapshot, twin: Explanation, pod: Pod) -> Explanation:
    return replace(
        twin,
        pod=pod,
        sentence=twin.sentence.replace(twin.pod.key, pod.key),
        note=notes(snapshot, pod, twin.scheduler_message),
        owner=owner_of(snapshot, pod),
    )


def explain_one(snapshot: Snapshot, pod: Pod, scheduler: Scheduler, node_groups: Snapshot | None = None) -> Explanation:
    """Explain one pod."""
    maker = made_by(snapshot, pod)
    owner = OwnerRef(maker.kind, pod.namespace, pod.name) if maker is not None else owner_of(snapshot, pod)
    if pod.terminating and not pod.node_name:
        return _leaving(pod, owner)
    resting = at_rest(pod, maker)
    if resting is not None:
        return Explanation(
            pod=pod, owner=owner, verdict="blocked", sentence=resting.sentence, cause=resting, scheduler_message=""
        )
    blockers = blockers_of(snapshot, pod, maker)
    decision = scheduler.judge(snapshot, pod)
    if isinstance(decision, Placement):
        stopping = _stopping(blockers, pod)
        defect = next((one for one in defects(snapshot, pod, scheduler.kubernetes) if one.stops), None)
        if defect is not None and decision.verdict == "placeable" and (stopping is None or not stopping.decisive):
            return _defective(snapshot, pod, owner, scheduler, decision, defect)
        if stopping and (decision.verdict == "placeable" or pod.phase == "Pending" or stopping.kind == CRASHES):
            return _blocked(snapshot, pod, owner, scheduler, decision, (stopping, *blockers))
        preemption = decision.preemption
        return Explanation(
            pod=pod,
            owner=owner,
            verdict=decision.verdict,
            sentence=placed(pod, decision, known=pod.node_name in snapshot.nodes),
            scheduler_message=decision.message,
            feasible=decision.nodes,
            node=preemption.node if preemption else next(iter(decision.nodes), ""),
            not_checked=decision.not_checked,
            note=_placed_note(snapshot, pod, decision),
        )
    wanted = device_requests(pod)
    exact = decision.groups
    groups = alike_groups(exact)
    if decision.verdict == "gated":
        ways: list[WayOut] = []
        case = None
        advice = [Advice(f"scheduling gate {gate}: whoever set it must take it away") for gate in pod.scheduling_gates]
    else:
        case = case_of(snapshot, pod, owner, scheduler, groups, decision, node_groups)
        case = replace(case, blockers=blockers)
        ways = ways_out(case)
        advice = [*advice_for(case), *waiting_for(snapshot, pod, decision)]
    cause = diagnose(snapshot, pod, decision, case.stories if case is not None else {}, blockers)
    return Explanation(
        pod=pod,
        owner=owner,
        verdict=decision.verdict,
        sentence=cause.sentence,
        cause=cause,
        scheduler_message=decision.message,
        reason=decision.reason,
        groups=exact,
        alike=groups,
        holdings=holdings(snapshot, _nodes(case, groups)[:NODES_OF_HOLDERS], wanted, claims=bool(pod.claims)),
        ways_out=tuple(ways),
        advice=tuple(dict.fromkeys(advice)),
        not_checked=decision.not_checked,
        stories=case.stories if case is not None else {},
        conflict=_conflict(case),
        possible=_possible(case),
        note=notes(snapshot, pod, decision.message),
    )


def _placed_note(snapshot: Snapshot, pod: Pod, decision: Placement) -> str:
    """Of a pod that has room: the cluster's own message, and counts that can't be true."""
    if decision.verdict != "placeable":
        return ""
    asks = any(name.startswith("nvidia.com/") for name in device_requests(pod))
    counts_wrong = [text for node in decision.nodes[:3] if asks and (text := impossible(snapshot.nodes[node]))]
    return " ".join(filter(None, [*counts_wrong[:1], unchecked_note(snapshot, pod, decision)]))


def made_by(snapshot: Snapshot, pod: Pod) -> Workload | None:
    """The workload whose template a pod is that was never made."""
    if pod.key in snapshot.pods:
        return None
    return next((one for one in snapshot.workloads.values() if one.template is pod), None)


def blockers_of(snapshot: Snapshot, pod: Pod, maker: Workload | None) -> tuple[Blocker, ...]:
    """Beside the scheduler's filters; of a pod that was never made, why it wasn't."""
    created = workload_blockers(snapshot, maker) if maker is not None else ()
    return (*created, *pod_blockers(snapshot, pod))


def _stopping(blockers: Sequence[Blocker], pod: Pod) -> Blocker | None:
    """What keeps a pod from coming to run for which there's room, or that has its node."""
    for one in blockers:
        if one.decisive or (one.kind == "other-scheduler" and not pod.node_name):
            return one
    return None


def _blocked(
    snapshot: Snapshot,
    pod: Pod,
    owner: OwnerRef,
    scheduler: Scheduler,
    decision: Placement,
    blockers: tuple[Blocker, ...],
) -> Explanation:
    """There's room for it, or it has its node, and it doesn't come to run all the same."""
    cause = of_blocker(snapshot, blockers[0], pod)
    case = Case(snapshot, pod, owner, scheduler, (), blockers=tuple(dict.fromkeys(blockers)))
    return Explanation(
        pod=pod,
        owner=owner,
        verdict="blocked",
        sentence=cause.sentence,
        cause=cause,
        scheduler_message=decision.message,
        feasible=decision.nodes if decision.verdict == "placeable" else (),
        node=pod.node_name,
        ways_out=tuple(way for way in ways_out(case) if way.kind in UNBLOCKING),
        not_checked=decision.not_checked,
    )


def _defective(
    snapshot: Snapshot, pod: Pod, owner: OwnerRef, scheduler: Scheduler, decision: Placement, defect: Defect
) -> Explanation:
    """A release of kube-scheduler that can't place what it should."""
    release = f"{scheduler.kubernetes}.{scheduler.kubernetes.patch}"
    sentence = (
        f"A known defect of kube-scheduler {release}: it {defect.says} ({defect.issue}, fixed in "
        f"{defect.fixed_in(scheduler.kubernetes.minor)}); without it there's room for the pod."
    )
    case = Case(snapshot, pod, owner, scheduler, (), defect=defect)
    said = pod.scheduled.message if pod.scheduled is not None else ""
    return Explanation(
        pod=pod,
        owner=owner,
        verdict="pending" if said else "blocked",
        sentence=sentence,
        cause=Cause("known-defect", sentence, (defect.issue, release)),
        scheduler_message=said,
        feasible=decision.nodes,
        ways_out=tuple(way for way in ways_out(case) if way.kind in UNBLOCKING),
        not_checked=decision.not_checked,
    )


def _conflict(case: Case | None) -> tuple[str, ...]:
    """Of the first node where only devices are in the way."""
    if case is None:
        return ()
    only_devices = frozenset({DYNAMIC_RESOURCES})
    for spot in case.spots:
        if spot.node.name in case.stories and spot.problems == only_devices:
            return case.scheduler.conflict(case.snapshot, case.pod, spot.node.name)
    return ()


def _possible(case: Case | None) -> Possible | None:
    """Where the two allocators differ."""
    if case is None or not case.stories:
        return None
    nodes = [spot.node.name for spot in case.spots if spot.problems <= {DYNAMIC_RESOURCES}]
    found = case.scheduler.possible(case.snapshot, case.pod, nodes)
    if found is None:
        return None
    node, answer = found
    return Possible(node, tuple(str(one.device) for claim in answer.claims for one in claim.results))


def waiting_for(snapshot: Snapshot, pod: Pod, decision: Refusal) -> list[Advice]:
    """Of a pod that the scheduler says nothing about: what its events say."""
    if decision.message:
        return []
    said = [
        event.message
        for event in snapshot.events
        if (event.kind, event.namespace, event.name) == ("Pod", pod.namespace, pod.name) and event.type == "Warning"
    ]
    return [Advice(f"an event says: {message}") for message in dict.fromkeys(said[-3:])]


def _nodes(case: Case | None, groups: Sequence[Alike]) -> list[str]:
    """All that refuse, those first that ways out were sought for."""
    first = [spot.node.name for spot in case.spots] if case is not None else []
    return list(dict.fromkeys([*first, *(node for group in groups for node in group.nodes)]))


def _leaving(pod: Pod, owner: OwnerRef) -> Explanation:
    sentence = f"{pod.key} is being deleted; it won't be placed any more."
    return Explanation(pod=pod, owner=owner, verdict="pending", sentence=sentence)


def notes(snapshot: Snapshot, pod: Pod, message: str) -> str:
    """What else a person should know: a promise, rivals, an outdated message."""
    found: list[str] = []
    if pod.nominated_node:
        leaving = [one.key for one in snapshot.pods_on(pod.nominated_node) if one.terminating]
        wait = f", once {', '.join(leaving[:3])} is gone" if leaving else ""
        found.append(f"The scheduler has promised it room on {pod.nominated_node}{wait}: wait.")
    wanted = device_requests(pod).keys()
    rivals = [
        one.key
        for one in snapshot.pending()
        if one.priority > pod.priority and one.key != pod.key and wanted & device_requests(one).keys()
    ]
    if rivals:
        more = f" and {len(rivals) - 3} more" if len(rivals) > 3 else ""
        found.append(f"Pods of higher priority wait for the same and go first: {', '.join(sorted(rivals)[:3])}{more}.")
    stale = message_note(snapshot, pod, message)
    return " ".join([*found, *([stale] if stale else [])])


def find(snapshot: Snapshot, kind: str, name: str, namespace: str | None) -> list[Pod]:
    """The pods that `pod/NAME` or `deployment/NAME` means.

    Of a workload, all its pods that haven't ended; where it has none, one as its template would make it.
    """
    if kind == "pod":
        return [
            pod
            for pod in snapshot.pods.values()
            if pod.name == name and (namespace is None or pod.namespace == namespace)
        ]
    found: dict[str, Pod] = {}
    for pod in snapshot.pods.values():
        if pod.terminal or namespace not in (None, pod.namespace):
            continue
        direct = pod.meta.controller
        above = owner_of(snapshot, pod)
        if (above.kind.lower(), above.name) == (kind, name) or (
            direct is not None and (direct.kind.lower(), direct.name) == (kind, name)
        ):
            found[pod.key] = pod
    if found:
        return sorted(found.values(), key=lambda pod: pod.key)
    return [
        workload.template
        for workload in snapshot.workloads.values()
        if (workload.kind.lower(), workload.meta.name) == (kind, name)
        and namespace in (None, workload.meta.namespace)
        and workload.template is not None
    ]


def waiting(snapshot: Snapshot) -> list[Pod]:
    """All that wait: pods without a node, those that have one and can't start, and those that were never made."""
    stuck = [
        pod
        for pod in snapshot.pods.values()
        if pod.node_name and pod.phase == "Pending" and _stopping(pod_blockers(snapshot, pod), pod) is not None
    ]
    unmade = [workload.template for workload, _ in lacking(snapshot) if workload.template is not None]
    return [*snapshot.pending(), *stuck, *unmade]


def counts(stories: Iterable[Explanation]) -> Mapping[str, int]:
    """Verdict -> how many pods."""
    found: dict[str, int] = {}
    for story in stories:
        found[story.verdict] = found.get(story.verdict, 0) + 1
    return found
