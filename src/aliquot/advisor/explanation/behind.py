"""What stands behind what hides the rest: an unbound volume, without which the scheduler looks at no node; a quota."""

from collections.abc import Sequence
from dataclasses import replace

from aliquot.advisor.case import Case
from aliquot.advisor.causes.blocked import of_blocker
from aliquot.advisor.causes.cause import Cause
from aliquot.advisor.explanation.freed import TAKES_BACK, tried_anew
from aliquot.advisor.explanation.refused import refused
from aliquot.advisor.explanation.value import Explanation
from aliquot.advisor.owners import OwnerRef
from aliquot.advisor.remedies.blocked import UNBOUND, volume
from aliquot.advisor.remedies.quotas import raised_quota
from aliquot.advisor.search import way_of
from aliquot.advisor.wayout import After
from aliquot.advisor.wishes import Wishes
from aliquot.kube.pod import Pod
from aliquot.scheduling.blockers.blocker import Blocker
from aliquot.scheduling.outcome import Refusal
from aliquot.scheduling.scheduler import Scheduler
from aliquot.snapshot.snapshot import Snapshot


def refused_and_behind(
    snapshot: Snapshot,
    pod: Pod,
    owner: OwnerRef,
    scheduler: Scheduler,
    decision: Refusal,
    blockers: tuple[Blocker, ...],
    node_groups: Snapshot | None,
    wishes: Wishes,
) -> Explanation:
    """The story of a pod that no node takes; of one that something else holds first, also of what comes behind."""
    unmade = [one for one in dict.fromkeys(blockers) if one.stage == "creation" and one.decisive]
    if unmade:
        rest = tuple(one for one in blockers if one not in unmade)
        behind = refused_and_behind(snapshot, pod, owner, scheduler, decision, rest, node_groups, wishes)
        return _never_made(behind, Case(snapshot, pod, owner, scheduler, ()), unmade, wishes)
    found = refused(snapshot, pod, owner, scheduler, decision, blockers, node_groups, wishes)
    if TAKES_BACK in decision.message:
        found = tried_anew(snapshot, pod, owner, scheduler, found, blockers, node_groups, wishes)
    unbound = [one for one in dict.fromkeys(blockers) if one.kind in UNBOUND]
    if decision.verdict == "gated" or not unbound or found.ways_out:
        return found
    case = Case(snapshot, pod, owner, scheduler, ())
    steps = [volume(case, one) for one in unbound]
    trial = case.trial
    for step in steps:
        trial = step.apply(trial)
    then = scheduler.judge(trial.snapshot, pod)
    wanted = all(map(wishes.allow, steps))
    if not isinstance(then, Refusal):
        ways = (way_of(steps, After(then.nodes[0])),) if wanted and then.nodes else ()
        return replace(found, ways_out=ways)
    others = tuple(one for one in blockers if one not in unbound)
    behind = refused(trial.snapshot, pod, owner, scheduler, then, others, node_groups, wishes)
    cause = found.cause
    if cause is not None and behind.cause is not None:
        cause = _both(cause, "it", behind.cause)
    return replace(
        found,
        cause=cause,
        sentence=cause.sentence if cause is not None else found.sentence,
        holdings=behind.holdings,
        ways_out=tuple(way_of((*steps, *way.steps), way.after) for way in behind.ways_out) if wanted else (),
    )


def _never_made(behind: Explanation, case: Case, unmade: Sequence[Blocker], wishes: Wishes) -> Explanation:
    """Of pods that the API server refuses, and that would have no room either: the scheduler says nothing of them."""
    first = of_blocker(case.snapshot, unmade[0], case.pod)
    cause = _both(first, "they", behind.cause) if behind.cause is not None else first
    steps = [step for one in unmade if (step := raised_quota(case, one)) is not None and wishes.allow(step)]
    cured = len(steps) == len(unmade)
    return replace(
        behind,
        verdict="blocked",
        cause=cause,
        sentence=cause.sentence,
        scheduler_message="",
        reason="",
        ways_out=tuple(way_of((*steps, *way.steps), way.after) for way in behind.ways_out) if cured else (),
    )


def _both(cause: Cause, who: str, behind: Cause) -> Cause:
    """The first one with the one that stands behind it."""
    objects = tuple(dict.fromkeys((*cause.objects, *behind.objects)))
    sentence = f"{cause.sentence} With that mended {who} would still wait. {behind.sentence}"
    return replace(cause, sentence=sentence, objects=objects)
