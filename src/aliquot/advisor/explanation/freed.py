"""A claim that is allocated where its pod finds no room: kube-scheduler takes the allocation back, and tries anew."""

import shlex
from collections.abc import Sequence
from dataclasses import replace

from aliquot.advisor.causes.cause import listed
from aliquot.advisor.explanation.refused import refused
from aliquot.advisor.explanation.value import Explanation
from aliquot.advisor.owners import OwnerRef
from aliquot.advisor.search import way_of
from aliquot.advisor.wayout import After, Candidate, Change, Risk, Trial
from aliquot.advisor.wishes import Wishes
from aliquot.allocation.claims.allocated import reachable
from aliquot.allocation.claims.leaving import claim_keys
from aliquot.dra.claim import Claim
from aliquot.kube.pod import Pod
from aliquot.scheduling.blockers.blocker import Blocker
from aliquot.scheduling.outcome import Placement, Refusal
from aliquot.scheduling.scheduler import Scheduler
from aliquot.snapshot.snapshot import Snapshot

TAKES_BACK = "deallocation of ResourceClaim completed"
"""Of an attempt's message: what kube-scheduler did after it."""


def tried_anew(
    snapshot: Snapshot,
    pod: Pod,
    owner: OwnerRef,
    scheduler: Scheduler,
    found: Explanation,
    blockers: tuple[Blocker, ...],
    node_groups: Snapshot | None,
    wishes: Wishes,
) -> Explanation:
    """The story with the next attempts in it, each of which finds one claim more without devices."""
    world, taken = snapshot, list[str]()
    decision: Placement | Refusal | None = None
    message = found.scheduler_message
    while TAKES_BACK in message and (claim := _taken(world, pod)) is not None:
        world = world.with_object(_without_devices(claim))
        taken.append(claim.meta.key)
        decision = scheduler.judge(world, pod)
        message = decision.message if isinstance(decision, Refusal) else ""
    cause = found.cause
    if decision is None or cause is None:
        return found
    which = f"claim {taken[0]}" if len(taken) == 1 else f"claims {listed(taken)}"
    lead = f"{cause.sentence} kube-scheduler then takes the devices of {which} back ({TAKES_BACK})"
    if isinstance(decision, Placement):
        preempting = decision.preemption
        node = preempting.node if preempting is not None else next(iter(decision.nodes), "")
        sentence = f"{lead}, and the next attempt places it on {node}."
        step = _wait(pod, taken, After(node, preempting.victims if preempting is not None else ()))
        ways = (way_of((step,), step.tried),) if step.tried is not None and wishes.allow(step) else ()
        return replace(found, sentence=sentence, cause=replace(cause, sentence=sentence), ways_out=ways)
    then = refused(world, pod, owner, scheduler, decision, blockers, node_groups, wishes)
    if then.cause is None:
        return found
    sentence = f"{lead}, and the next attempt fails too. {then.cause.sentence}"
    objects = tuple(dict.fromkeys((*cause.objects, *then.cause.objects)))
    return replace(
        found,
        sentence=sentence,
        cause=replace(cause, sentence=sentence, objects=objects),
        holdings=then.holdings,
        ways_out=then.ways_out,
        advice=then.advice,
    )


def _wait(pod: Pod, keys: Sequence[str], then: After) -> Candidate:
    def apply(trial: Trial) -> Trial:
        world = trial.snapshot
        for key in keys:
            world = world.with_object(_without_devices(world.claims[key]))
        return Trial(world, trial.pod)

    where = f"pod/{shlex.quote(pod.name)} -n {shlex.quote(pod.namespace)}"
    return Candidate(
        kind="wait",
        target="pod",
        title="Wait for kube-scheduler's next attempt, to which all nodes are open",
        changes=(Change(f"pod {pod.key}", f"kubectl wait --for=condition=PodScheduled {where} --timeout=5m"),),
        apply=apply,
        risk=Risk("low", "nothing is changed; others may take the devices before"),
        rank=1,
        tried=then,
    )


def _without_devices(claim: Claim) -> Claim:
    return replace(claim, allocation=None, reserved_for=(), devices=())


def _taken(snapshot: Snapshot, pod: Pod) -> Claim | None:
    """The first of its claims that some node can't reach and that nobody else uses."""
    for key in claim_keys(pod):
        claim = snapshot.claims.get(key)
        if claim is None or claim.allocation is None:
            continue
        own = all(one.name == pod.name and one.resource == "pods" for one in claim.reserved_for)
        if own and not all(reachable(claim, node) for node in snapshot.nodes.values()):
            return claim
    return None
