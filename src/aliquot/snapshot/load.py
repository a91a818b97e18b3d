"""A node and what it carries."""

from collections.abc import Mapping
from dataclasses import dataclass

from aliquot.kube.node import Node, Resources
from aliquot.kube.pod import Pod
from aliquot.snapshot.effective import effective_request


@dataclass(frozen=True, slots=True)
class NodeLoad:
    """A node with the pods that hold its resources: bound ones that have not ended; terminating ones still hold."""

    node: Node
    pods: Mapping[str, Pod]
    """By key."""
    requested: Resources
    """The sum of their effective requests."""

    def free(self, resource: str) -> int:
        """What is left of a resource (negative if overbooked); `pods` counts pods."""
        if resource == "pods":
            return self.node.allocatable.get("pods", 0) - len(self.pods)
        return self.node.allocatable.get(resource, 0) - self.requested.get(resource, 0)

    def plus(self, pod: Pod) -> "NodeLoad":
        """With one more pod (or this one in place of its namesake)."""
        load = self.minus(pod.key)
        requested = dict(load.requested)
        for name, amount in effective_request(pod).items():
            requested[name] = requested.get(name, 0) + amount
        return NodeLoad(self.node, {**load.pods, pod.key: pod}, requested)

    def minus(self, *keys: str) -> "NodeLoad":
        """Without these pods; those that aren't here don't matter."""
        leaving = [self.pods[key] for key in keys if key in self.pods]
        if not leaving:
            return self
        requested = dict(self.requested)
        for pod in leaving:
            for name, amount in effective_request(pod).items():
                requested[name] -= amount
        gone = {pod.key for pod in leaving}
        return NodeLoad(self.node, {key: pod for key, pod in self.pods.items() if key not in gone}, requested)

    def on(self, node: Node) -> "NodeLoad":
        """The same pods on a changed node."""
        return NodeLoad(node, self.pods, self.requested)


def holds(pod: Pod) -> bool:
    """It's bound and has not ended, so it holds what it asked for."""
    return bool(pod.node_name) and not pod.terminal
