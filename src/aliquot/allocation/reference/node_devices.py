"""What the reference sees on each node, kept for as long as slices stay as they are: pools and candidates.

Upstream gathers them anew in every call. They depend on slices and the node alone, not on what is allocated.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from aliquot.allocation.allocator_features import Features, Implementation
from aliquot.allocation.behaviour import Behaviour
from aliquot.allocation.rules.candidates import Candidate, candidates_of
from aliquot.allocation.rules.pools import Pool, Pools
from aliquot.dra.device import Slice
from aliquot.kube.node import Node


@dataclass(frozen=True, slots=True)
class Scene:
    """The pools that a node sees, and the devices of the usable ones, in search order."""

    node: Node
    pools: tuple[Pool, ...]
    candidates: tuple[Candidate, ...]


@dataclass(slots=True, eq=False)
class Scenes:
    """The scenes of a cluster's nodes."""

    slices: Sequence[Slice]
    features: Features
    implementation: Implementation
    behaviour: Behaviour
    _pools: Pools = field(init=False)
    _scenes: dict[str, Scene] = field(init=False, default_factory=dict[str, Scene])

    def __post_init__(self) -> None:
        """Sorts the slices by node, and hides what stable's CEL doesn't see."""
        slices = (
            [_without_sharing(published) for published in self.slices]
            if self.implementation == "stable"
            else self.slices
        )
        self._pools = Pools(slices, self.features, self.implementation, self.behaviour)

    def of(self, node: Node) -> Scene:
        """Returns a node's scene.

        Raises:
            PoolError: a node selector can't be parsed.
        """
        known = self._scenes.get(node.name)
        if known is None or (known.node is not node and known.node != node):  # equal nodes are mostly the same object
            pools = self._pools.gather(node)
            known = self._scenes[node.name] = Scene(node, pools, candidates_of(pools))
        return known


def _without_sharing(published: Slice) -> Slice:
    """A slice as stable knows it: devices that allow several allocations are news to it."""
    if not any(device.allow_multiple for device in published.devices):
        return published
    return replace(published, devices=tuple(replace(device, allow_multiple=False) for device in published.devices))
