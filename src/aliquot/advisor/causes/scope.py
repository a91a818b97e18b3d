"""Which nodes a pod that asks for counted devices can mean: in a mixed cluster those that its selectors choose."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from aliquot.advisor.case import is_extended
from aliquot.advisor.causes.plugins import GPU_LABELS
from aliquot.advisor.gpus import family
from aliquot.advisor.nearest import is_near_resource
from aliquot.kube.node import Node
from aliquot.kube.pod import Pod
from aliquot.scheduling.filters.node_affinity import wanted as chosen_by
from aliquot.snapshot.snapshot import Snapshot


@dataclass(frozen=True, slots=True)
class Scope:
    """Nodes that are meant."""

    nodes: tuple[Node, ...]
    narrowed: bool = False
    """The pod's selectors leave others out."""

    @property
    def nobody(self) -> str:
        """`No node`, or `No node that it selects`."""
        return "No node that it selects" if self.narrowed else "No node"

    @property
    def names(self) -> frozenset[str]:
        """Of the nodes."""
        return frozenset(node.name for node in self.nodes)


def scope(snapshot: Snapshot, pod: Pod, wanted: Iterable[str]) -> Scope:
    """The nodes that the pod selects, if any of them has such devices in whatever form; else all.

    A selector that leads to nodes without such devices is itself the cause, and says nothing about the devices.
    """
    every = tuple(snapshot.nodes.values())
    if not pod.node_selector and (pod.affinity is None or pod.affinity.node is None):
        return Scope(every)
    published = {one.node_name: one.driver for one in snapshot.slices.values() if one.node_name}
    chosen = tuple(node for node in every if chosen_by(pod, node))
    names = tuple(wanted)
    if len(chosen) < len(every) and any(_has_such(node, name, published) for node in chosen for name in names):
        return Scope(chosen, narrowed=True)
    return Scope(every)


def _has_such(node: Node, name: str, published: Mapping[str, str]) -> bool:
    offers = [key for key, amount in (*node.allocatable.items(), *node.capacity.items()) if amount and is_extended(key)]
    if any(one == name or family(one) == family(name) or is_near_resource(name, one) for one in offers):
        return True
    vendor = name.partition("/")[0]
    if published.get(node.name, "").endswith(vendor):
        return True
    return vendor == "nvidia.com" and any(
        GPU_LABELS.fullmatch(key) and value not in ("false", "0") for key, value in node.meta.labels.items()
    )
