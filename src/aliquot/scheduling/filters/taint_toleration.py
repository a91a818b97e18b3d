"""TaintToleration: taints of effect NoSchedule and NoExecute keep pods off that don't tolerate them."""

from aliquot.kube.matching import tolerates
from aliquot.kube.node import Node
from aliquot.kube.pod import Pod
from aliquot.kube.release import Kubernetes
from aliquot.kube.taints import Taint
from aliquot.scheduling.filters.reason import Reason
from aliquot.scheduling.versions import compares_taints, names_taint

FILTER = "TaintToleration"
REPELLING = ("NoSchedule", "NoExecute")


def untolerated(pod: Pod, node: Node, kubernetes: Kubernetes) -> tuple[Reason, ...]:
    """Every taint that the pod doesn't tolerate, in the node's order; the scheduler counts the first."""
    return tuple(
        Reason(
            FILTER,
            f"node(s) had untolerated taint {{{taint.key}: {taint.value}}}"
            if names_taint(kubernetes)
            else "node(s) had untolerated taint(s)",
            asked="no such taint, or a toleration",
            found=str(taint),
            missing=f"a toleration of {taint}",
            subject=taint.key,
            counts=nth == 0,
        )
        for nth, taint in enumerate(intolerable(pod, node, kubernetes))
    )


def intolerable(pod: Pod, node: Node, kubernetes: Kubernetes) -> list[Taint]:
    """The taints that repel the pod."""
    return [
        taint
        for taint in node.taints
        if taint.effect in REPELLING
        and not any(tolerates(t, taint, comparisons=compares_taints(kubernetes)) for t in pod.tolerations)
    ]
