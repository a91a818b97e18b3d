"""Why a pod is where it is, or isn't, and what would help: each pod's whole story."""

from collections.abc import Iterable
from dataclasses import replace

from aliquot.advisor.explanation.asked import made_by
from aliquot.advisor.explanation.at_rest import at_rest
from aliquot.advisor.explanation.behind import refused_and_behind
from aliquot.advisor.explanation.blocked import CRASHES, blocked, blockers_of, defective, stopping
from aliquot.advisor.explanation.forecast import forecast, foretold, takes_room
from aliquot.advisor.explanation.notes import placed_note
from aliquot.advisor.explanation.preempting import no_room
from aliquot.advisor.explanation.suspended import in_queue, resumed
from aliquot.advisor.explanation.twins import renamed, with_siblings
from aliquot.advisor.explanation.value import Explanation
from aliquot.advisor.owners import OwnerRef, owner_of
from aliquot.advisor.queue.shapes import shape_of
from aliquot.advisor.scheduler_notes.known_defects import defects
from aliquot.advisor.verdicts import placed
from aliquot.advisor.wishes import NO_WISHES, Wishes
from aliquot.kube.pod import Pod
from aliquot.scheduling.binding import devices_given
from aliquot.scheduling.outcome import Placement
from aliquot.scheduling.scheduler import Scheduler
from aliquot.snapshot.snapshot import Snapshot


def explain(
    snapshot: Snapshot,
    pods: Iterable[Pod],
    scheduler: Scheduler,
    node_groups: Snapshot | None = None,
    wishes: Wishes = NO_WISHES,
) -> list[Explanation]:
    """Explain pods. Pods of one owner with the same spec are judged once: their stories differ only by name.

    Args:
        snapshot: the cluster.
        pods: which pods.
        scheduler: who decides.
        node_groups: nodes that could be added, one of each group, with their slices.
        wishes: which ways out are wanted, and in which order.
    """
    told: dict[object, Explanation] = {}
    found: list[Explanation] = []
    for pod in pods:
        key = shape_of(snapshot, pod)
        twin = told.get(key)
        if twin is None:
            twin = told[key] = replace(explain_one(snapshot, pod, scheduler, node_groups, wishes), shape=key)
            found.append(twin)
        else:
            found.append(renamed(snapshot, twin, pod))
    found = with_siblings(snapshot, found)
    if not any(one.verdict == "placeable" for one in found):
        return found
    waiting = {pod.key: pod for pod in (*snapshot.pending(), *(one.pod for one in found if one.verdict == "placeable"))}
    taking = [pod for pod in waiting.values() if takes_room(snapshot, pod, scheduler)]
    said = forecast(snapshot, taking, scheduler)
    return [foretold(one, said.get(one.pod.key, "")) for one in found]


def explain_one(
    snapshot: Snapshot,
    pod: Pod,
    scheduler: Scheduler,
    node_groups: Snapshot | None = None,
    wishes: Wishes = NO_WISHES,
) -> Explanation:
    """Explain one pod."""
    maker = made_by(snapshot, pod)
    owner = OwnerRef(maker.kind, pod.namespace, pod.name) if maker is not None else owner_of(snapshot, pod)
    if pod.terminating and not pod.node_name:
        return _leaving(pod, owner)
    queued = in_queue(snapshot, pod, maker)
    if queued is not None:
        return queued
    resting = at_rest(pod, maker)
    if resting is not None:
        return Explanation(
            pod=pod,
            owner=owner,
            verdict="blocked",
            sentence=resting.sentence,
            cause=resting,
            scheduler_message="",
            ways_out=resumed(snapshot, pod, maker, scheduler, node_groups, wishes),
        )
    blockers = blockers_of(snapshot, pod, maker)
    decision = scheduler.judge(snapshot, pod)
    if isinstance(decision, Placement):
        stop = stopping(blockers, pod)
        defect = next((one for one in defects(snapshot, pod, scheduler) if one.stops), None)
        if defect is not None and decision.verdict == "placeable" and (stop is None or not stop.decisive):
            return defective(snapshot, pod, owner, scheduler, decision, defect, wishes)
        if stop and (decision.verdict == "placeable" or pod.phase == "Pending" or stop.kind == CRASHES):
            return blocked(snapshot, pod, owner, scheduler, decision, (stop, *blockers), wishes)
        preemption = decision.preemption
        room = decision.nodes[0] if decision.verdict == "placeable" and preemption is None else ""
        return Explanation(
            pod=pod,
            owner=owner,
            verdict=decision.verdict,
            sentence=placed(pod, decision, known=pod.node_name in snapshot.nodes),
            scheduler_message=decision.message,
            feasible=decision.nodes,
            node=preemption.node if preemption else next(iter(decision.nodes), ""),
            devices=tuple(map(str, devices_given(snapshot, pod, room, scheduler))) if room else (),
            preemption=preemption,
            no_room=no_room(snapshot, pod, owner, scheduler, decision),
            not_checked=decision.not_checked,
            note=placed_note(snapshot, pod, decision),
        )
    return refused_and_behind(snapshot, pod, owner, scheduler, decision, blockers, node_groups, wishes)


def _leaving(pod: Pod, owner: OwnerRef) -> Explanation:
    sentence = f"{pod.key} is being deleted; it won't be placed any more."
    return Explanation(pod=pod, owner=owner, verdict="pending", sentence=sentence)
