"""Where there's room while pods come and go, as far as filters can tell that look at one node alone."""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field

from aliquot.kube.node import Node
from aliquot.kube.pod import Pod
from aliquot.kube.release import Kubernetes
from aliquot.scheduling.cycle import Cycle, delegated
from aliquot.scheduling.equal_pods import room_key
from aliquot.scheduling.filter_order import HOLDING_FILTERS, NODE_FILTERS, first_failure
from aliquot.scheduling.filter_phase import failures_with_nominated
from aliquot.scheduling.filters.equal_nodes import asked_labels, node_groups, positions
from aliquot.scheduling.filters.node_ports import host_ports
from aliquot.scheduling.placing.node_answers import NodeAnswers, bits_of, merged
from aliquot.snapshot.effective import effective_request
from aliquot.snapshot.load import NodeLoad
from aliquot.snapshot.snapshot import Snapshot


@dataclass(slots=True)
class RoomFor:
    """Where pods of one shape have room."""

    cycle: Cycle
    """For these filters: it knows nothing of other pods or of claims."""
    known: NodeAnswers


@dataclass(slots=True, eq=False)
class NodesWithRoom:
    """The nodes of a snapshot, and what they carry now. Nodes stay as they are."""

    start: Snapshot
    kubernetes: Kubernetes
    names: list[str] = field(init=False)
    positions: Mapping[str, int] = field(init=False)
    promised: dict[str, tuple[Pod, ...]] = field(init=False)
    """Node -> pods without a node that the scheduler has promised a place there."""
    loads: dict[str, NodeLoad] = field(init=False, default_factory=dict[str, NodeLoad])
    """Nodes that carry something else than at the start."""
    log: list[int] = field(init=False, default_factory=list[int])
    """Positions of the nodes on which pods came or went, in order."""
    rooms: dict[Hashable, RoomFor] = field(init=False, default_factory=dict[Hashable, RoomFor])
    """By the shapes that were asked for."""

    def __post_init__(self) -> None:
        """Begin with what the nodes carry in the snapshot."""
        self.names = list(self.start.nodes)
        self.positions = positions(self.start)
        self.promised = dict(self.start.nominated())

    def load(self, node: str) -> NodeLoad:
        """A node with what it carries now."""
        return self.loads.get(node) or self.start.load(node)

    def node(self, position: int) -> Node:
        """The node at a position."""
        return self.start.nodes[self.names[position]]

    def put(self, pod: Pod) -> None:
        """A pod has come to its node."""
        self.loads[pod.node_name] = self.load(pod.node_name).plus(pod)
        self._note(pod.node_name)

    def take(self, pod: Pod) -> None:
        """A pod has gone from its node."""
        self.loads[pod.node_name] = self.load(pod.node_name).minus(pod.key)
        self._note(pod.node_name)

    def release_promise(self, pod: Pod) -> None:
        """A pod doesn't wait any more for the place that it was promised."""
        node = pod.nominated_node
        self.promised[node] = tuple(one for one in self.promised.get(node, ()) if one.key != pod.key)
        self._note(node)

    def _note(self, node: str) -> None:
        """A node has changed. Pods may be bound to names without a node."""
        if node in self.positions:
            self.log.append(self.positions[node])

    def room(self, pod: Pod) -> RoomFor:
        """Where pods like this one have room, as far as that's known; nodes that have changed must be asked again."""
        key = room_key(pod)
        room = self.rooms.get(key)
        if room is None:
            room = self.rooms[key] = self._tabulated(pod)
        elif room.known.seen < len(self.log):
            room.known.forget(merged(self.log[room.known.seen :]), len(self.log))
        return room

    def _tabulated(self, pod: Pod) -> RoomFor:
        """What stays as it is: whether the filters that look at the node without its pods let the pod in."""
        request = effective_request(pod)
        cycle = Cycle(
            pod=pod,
            kubernetes=self.kubernetes,
            request=request,
            delegated=delegated(self.start, request, self.kubernetes),
            ports=host_ports(pod),
            spread=None,
            neighbours=None,
            claims=None,
            dynamic=False,
        )
        groups, examples = node_groups(self.start, asked_labels(pod))
        lets_in = [not first_failure(cycle, self.start.load(name), NODE_FILTERS) for name in examples]
        suitable = bits_of(lets_in[group] for group in groups)
        return RoomFor(cycle, NodeAnswers(suitable, suitable, seen=len(self.log)))

    def has_room(self, room: RoomFor, position: int) -> bool:
        """Whether one node has room, found out if it isn't known."""
        known = room.known
        bit = 1 << position
        if known.open & bit:
            name = self.names[position]
            waiting = self.waiting(room.cycle.pod, name)
            answer = not failures_with_nominated(room.cycle, self.load(name), waiting, HOLDING_FILTERS)
            known.learn(bit, answer=answer)
            return answer
        return bool(known.yes & bit)

    def waiting(self, pod: Pod, node: str) -> tuple[Pod, ...]:
        """Pods promised a place to which this one must leave room; see `filter_phase.nominated_ahead`."""
        if not self.promised:
            return ()
        return tuple(one for one in self.promised.get(node, ()) if one.priority >= pod.priority and one.key != pod.key)
