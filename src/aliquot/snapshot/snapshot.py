"""The cluster at one moment, and how to change it."""

from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar, cast

from aliquot.dra.claim import Claim, ClaimTemplate, DeviceClass
from aliquot.dra.device import Slice, TaintRule
from aliquot.kube.groups import PodGroup, Queue
from aliquot.kube.meta import Meta
from aliquot.kube.node import Node
from aliquot.kube.pod import Pod
from aliquot.kube.workload import Event, Namespace, PriorityClass, Workload
from aliquot.snapshot.effective import effective_request
from aliquot.snapshot.kinds import OTHERS, key_of, kind_of
from aliquot.snapshot.load import NodeLoad, holds
from aliquot.snapshot.overlay import Overlay

T = TypeVar("T")

REROOT_AT = 64
"""Nodes that may differ from the root before a quarter of the cluster is too many and a new root is taken."""


@dataclass(frozen=True, slots=True, eq=False)
class Snapshot:
    """Everything that deciding placement needs, frozen. Made by `Snapshot.of`; changed by the `with_` methods.

    Mappings are by key (`namespace/name`, or the name of cluster-scoped kinds), in the order of the input. Workloads
    are by `Kind/namespace/name`. Indexes are built when first asked for and shared by all snapshots changed from this.
    """

    nodes: Mapping[str, Node]
    pods: Mapping[str, Pod]
    namespaces: Mapping[str, Namespace]
    priority_classes: Mapping[str, PriorityClass]
    workloads: Mapping[str, Workload]
    events: tuple[Event, ...]
    classes: Mapping[str, DeviceClass]
    claims: Mapping[str, Claim]
    templates: Mapping[str, ClaimTemplate]
    slices: Mapping[str, Slice]
    taint_rules: Mapping[str, TaintRule]
    kinds: frozenset[str] = frozenset()
    """The API kinds that the input holds at all, by `snapshot.kinds.kind_of`. An object of a kind that isn't there may
    exist all the same: it's missing from the input, not absent. A what-if changes nothing in this."""
    unread: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]], repr=False)
    """API kinds of which the input holds objects that couldn't be read -> why not. None of these kinds can be called
    absent."""
    _others: Mapping[type, Mapping[str, object]] = field(default_factory=dict[type, Mapping[str, object]], repr=False)
    """Tables of the kinds that have no field of their own."""
    _changed: Mapping[str, NodeLoad] = field(default_factory=dict[str, NodeLoad], repr=False)
    """Nodes that differ from the root's, in themselves or in their pods; also new and gone ones."""
    _root: "Snapshot | None" = field(default=None, repr=False)
    _memo: dict[Hashable, object] = field(default_factory=dict[Hashable, object], repr=False)

    @classmethod
    def of(
        cls,
        objects: Iterable[object],
        kinds: Iterable[str] = (),
        unread: Mapping[str, tuple[str, ...]] | None = None,
    ) -> "Snapshot":
        """From `kube` and `dra` values in any order; of two with the same key the later counts.

        Args:
            objects: The values.
            kinds: API kinds that were asked for beside those of the objects: none of these exists but those given.
            unread: API kinds of objects that couldn't be read, and why.

        Raises:
            TypeError: if something is none of these values.
        """
        tables: dict[type, dict[str, object]] = {kind: {} for kind in (*_TABLES, *OTHERS)}
        events: list[Event] = []
        owners: set[str] = set()
        for thing in objects:
            if isinstance(thing, Event):
                events.append(thing)
                continue
            table = tables.get(type(thing))
            if table is None:
                raise TypeError(f"a snapshot holds no {type(thing).__name__}")
            table[key_of(thing)] = thing
        for kind, table in tables.items():
            many = kind in _NAMED_BY_VALUE
            owners.update(map(kind_of, table.values() if many else list(table.values())[:1]))

        def of_kind(kind: type[T]) -> dict[str, T]:
            return cast("dict[str, T]", tables[kind])

        return cls(
            nodes=of_kind(Node),
            pods=of_kind(Pod),
            namespaces=of_kind(Namespace),
            priority_classes=of_kind(PriorityClass),
            workloads=of_kind(Workload),
            events=tuple(events),
            classes=of_kind(DeviceClass),
            claims=of_kind(Claim),
            templates=of_kind(ClaimTemplate),
            slices=of_kind(Slice),
            taint_rules=of_kind(TaintRule),
            kinds=frozenset({*owners, *kinds, *(["Event"] if events else [])}),
            unread=unread or {},
            _others={kind: tables[kind] for kind in OTHERS if tables[kind]},
        )

    # --- questions -----------------------------------------------------------------------------------------------

    def objects(self, kind: type[T]) -> Mapping[str, T]:
        """All values of a type that has no field of its own (`snapshot.kinds.OTHERS`), by key."""
        return cast("Mapping[str, T]", self._others.get(kind, _NOTHING))

    def events_about(self, kind: str, namespace: str, name: str) -> tuple[Event, ...]:
        """What was said of an object, in the order of the input."""
        there = self.root if self.events is self.root.events else self
        return there.recall("events about", _events_about).get((kind, namespace, name), ())

    @property
    def root(self) -> "Snapshot":
        """The snapshot this one was changed from, as far back as indexes are shared."""
        return self._root or self

    @property
    def changed(self) -> frozenset[str]:
        """Names of the nodes that differ from the root's (in themselves or in their pods; also new and gone ones)."""
        return frozenset(self._changed)

    def load(self, node: str) -> NodeLoad:
        """A node with what it carries. Of a name without a node: what is bound to it, on a node that has nothing."""
        load = self._changed.get(node) or self.root.recall("loads", _loads).get(node)
        return load or NodeLoad(Node(Meta(node)), {}, {})

    def loads(self) -> Iterable[NodeLoad]:
        """All nodes with what they carry, in the order of `nodes`."""
        return map(self.load, self.nodes)

    def pods_on(self, node: str) -> tuple[Pod, ...]:
        """The pods that hold resources of a node."""
        return tuple(self.load(node).pods.values())

    def holders(self, node: str, resource: str) -> tuple[tuple[Pod, int], ...]:
        """Who holds how much of a resource on a node."""
        shares = ((pod, effective_request(pod).get(resource, 0)) for pod in self.load(node).pods.values())
        return tuple((pod, amount) for pod, amount in shares if amount > 0)

    def pending(self) -> tuple[Pod, ...]:
        """Pods without a node that have not ended and are not being deleted."""
        return self.recall("pending", _pending)

    def nominated(self) -> Mapping[str, tuple[Pod, ...]]:
        """Node -> pods without a node that the scheduler has promised a place there, after a preemption."""
        return self.recall("nominated", _nominated)

    def workload_of(self, pod: Pod) -> Workload | None:
        """The topmost known owner: the Deployment rather than its ReplicaSet; None if the pod stands by itself."""
        found: Workload | None = None
        meta = pod.meta
        while (owner := meta.controller) is not None:
            above = self.workloads.get(f"{owner.kind}/{pod.namespace}/{owner.name}")
            if above is None or above is found:
                break
            found, meta = above, above.meta
        return found

    def pods_of(self, kind: str, namespace: str, name: str) -> tuple[Pod, ...]:
        """The pods that a workload owns, directly or through others."""
        by_owner = self.recall("by owner", _by_owner)
        found: list[Pod] = list(by_owner.get((kind, namespace, name), ()))
        for workload in self.owned(kind, namespace, name):
            found += self.pods_of(workload.kind, namespace, workload.meta.name)
        return tuple(found)

    def owned(self, kind: str, namespace: str, name: str) -> tuple[Workload, ...]:
        """The workloads that a workload controls: a Deployment's ReplicaSets, a CronJob's Jobs."""
        there = self.root if self.workloads is self.root.workloads else self
        return there.recall("owned", _owned).get((kind, namespace, name), ())

    def recall(self, key: Hashable, make: "Callable[[Snapshot], T]") -> T:
        """What `make` answers for this snapshot, made once. The key must name the question; the answer is not changed.

        Packages above keep their indexes here, so that they live as long as the snapshot that they describe.
        """
        if key not in self._memo:
            self._memo[key] = make(self)
        return cast("T", self._memo[key])

    # --- changes -------------------------------------------------------------------------------------------------

    def with_node(self, node: Node) -> "Snapshot":
        """With a node added, or put in place of its namesake; its pods stay."""
        load = self.load(node.name).on(node)
        return self._made({node.name: load}, nodes=_overlay(self.nodes).put(node.name, node))

    def without_node(self, name: str) -> "Snapshot":
        """Without a node. Pods bound to it stay bound to the name and hold nothing that counts."""
        if name not in self.nodes:
            return self
        load = self.load(name).on(Node(Meta(name)))
        return self._made({name: load}, nodes=_overlay(self.nodes).drop(name))

    def with_pod(self, pod: Pod) -> "Snapshot":
        """With a pod added, or put in place of its namesake."""
        changed: dict[str, NodeLoad] = {}
        old = self.pods.get(pod.key)
        if old is not None and holds(old):
            changed[old.node_name] = self.load(old.node_name).minus(old.key)
        if holds(pod):
            before = changed.get(pod.node_name) or self.load(pod.node_name)
            changed[pod.node_name] = before.plus(pod)
        return self._made(changed, pods=_overlay(self.pods).put(pod.key, pod))

    def without_pods(self, keys: Iterable[str]) -> "Snapshot":
        """Without these pods."""
        changed: dict[str, NodeLoad] = {}
        pods = _overlay(self.pods)
        for key in keys:
            old = pods.get(key)
            if old is None:
                continue
            if holds(old):
                before = changed.get(old.node_name) or self.load(old.node_name)
                changed[old.node_name] = before.minus(key)
            pods = pods.drop(key)
        return self._made(changed, pods=pods)

    def bind(self, pod_key: str, node: str) -> "Snapshot":
        """With a pod bound to a node; a nomination is thereby used up.

        Raises:
            KeyError: if there's no such pod.
        """
        return self.with_pod(replace(self.pods[pod_key], node_name=node, nominated_node=""))

    def altered(self, pods: Mapping[str, Pod | None], claims: Mapping[str, Claim | None] | None = None) -> "Snapshot":
        """With many pods and claims added, put in place of their namesakes, or (None) taken away, all at once."""
        changed: dict[str, NodeLoad] = {}

        def load(node: str) -> NodeLoad:
            return changed.get(node) or self.load(node)

        for key, pod in pods.items():
            old = self.pods.get(key)
            if old is not None and holds(old):
                changed[old.node_name] = load(old.node_name).minus(key)
            if pod is not None and holds(pod):
                changed[pod.node_name] = load(pod.node_name).plus(pod)
        tables: dict[str, object] = {}
        if pods:
            tables["pods"] = _overlay(self.pods).altered(pods)
        if claims:
            tables["claims"] = _overlay(self.claims).altered(claims)
        return self._made(changed, **tables) if tables else self

    def with_object(self, thing: object) -> "Snapshot":
        """With any one value added, or put in place of its namesake.

        Raises:
            TypeError: if it's none of the values a snapshot holds.
        """
        if isinstance(thing, Node):
            return self.with_node(thing)
        if isinstance(thing, Pod):
            return self.with_pod(thing)
        if isinstance(thing, Event):
            return self._made({}, events=(*self.events, thing))
        if type(thing) in OTHERS:
            there = self._others.get(type(thing), _NOTHING)
            return self._made({}, _others={**self._others, type(thing): _overlay(there).put(key_of(thing), thing)})
        table = _TABLES.get(type(thing))
        if table is None:
            raise TypeError(f"a snapshot holds no {type(thing).__name__}")
        there = cast("Mapping[str, object]", getattr(self, table))
        return self._made({}, **{table: _overlay(there).put(key_of(thing), thing)})

    def without_object(self, kind: type[object], key: str) -> "Snapshot":
        """Without the object of this type and key, if there is one."""
        if kind is Node:
            return self.without_node(key)
        if kind is Pod:
            return self.without_pods([key])
        if kind in OTHERS:
            there = self._others.get(kind, _NOTHING)
            return self._made({}, _others={**self._others, kind: _overlay(there).drop(key)}) if key in there else self
        table = _TABLES[kind]
        there = cast("Mapping[str, object]", getattr(self, table))
        return self._made({}, **{table: _overlay(there).drop(key)}) if key in there else self

    def _made(self, changed: Mapping[str, NodeLoad], **tables: Any) -> "Snapshot":
        together = {**self._changed, **changed}
        made = replace(self, _changed=together, _root=self.root, _memo={}, **tables)
        few = len(together) <= max(REROOT_AT, len(self.root.nodes) // 4)
        if few and _base(made.pods) is _base(self.root.pods):
            return made
        return replace(made, _changed={}, _root=None, _memo={})


_TABLES: Mapping[type, str] = {
    Node: "nodes",
    Pod: "pods",
    Namespace: "namespaces",
    PriorityClass: "priority_classes",
    Workload: "workloads",
    DeviceClass: "classes",
    Claim: "claims",
    ClaimTemplate: "templates",
    Slice: "slices",
    TaintRule: "taint_rules",
}


_NAMED_BY_VALUE = frozenset({Workload, PodGroup, Queue})
"""Types that stand for several API kinds."""

_NOTHING: Mapping[str, object] = {}


def _overlay(table: Mapping[str, T]) -> Overlay[str, T]:
    return table if isinstance(table, Overlay) else Overlay(table)


def _base(table: Mapping[str, T]) -> Mapping[str, T]:
    return table.base if isinstance(table, Overlay) else table


def _pending(snapshot: Snapshot) -> tuple[Pod, ...]:
    return tuple(p for p in snapshot.pods.values() if not p.node_name and not p.terminal and not p.terminating)


def _loads(snapshot: Snapshot) -> Mapping[str, NodeLoad]:
    pods: dict[str, dict[str, Pod]] = {}
    totals: dict[str, dict[str, int]] = {}
    for key, pod in snapshot.pods.items():
        if pod.node_name and not pod.terminal:
            here = pods.get(pod.node_name)
            if here is None:
                here = pods[pod.node_name] = {}
                totals[pod.node_name] = {}
            here[key] = pod
            total = totals[pod.node_name]
            for name, amount in effective_request(pod).items():
                total[name] = total.get(name, 0) + amount
    nodes = dict(snapshot.nodes)
    for name in pods:
        if name not in nodes:
            nodes[name] = Node(Meta(name))
    return {name: NodeLoad(node, pods.get(name, {}), totals.get(name, {})) for name, node in nodes.items()}


def _nominated(snapshot: Snapshot) -> Mapping[str, tuple[Pod, ...]]:
    found: dict[str, tuple[Pod, ...]] = {}
    pods: Iterable[Pod] = snapshot.pods.values()
    if snapshot.root is not snapshot:
        before = snapshot.root.nominated()
        if not isinstance(snapshot.pods, Overlay) or snapshot.pods is snapshot.root.pods:
            return before
        changes, gone = snapshot.pods.changes, snapshot.pods.gone
        for node, promised in before.items():
            staying = tuple(pod for pod in promised if pod.key not in changes and pod.key not in gone)
            if staying:
                found[node] = staying
        pods = changes.values()
    for pod in pods:
        if pod.nominated_node and not (pod.node_name or pod.terminal or pod.terminating):
            found[pod.nominated_node] = (*found.get(pod.nominated_node, ()), pod)
    return found


def _owned(snapshot: Snapshot) -> Mapping[tuple[str, str, str], tuple[Workload, ...]]:
    found: dict[tuple[str, str, str], list[Workload]] = {}
    for workload in snapshot.workloads.values():
        owner = workload.meta.controller
        if owner is not None:
            found.setdefault((owner.kind, workload.meta.namespace, owner.name), []).append(workload)
    return {owner: tuple(workloads) for owner, workloads in found.items()}


def _events_about(snapshot: Snapshot) -> Mapping[tuple[str, str, str], tuple[Event, ...]]:
    found: dict[tuple[str, str, str], list[Event]] = {}
    for event in snapshot.events:
        found.setdefault((event.kind, event.namespace, event.name), []).append(event)
    return {about: tuple(events) for about, events in found.items()}


def _by_owner(snapshot: Snapshot) -> Mapping[tuple[str, str, str], tuple[Pod, ...]]:
    found: dict[tuple[str, str, str], list[Pod]] = {}
    for pod in snapshot.pods.values():
        owner = pod.meta.controller
        if owner is not None:
            found.setdefault((owner.kind, pod.namespace, owner.name), []).append(pod)
    return {owner: tuple(pods) for owner, pods in found.items()}
