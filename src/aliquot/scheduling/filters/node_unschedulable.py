"""NodeUnschedulable: a cordoned node takes no pod that doesn't tolerate the cordon."""

from aliquot.kube.matching import tolerates
from aliquot.kube.node import Node
from aliquot.kube.pod import Pod
from aliquot.kube.release import Kubernetes
from aliquot.kube.taints import Taint
from aliquot.scheduling.filters.reason import Reason
from aliquot.scheduling.versions import compares_taints

FILTER = "NodeUnschedulable"
CORDON = Taint("node.kubernetes.io/unschedulable", "NoSchedule")


def cordoned(pod: Pod, node: Node, kubernetes: Kubernetes) -> tuple[Reason, ...]:
    """The node is cordoned (spec.unschedulable), whether or not its taint is there too."""
    if not node.unschedulable:
        return ()
    if any(tolerates(t, CORDON, comparisons=compares_taints(kubernetes)) for t in pod.tolerations):
        return ()
    return (
        Reason(
            FILTER,
            "node(s) were unschedulable",
            asked="schedulable",
            found="cordoned",
            missing="uncordon the node, or a toleration of its cordon",
            subject=CORDON.key,
        ),
    )
