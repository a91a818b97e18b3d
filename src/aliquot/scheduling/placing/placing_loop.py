"""A what-if scheduling loop: pods are placed one after the other, each on what the earlier ones left.

It decides as `judge` does on a snapshot of the moment, at the price of what has changed since the last pod rather than
of the whole cluster: what one pod showed of a node is kept for all pods alike, until something changes on that node.
"""

from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from aliquot.allocation.claims.pod_check import Fault, PodCheck
from aliquot.allocation.claims.pod_claims import NotReady
from aliquot.dra.claim import Claim
from aliquot.kube.pod import Pod
from aliquot.scheduling.cycle import Cycle, uses_dynamic_resources
from aliquot.scheduling.equal_pods import room_key
from aliquot.scheduling.filter_order import COMPANY_FILTERS
from aliquot.scheduling.filter_phase import failures_with_nominated
from aliquot.scheduling.filters.inter_pod_affinity import neighbours_of
from aliquot.scheduling.filters.node_declared_features import undeclared
from aliquot.scheduling.filters.pod_topology_spread import spread_of
from aliquot.scheduling.outcome import Placement, Refusal, Verdict
from aliquot.scheduling.placing.live_claims import LiveClaims
from aliquot.scheduling.placing.node_answers import NodeAnswers, ascending, merged
from aliquot.scheduling.placing.nodes_with_room import NodesWithRoom, RoomFor
from aliquot.scheduling.scheduler import Scheduler
from aliquot.scheduling.unchecked import not_checked
from aliquot.snapshot.load import holds
from aliquot.snapshot.snapshot import Snapshot

Choose = Callable[[Iterator[str]], str | None]
"""Takes one of the nodes that take a pod, or None: the pod isn't placed. They come in the snapshot's order, each worked
out when it's asked for: who takes the first pays for one."""


def first(nodes: Iterator[str]) -> str | None:
    """The first one."""
    return next(nodes, None)


@dataclass(slots=True)
class _Served:
    """Where claims of one kind are served."""

    known: NodeAnswers
    certain: bool
    """No node can end the attempt with an error, so that none has to be looked at for that."""


@dataclass(slots=True, eq=False)
class Loop:
    """A cluster on which pods are placed and removed. Nodes, slices, classes and templates stay as they are.

    Placing a pod generates the claims of its templates, binds it and allocates and reserves its claims. A refusal
    changes nothing.
    """

    start: Snapshot
    scheduler: Scheduler
    """Its claims are always answered by the correct allocator: no other can be told of changes. Without engines they
    are named as not checked."""
    choose: Choose = first
    _live: LiveClaims | None = field(init=False, default=None)
    _snapshot: Snapshot = field(init=False)
    _news: dict[str, Pod | None] = field(init=False, default_factory=dict[str, "Pod | None"])
    """Pods that are not yet in `_snapshot` as they are now; None: gone."""
    _pods: dict[str, Pod | None] = field(init=False, default_factory=dict[str, "Pod | None"])
    """Pods that differ from the start's."""
    _nodes: NodesWithRoom = field(init=False)
    _served: dict[Hashable, _Served] = field(init=False, default_factory=dict[Hashable, _Served])
    _avoiders: int = field(init=False)
    """Bound pods that want to be away from others: while there are any, all pods must ask who their neighbours are."""
    _refused: dict[Hashable, Refusal] = field(init=False, default_factory=dict[Hashable, Refusal])
    """What pods were told since the last change."""

    def __post_init__(self) -> None:
        """Begin with the snapshot as it is."""
        start = self.start
        self._snapshot = start
        self._nodes = NodesWithRoom(start, self.scheduler.kubernetes)
        self._avoiders = sum(1 for pod in start.pods.values() if _avoids(pod))
        engines = self.scheduler.engines
        if engines is not None and uses_dynamic_resources(start, self.scheduler.kubernetes):
            self._live = LiveClaims.of(start, engines)
            self.scheduler = replace(self.scheduler, claims=self._live)

    @property
    def snapshot(self) -> Snapshot:
        """The cluster as it is now."""
        claims = self._live.news if self._live else {}
        if self._news or claims:
            self._snapshot = self._snapshot.altered(self._news, claims)
            self._news = {}
            claims.clear()
        return self._snapshot

    def pod(self, key: str) -> Pod | None:
        """A pod as it is now."""
        return self._pods[key] if key in self._pods else self.start.pods.get(key)

    def place(self, pod: Pod) -> Verdict:
        """Place a pod that has no node, if there's a place for it.

        Returns:
            A Placement that says `running` and names the node; with `preemption` if others had to go, and went at
            once. Or the Refusal of `judge`; its reasons node by node are worked out when asked for, so ask before the
            next change. A pod that has a node or has ended is told so, and so is, as `placeable`, one for which
            `choose` took no node; nothing changes then.
        """
        if pod.node_name or pod.terminal or pod.scheduling_gates or pod.terminating:
            return self.scheduler.judge(self.snapshot, pod)
        fresh: Mapping[str, Claim] = {}
        check: PodCheck | None = None
        if self._live is not None:
            generated = self._live.generated(pod)
            if isinstance(generated, NotReady):
                return self.scheduler.judge(self.snapshot, pod)
            pod, fresh = generated
            found = self._live.check(pod, fresh)
            if found is not None and not isinstance(found, PodCheck):
                return self._judged(pod, fresh)
            check = found
        node = self._node(pod, check)
        if node is None:
            return self._refused_or_preempting(pod, check, fresh)
        self._bind(pod, check, node)
        return Placement(pod.key, "running", (node,), not_checked=self._not_checked(pod))

    def remove(self, key: str) -> None:
        """Take a pod away, and give back what it has: its own claims go, shared ones stay with the others."""
        pod = self.pod(key)
        if pod is None:
            return
        self._put(key, None)
        if self._live is not None:
            self._live.leave(pod)

    # --- changes -------------------------------------------------------------------------------------------------

    def _bind(self, pod: Pod, check: PodCheck | None, node: str, victims: tuple[str, ...] = ()) -> None:
        """Bind a pod in place of victims.

        Its claims come first: they fit beside those of the victims, for preemption frees none. A claim that it shares
        with a victim would otherwise be deallocated with that one, and perhaps not be had again.
        """
        extended = pod.extended_claim
        if check is not None and self._live is not None:
            load = self._nodes.load(node)
            problem = check.check(load)
            assert not problem, f"{pod.key} on {node}: {problem}"
            extended = self._live.bind(check, load) or extended
        for victim in victims:
            self.remove(victim)
        self._put(pod.key, replace(pod, node_name=node, nominated_node="", extended_claim=extended))

    def _put(self, key: str, pod: Pod | None) -> None:
        old = self.pod(key)
        if old is not None:
            if holds(old):
                self._nodes.take(old)
                self._avoiders -= _avoids(old)
            elif old.nominated_node:
                self._nodes.release_promise(old)
        if pod is not None:
            self._nodes.put(pod)
            self._avoiders += _avoids(pod)
        self._pods[key] = self._news[key] = pod
        self._refused.clear()

    # --- where there's room --------------------------------------------------------------------------------------

    def _node(self, pod: Pod, check: PodCheck | None) -> str | None:
        """The node to take; None: none takes the pod or was chosen, or an error ends the attempt."""
        room = self._nodes.room(pod)
        around = self._around(pod, room)
        served = self._claims(check) if check is not None else None

        def takes(position: int) -> bool | Fault:
            """In the order of the filters, for an error counts only where those before have nothing to say."""
            if not self._nodes.has_room(room, position) or (around is not None and not self._suits(around, position)):
                return False
            if check is not None and served is not None:
                answer = self._serves(served, check, position)
                if answer is not True:
                    return answer
            return not pod.needs_features or not undeclared(pod, self._nodes.node(position), self.scheduler.kubernetes)

        nominated = self._nodes.positions.get(pod.nominated_node)
        if nominated is not None and takes(nominated) is True:
            return pod.nominated_node
        if served is not None and not served.certain:
            unknown = ascending(room.known.possible & served.known.open)
            if any(isinstance(takes(position), Fault) for position in unknown):
                return None
        possible = room.known.possible & (served.known.possible if served is not None else -1)
        return self.choose(self._nodes.names[position] for position in ascending(possible) if takes(position) is True)

    # --- what the neighbours say ---------------------------------------------------------------------------------

    def _around(self, pod: Pod, room: RoomFor) -> Cycle | None:
        """The cycle of a pod for which other pods matter; None: they don't."""
        if not (_looks_around(pod) or self._avoiders):
            return None
        neighbours, spread = neighbours_of(self.snapshot, pod), spread_of(self.snapshot, pod, self.scheduler.kubernetes)
        if neighbours is None and spread is None:
            return None
        return replace(room.cycle, pod=pod, spread=spread, neighbours=neighbours)

    def _suits(self, around: Cycle, position: int) -> bool:
        name = self._nodes.names[position]
        return not failures_with_nominated(
            around, self._nodes.load(name), self._nodes.waiting(around.pod, name), COMPANY_FILTERS
        )

    # --- where the claims are served -----------------------------------------------------------------------------

    def _claims(self, check: PodCheck) -> _Served:
        assert self._live is not None
        engine = self._live.engine
        question = self._live.question(check)
        served = self._served.get(question) if question is not None else None
        if served is None:
            everywhere = (1 << len(self._nodes.names)) - 1
            served = _Served(NodeAnswers(everywhere, everywhere, seen=engine.changes), self._live.certain(check))
            if question is not None:
                self._served[question] = served
        elif served.known.seen < engine.changes:
            changed = engine.changed_since(served.known.seen)
            served.known.forget(merged([self._nodes.positions[name] for name in changed]), engine.changes)
        return served

    def _serves(self, served: _Served, check: PodCheck, position: int) -> bool | Fault:
        known = served.known
        bit = 1 << position
        if known.open & bit:
            problem = check.check(self._nodes.load(self._nodes.names[position]))
            if isinstance(problem, Fault):
                return problem
            known.learn(bit, answer=not problem)
            return not problem
        return bool(known.yes & bit)

    # --- where there's none --------------------------------------------------------------------------------------

    def _refused_or_preempting(self, pod: Pod, check: PodCheck | None, fresh: Mapping[str, Claim]) -> Verdict:
        question = self._live.question(check) if self._live is not None and check is not None else ""
        alike = None if question is None or self._avoiders or _looks_around(pod) or pod.nominated_node else (
            room_key(pod), pod.preemption_policy, question,
        )  # fmt: skip
        if alike is not None and alike in self._refused:
            return replace(self._refused[alike], pod=pod.key, not_checked=self._not_checked(pod))
        verdict = self._judged(pod, fresh)
        if isinstance(verdict, Refusal):
            if alike is not None and verdict.reason == "Unschedulable":
                self._refused[alike] = verdict
            return verdict
        if verdict.preemption is None:
            return verdict
        self._bind(pod, check, verdict.preemption.node, verdict.preemption.victims)
        return replace(verdict, verdict="running", nodes=(verdict.preemption.node,), by_node=None)

    def _judged(self, pod: Pod, fresh: Mapping[str, Claim]) -> Verdict:
        return self.scheduler.judge(self.snapshot.altered({}, fresh), pod)

    def _not_checked(self, pod: Pod) -> tuple[str, ...]:
        return not_checked(self.start, pod, self.scheduler.kubernetes, claims=self.scheduler.engines is not None)


def _avoids(pod: Pod) -> bool:
    return holds(pod) and pod.affinity is not None and bool(pod.affinity.pod_anti)


def _looks_around(pod: Pod) -> bool:
    """Whether it has rules about other pods."""
    affinity = pod.affinity
    return bool(pod.topology_spread or (affinity and (affinity.pod or affinity.pod_anti)))
