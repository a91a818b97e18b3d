"""What stands behind an unbound volume: the scheduler looks at no node before it's bound, so that it hides the rest."""

from dataclasses import replace

from aliquot.advisor.case import Case
from aliquot.advisor.explanation.refused import refused
from aliquot.advisor.explanation.value import Explanation
from aliquot.advisor.owners import OwnerRef
from aliquot.advisor.remedies.blocked import UNBOUND, volume
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
    """The story of a pod that no node takes; of one with unbound volumes also of what would keep it waiting then."""
    found = refused(snapshot, pod, owner, scheduler, decision, blockers, node_groups, wishes)
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
        objects = tuple(dict.fromkeys((*cause.objects, *behind.cause.objects)))
        sentence = f"{cause.sentence} With that mended it would still wait. {behind.cause.sentence}"
        cause = replace(cause, sentence=sentence, objects=objects)
    return replace(
        found,
        cause=cause,
        sentence=cause.sentence if cause is not None else found.sentence,
        holdings=behind.holdings,
        ways_out=tuple(way_of((*steps, *way.steps), way.after) for way in behind.ways_out) if wanted else (),
    )
