"""Counted devices that a node should give and doesn't: its device plugin is down, or nothing of one is to be seen."""

import re
from collections.abc import Iterable, Sequence

from aliquot.advisor.causes.cause import Cause, listed, nodes_named
from aliquot.kube.node import Node
from aliquot.kube.pod import Pod
from aliquot.scheduling.blockers.blocker import Blocker
from aliquot.snapshot.snapshot import Snapshot

GPU_LABELS = re.compile(r"nvidia\.com/gpu\.(present|product|count)|feature\.node\.kubernetes\.io/pci-.*10de.*\.present")
"""What GPU feature discovery and node feature discovery write on nodes with NVIDIA devices."""
NVIDIA = "nvidia.com/"


def plugin_down(snapshot: Snapshot, blockers: Iterable[Blocker]) -> Cause | None:
    """A node gives none of its devices, and the pod of the device plugin there doesn't run: that is the cause.

    A kubelet sets allocatable to 0 when the plugin goes away; sick devices alone leave the others.
    """
    for one in blockers:
        if one.kind != "driver-down":
            continue
        down = darkened(snapshot, one)
        if not down:
            continue
        told = listed([f"{pod} on {node} is in {reason}" for node, (pod, reason) in down.items()], 2)
        has = listed([f"{node} has {snapshot.nodes[node].capacity[one.subject]}" for node in down], 2)
        sentence = (
            f"The device plugin of {one.subject} doesn't run on {nodes_named(down)}: {told} "
            f"(DaemonSet {one.object.namespace}/{one.object.name}, {one.used or 0} of {one.limit} pods are ready). "
            f"{has} in capacity and 0 allocatable."
        )
        pods = [pod.partition("/")[2] for pod, _ in down.values()]
        return Cause("driver", sentence, (*pods[:2], *list(down)[:3], one.object.name))
    return None


def darkened(snapshot: Snapshot, blocker: Blocker) -> dict[str, tuple[str, str]]:
    """Nodes that give none of the blocker's devices -> (the plugin's pod there that doesn't run, its state)."""
    found: dict[str, tuple[str, str]] = {}
    for item in blocker.evidence:
        pod = snapshot.pods.get(f"{item.about.namespace}/{item.about.name}") if item.about.kind == "Pod" else None
        node = snapshot.nodes.get(pod.node_name) if pod is not None else None
        if pod is not None and node is not None and gives_none(node, blocker.subject):
            found.setdefault(node.name, (pod.key, item.reason or item.message))
    return found


def gives_none(node: Node, resource: str) -> bool:
    """It has such devices and gives none of them."""
    return node.capacity.get(resource, 0) > 0 and not node.allocatable.get(resource)


def labelled(snapshot: Snapshot, resource: str) -> list[Node]:
    """Nodes that say by their labels that they have such devices, and know no counted ones."""
    if not resource.startswith(NVIDIA):
        return []
    published = {one.node_name for one in snapshot.slices.values()}
    return [
        node
        for node in snapshot.nodes.values()
        if any(GPU_LABELS.fullmatch(key) and value not in ("false", "0") for key, value in node.meta.labels.items())
        and not any(
            amount and name.startswith(NVIDIA) for name, amount in (*node.capacity.items(), *node.allocatable.items())
        )
        and node.name not in published
    ]


def plugin_words(snapshot: Snapshot, nodes: Sequence[Node]) -> str:
    """What the input shows of a device plugin on such nodes."""
    there = [pod for node in nodes for pod in snapshot.pods_on(node.name) if is_plugin(pod)]
    if there:
        names = listed([f"{pod.key} on {pod.node_name}" for pod in there], 2)
        return f"the device plugin's pod {names} has registered no device with the kubelet"
    if not any(pod.node_name for pod in snapshot.pods.values()):
        return "whether a device plugin runs there can't be told: the input has no running pods"
    return "no pod of a device plugin is on it in the input"


def is_plugin(pod: Pod) -> bool:
    """By its name or image."""
    return "device-plugin" in " ".join((pod.name, *(one.image for one in pod.containers)))
