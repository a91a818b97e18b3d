"""What the queue will do to pods that have room now: a forecast, marked as one, never told as fact."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from aliquot.advisor.causes.cause import listed
from aliquot.advisor.explanation.value import Explanation
from aliquot.advisor.queue.line import compete, queue_order
from aliquot.kube.pod import Pod
from aliquot.scheduling.binding import bound, without_pods
from aliquot.scheduling.blockers.find import pod_blockers
from aliquot.scheduling.outcome import Placement
from aliquot.scheduling.scheduler import Scheduler
from aliquot.snapshot.snapshot import Snapshot

MOST_PLACED = 400
"""Pods that are placed one after the other before the forecast ends."""
BEFORE = ("queue", "scheduling")
"""What stops a pod at these stages keeps it from preempting."""


def takes_room(snapshot: Snapshot, pod: Pod, scheduler: Scheduler) -> bool:
    """A waiting pod that has room now, or that makes itself room by preempting others."""
    verdict = scheduler.judge(snapshot, pod)
    if not isinstance(verdict, Placement) or verdict.preemption is None:
        return isinstance(verdict, Placement) and bool(verdict.nodes)
    ours = pod.scheduler_name in ("", "default-scheduler")
    return ours and not any(one.decisive and one.stage in BEFORE for one in pod_blockers(snapshot, pod))


def forecast(snapshot: Snapshot, pods: Iterable[Pod], scheduler: Scheduler) -> Mapping[str, str]:
    """Pod -> what becomes of it once those before it in the queue are placed; nothing where that's no different.

    Args:
        snapshot: the cluster.
        pods: all pods that wait and take room now, each by itself.
        scheduler: who decides.
    """
    said: dict[str, str] = {}
    world = snapshot
    placed: list[tuple[Pod, tuple[str, ...]]] = []
    for pod in queue_order(pods):
        verdict = scheduler.judge(world, pod)
        if not isinstance(verdict, Placement):
            said[pod.key] = _words([one for one in placed if compete(one[0], pod)] or placed)
            continue
        preemption = verdict.preemption
        victims = preemption.victims if preemption is not None else ()
        node = preemption.node if preemption is not None else verdict.nodes[0]
        after = bound(without_pods(world, victims), pod, node, scheduler)
        if after is not None and len(placed) < MOST_PLACED:
            world = after
            placed.append((pod, victims))
    return said


def foretold(story: Explanation, said: str) -> Explanation:
    """With the forecast; the first sentence doesn't promise then what the forecast takes back."""
    if not said or story.verdict != "placeable":
        return replace(story, forecast=said)
    if story.feasible:
        where = story.feasible[0] if len(story.feasible) == 1 else f"{len(story.feasible)} nodes"
        shown = "As far as the input shows " if story.not_checked else ""
        sentence = f"{shown}{story.pod.key} has room now (on {where}), but others go first."
    else:
        promise = story.sentence.removesuffix(".")
        sentence = f"{promise.replace(' would be placed on ', ' could be placed now on ', 1)}; but others go first."
    return replace(story, sentence=sentence, forecast=said)


def _words(before: Sequence[tuple[Pod, Sequence[str]]]) -> str:
    one = len(before) == 1
    victims = [key for _, several in before for key in several]
    preempting = f"; {'it preempts' if one else 'they preempt'} {listed(victims)}" if victims else ""
    names = listed([pod.key for pod, _ in before])
    return (
        f"Forecast: after {names} {'is' if one else 'are'} placed (earlier in the queue{preempting}), no room is left"
        " for it."
    )
