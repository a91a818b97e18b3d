"""Pods for which nothing waits: of a workload that is held or scaled to nothing, or that have ended in failure."""

from aliquot.advisor.causes.cause import Cause
from aliquot.kube.pod import Pod
from aliquot.kube.queueing import QUEUE_LABEL
from aliquot.kube.workload import Workload


def at_rest(pod: Pod, maker: Workload | None) -> Cause | None:
    """Why there's nothing to be placed; None: there is.

    Args:
        pod: asked for; of a workload without pods the one that it would make.
        maker: that workload.
    """
    if maker is not None:
        named = f"{maker.kind} {maker.meta.namespace}/{maker.meta.name}"
        about = (f"{maker.kind}/{maker.meta.name}",)
        if maker.suspended:
            queue = maker.meta.labels.get(QUEUE_LABEL)
            by = f" Its queue, {queue} (Kueue), resumes it, and the input doesn't say why it hasn't." if queue else ""
            sentence = f"{named} is suspended (spec.suspend: true), so it has no pods and nothing waits for a node.{by}"
            return Cause("other", sentence, about)
        if maker.replicas == 0:
            return Cause("other", f"{named} has 0 replicas (spec.replicas), so nothing waits for a node.", about)
    if pod.phase == "Failed":
        said = ": ".join(filter(None, (pod.status_reason, pod.status_message.strip().rstrip("."))))
        why = f": {said}" if said else ": the pod's status says why"
        sentence = f"{pod.key} has ended (Failed) and won't run again by itself{why}."
        return Cause("other", sentence, (pod.name,))
    return None
