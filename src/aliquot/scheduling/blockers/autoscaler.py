"""What autoscalers said of a pod: why no node is added for it."""

import re
from collections.abc import Iterator

from aliquot.kube.pod import Pod
from aliquot.scheduling.blockers.blocker import Blocker, ObjectRef, event_evidence, newest
from aliquot.snapshot.snapshot import Snapshot

MAX_SIZE = "max node group size reached"
"""In cluster-autoscaler's words."""
_NOT = "NotTriggerScaleUp"
_REASON = re.compile(r"(\d+) ([^,]+)")


def autoscaler_blockers(snapshot: Snapshot, pod: Pod) -> Iterator[Blocker]:
    """The newest word of cluster-autoscaler, and of Karpenter.

    A scale-up that was triggered later settles the first.
    """
    if pod.node_name or pod.terminal:
        return
    told = snapshot.events_about("Pod", pod.namespace, pod.name)
    last = newest(event for event in told if event.reason in {_NOT, "TriggeredScaleUp"})
    if last is not None and last.reason == _NOT:
        after = last.message.partition("scale-up:")[2]
        reasons = tuple((int(count), text.strip()) for count, text in _REASON.findall(after))
        yield Blocker(
            kind="autoscaler",
            stage="capacity",
            object=ObjectRef("Autoscaler", "", last.reporter or "cluster-autoscaler"),
            evidence=(event_evidence(last),),
            decisive=False,
            subject=MAX_SIZE if any(text == MAX_SIZE for _, text in reasons) else "",
            reasons=reasons,
        )
    last = newest(event for event in told if event.reporter == "karpenter" and event.reason == "FailedScheduling")
    if last is not None:
        yield Blocker(
            kind="autoscaler",
            stage="capacity",
            object=ObjectRef("Autoscaler", "", "karpenter"),
            evidence=(event_evidence(last),),
            decisive=False,
        )
