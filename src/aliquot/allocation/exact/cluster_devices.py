"""What of a cluster doesn't change while devices are allocated: each node's devices, and claims compiled for them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from aliquot.allocation.allocator_features import Features
from aliquot.allocation.behaviour import REPAIRED
from aliquot.allocation.exact.compiler import Compiler
from aliquot.allocation.exact.eligible import EligibleFinder
from aliquot.allocation.exact.node_devices import NodeDevices, devices_of
from aliquot.allocation.exact.results import ResultWriter
from aliquot.allocation.exact.single_request import SingleRequest
from aliquot.allocation.rules.pools import Pools
from aliquot.allocation.rules.selectors import Selectors
from aliquot.dra.claim import DeviceClass
from aliquot.dra.device import Slice
from aliquot.kube.node import Node


@dataclass(frozen=True, slots=True, eq=False)
class NodeView:
    """A node's devices with those who look at them, and remember."""

    devices: NodeDevices
    finder: EligibleFinder
    results: ResultWriter
    single: SingleRequest


@dataclass(slots=True, eq=False)
class ClusterDevices:
    """The devices of a cluster, node by node."""

    slices: Sequence[Slice]
    classes: Mapping[str, DeviceClass]
    features: Features
    selectors: Selectors
    _pools: Pools = field(init=False)
    compiler: Compiler = field(init=False)
    """For claims, whatever the node."""
    _nodes: dict[str, NodeView] = field(init=False, default_factory=dict[str, NodeView])

    def __post_init__(self) -> None:
        """Sorts the slices by node."""
        self._pools = Pools(self.slices, self.features, "experimental", REPAIRED)
        self.compiler = Compiler(self.classes, self.features)

    def on(self, node: Node) -> NodeView:
        """A node's devices, the same ones for as long as the node stays equal.

        Raises:
            PoolError: a node selector can't be parsed.
        """
        known = self._nodes.get(node.meta.name)
        if known is None or known.devices.node != node:
            devices = devices_of(node, self._pools.gather_useful(node), self.features)
            finder, results = EligibleFinder(devices, self.selectors), ResultWriter(devices, self.classes)
            known = self._nodes[node.meta.name] = NodeView(devices, finder, results, SingleRequest(finder, results))
        return known
