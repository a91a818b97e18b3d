"""NodeName: a pod that names its node fits no other."""

from aliquot.kube.node import Node
from aliquot.kube.pod import Pod
from aliquot.scheduling.filters.reason import Reason

FILTER = "NodeName"


def other_node(pod: Pod, node: Node) -> tuple[Reason, ...]:
    """The pod's spec.nodeName is another's."""
    if not pod.node_name or pod.node_name == node.name:
        return ()
    return (Reason(FILTER, "node(s) didn't match the requested node name", asked=pod.node_name, found=node.name),)
