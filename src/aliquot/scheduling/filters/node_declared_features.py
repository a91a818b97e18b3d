"""NodeDeclaredFeatures: some pods need a feature that the kubelet must have declared (from 1.36)."""

from aliquot.kube.node import Node
from aliquot.kube.pod import Pod
from aliquot.kube.release import Kubernetes
from aliquot.scheduling.filters.reason import Reason

FILTER = "NodeDeclaredFeatures"


def undeclared(pod: Pod, node: Node, kubernetes: Kubernetes) -> tuple[Reason, ...]:
    """The features that the node doesn't declare in status.declaredFeatures."""
    if not kubernetes.on("NodeDeclaredFeatures"):
        return ()
    lacks = [feature for feature in pod.needs_features if feature not in node.declared_features]
    return tuple(
        Reason(
            FILTER,
            "node(s) didn't match Pod's required features",
            asked=feature,
            found=", ".join(node.declared_features) or "none declared",
            missing=feature,
            subject=feature,
            counts=nth == 0,
        )
        for nth, feature in enumerate(lacks)
    )
