"""Pools as one node sees them: which slices count, which pools are complete and valid, and in which order.

The rules are those of upstream's GatherPools (k8s.io/dynamic-resource-allocation v0.36.2,
structured/internal/experimental/pools_experimental.go).
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from aliquot.allocation.allocator_features import Features, Implementation
from aliquot.allocation.answer import PoolStory
from aliquot.allocation.behaviour import Behaviour
from aliquot.allocation.rules.reach import BrokenSelectorError, reaches
from aliquot.dra.device import CounterSet, Slice
from aliquot.kube.node import Node

PoolKey = tuple[str, str]
"""(driver, pool name)."""


@dataclass(frozen=True, slots=True)
class Pool:
    """A pool with what it offers to a node. Incomplete and invalid pools offer nothing."""

    driver: str
    name: str
    state: Literal["usable", "incomplete", "invalid"] = "usable"
    detail: str = ""
    """invalid: why, as upstream words it; incomplete: how many slices of how many."""
    here: tuple[Slice, ...] = ()
    """Slices with devices for this node, in search order."""
    elsewhere: tuple[Slice, ...] = ()
    """Slices whose devices other nodes use, but whose counters count."""
    counter_sets: Mapping[str, CounterSet] = field(default_factory=dict[str, CounterSet])

    @property
    def key(self) -> PoolKey:
        """(driver, pool name)."""
        return (self.driver, self.name)

    @property
    def label(self) -> str:
        """`driver/pool`, as the messages print it."""
        return f"{self.driver}/{self.name}"


class PoolError(ValueError):
    """A slice's node selection can't be parsed. The text is upstream's."""


class Pools:
    """The pools of a cluster: gathers them for one node after another."""

    def __init__(
        self, slices: Sequence[Slice], features: Features, implementation: Implementation, behaviour: Behaviour
    ) -> None:
        self._slices = slices
        self._features = features
        self._sorted = implementation != "stable"
        self._counters_by_node = behaviour.counter_slices_by_node and implementation != "stable"
        self._of_node: dict[str, list[Slice]] = {}
        self._of_pool: dict[PoolKey, list[Slice]] = {}
        self._shared: list[Slice] = []
        self._everywhere: dict[PoolKey, list[tuple[int, Slice]]] = {}
        """Slices that every node sees: they hold counters. With their (even) places among the shared ones' odd ones."""
        self._broken: list[PoolKey] | None = None
        self._foreign: dict[PoolKey, Pool | None] = {}
        """Pools as a node sees them that sees nothing but their counters."""
        for published in slices:
            self._of_pool.setdefault((published.driver, published.pool), []).append(published)
            if published.shared_counters and self._sorted and not self._counters_by_node:
                if features.partitionable_devices:
                    self._everywhere.setdefault((published.driver, published.pool), []).append(
                        (2 * len(self._shared), published)
                    )
            elif not published.node_name:
                self._shared.append(published)
            else:
                self._of_node.setdefault(published.node_name, []).append(published)

    def gather(self, node: Node) -> tuple[Pool, ...]:
        """Returns the pools that a node sees, in search order.

        Stable takes pools in random order; here they come in the order of their first slice.

        Raises:
            PoolError: a node selector can't be parsed.
        """
        return self._gather(node, self._everywhere)

    def gather_useful(self, node: Node) -> tuple[Pool, ...]:
        """As `gather`, without the pools of other nodes of which this one only sees counters in good order.

        Raises:
            PoolError: a node selector can't be parsed.
        """
        if self._broken is None:
            alone = [self._alone(key) for key in self._everywhere]
            self._broken = [pool.key for pool in alone if pool is not None and pool.state != "usable"]
        return self._gather(node, self._broken)

    def _gather(self, node: Node, others: Iterable[PoolKey]) -> tuple[Pool, ...]:
        newest = self._newest(node)
        built = [self._build(key, slices) for key, slices in newest.items()]
        built += [self._alone(key) for key in others if key not in newest]
        pools: list[Pool] = []
        late: list[Pool] = []
        for pool in built:
            if pool is None:
                continue
            waits = self._sorted and any(
                device.binding_conditions for published in pool.here for device in published.devices
            )
            (late if waits else pools).append(pool)
        if self._sorted:
            pools.sort(key=lambda pool: pool.key)
            late.sort(key=lambda pool: pool.key)
        return (*pools, *late)

    def _newest(self, node: Node) -> dict[PoolKey, list[Slice]]:
        """The slices of a node by pool, of each pool's newest generation; only pools of which it sees devices."""
        newest: dict[PoolKey, list[Slice]] = {}
        if not self._sorted:
            for published in self._slices:
                if self._relevant(published, node):
                    _keep_newest(newest, published)
            return newest
        for published in self._of_node.get(node.name, ()):
            if self._relevant(published, node):
                _keep_newest(newest, published)
        shared = [
            (2 * place + 1, published)
            for place, published in enumerate(self._shared)
            if self._relevant(published, node)
        ]
        if self._everywhere:
            keys = dict.fromkeys([*newest, *((published.driver, published.pool) for _, published in shared)])
            shared += [placed for key in keys for placed in self._everywhere.get(key, ())]
            shared.sort(key=_place)
        for _, published in shared:
            _keep_newest(newest, published)
        return newest

    def _alone(self, key: PoolKey) -> Pool | None:
        """A pool of which a node sees nothing but counters: the same for all such nodes."""
        if key not in self._foreign:
            newest: dict[PoolKey, list[Slice]] = {}
            for _, published in self._everywhere[key]:
                _keep_newest(newest, published)
            self._foreign[key] = self._build(key, newest[key])
        return self._foreign[key]

    def troubles(self, node: Node) -> tuple[PoolStory, ...]:
        """Returns the pools that supply nothing to a node although they could be meant for it, and why.

        Pools that only name other nodes aren't told.

        Raises:
            PoolError: a node selector can't be parsed.
        """
        seen = {pool.key: pool for pool in self.gather(node)}
        stories: list[PoolStory] = []
        for key, slices in sorted(self._of_pool.items()):
            pool = seen.get(key)
            if pool is None:
                stories.extend(self._absent(key, slices, node))
            elif pool.state != "usable":
                stories.append(PoolStory(*key, pool.state, pool.detail))
        return tuple(stories)

    def _absent(self, key: PoolKey, slices: Sequence[Slice], node: Node) -> Iterator[PoolStory]:
        relevant = [published for published in slices if self._relevant(published, node)]
        if relevant:
            old, new = (
                max(published.generation for published in relevant),
                max(published.generation for published in slices),
            )
            yield PoolStory(*key, "outdated", f"generation {new} is being published; this node still has {old}")
        elif not self._features.partitionable_devices and any(published.shared_counters for published in slices):
            yield PoolStory(*key, "ignored", "DRAPartitionableDevices is off")
        elif any(published.node_selector is not None or published.per_device_node_selection for published in slices):
            yield PoolStory(*key, "node not selected", f"no node selection of its {len(slices)} slices matches")
        elif not any(published.node_name for published in slices):
            yield PoolStory(*key, "ignored", "its slices say nothing about nodes")

    def _relevant(self, published: Slice, node: Node) -> bool:
        if not self._features.partitionable_devices and (
            published.per_device_node_selection is not None or published.shared_counters
        ):
            return False
        if published.shared_counters and not self._counters_by_node:
            return True
        if published.node_name or published.all_nodes or published.node_selector is not None:
            try:
                return reaches(node, published.node_name, published.all_nodes, published.node_selector)
            except BrokenSelectorError as error:
                raise PoolError(f"failed to perform node selection for slice {published.meta.name}: {error}") from error
        if published.per_device_node_selection:
            for device in published.devices:
                try:
                    if reaches(node, device.node_name, device.all_nodes, device.node_selector):
                        return True
                except BrokenSelectorError as error:
                    raise PoolError(
                        f"failed to perform node selection for device {device.name} "
                        f"in slice {published.meta.name}: {error}"
                    ) from error
        return False  # no node selection that this release knows: silently left out

    def _build(self, key: PoolKey, slices: list[Slice]) -> Pool | None:
        """Builds a pool of its relevant slices; None: a newer generation elsewhere makes it obsolete."""
        announced, generation = slices[0].slice_count, slices[0].generation
        everywhere: list[Slice] | None = None
        if len(slices) != announced:
            whole_pool = self._of_pool[key]
            if any(published.generation > generation for published in whole_pool):
                return None
            everywhere = [published for published in whole_pool if published.generation == generation]
            if len(everywhere) != announced:
                return Pool(*key, state="incomplete", detail=f"{len(everywhere)} of {announced} slices")
        if self._sorted:
            slices = sorted(slices, key=lambda published: published.meta.name)
        if not self._features.partitionable_devices:
            problem = _duplicate_device(slices)
            return Pool(*key, state="invalid", detail=problem) if problem else Pool(*key, here=tuple(slices))
        return self._build_with_counters(key, slices, everywhere)

    def _build_with_counters(self, key: PoolKey, slices: list[Slice], everywhere: list[Slice] | None) -> Pool:
        here = [published for published in slices if not published.shared_counters]
        with_counters = [published for published in slices if published.shared_counters]
        names = {published.meta.name for published in slices}
        others: list[Slice] = []
        if everywhere is not None and len(everywhere) != len(slices):
            others = [published for published in everywhere if published.meta.name not in names]
        if self._counters_by_node:
            with_counters += [published for published in others if published.shared_counters]
            others = [published for published in others if not published.shared_counters]
        counter_sets: dict[str, CounterSet] = {}
        problem = _duplicate_device(here)
        for counter_set in (counter_set for published in with_counters for counter_set in published.shared_counters):
            if not problem and counter_set.name in counter_sets:
                problem = f"duplicate counter set name {counter_set.name}"
            counter_sets[counter_set.name] = counter_set
        problem = problem or _unknown_counter(counter_sets, (*slices, *others))
        if problem:
            return Pool(*key, state="invalid", detail=problem)
        return Pool(*key, here=tuple(here), elsewhere=tuple(others), counter_sets=counter_sets)


def _place(placed: tuple[int, Slice]) -> int:
    return placed[0]


def _keep_newest(pools: dict[PoolKey, list[Slice]], published: Slice) -> None:
    key = (published.driver, published.pool)
    known = pools.get(key)
    if known is None or published.generation > known[0].generation:
        pools[key] = [published]
    elif published.generation == known[0].generation:
        known.append(published)


def _duplicate_device(slices: Iterable[Slice]) -> str:
    seen: set[str] = set()
    for device in (device for published in slices for device in published.devices):
        if device.name in seen:
            return f"duplicate device name {device.name}"
        seen.add(device.name)
    return ""


def _unknown_counter(counter_sets: Mapping[str, CounterSet], slices: Iterable[Slice]) -> str:
    for use in (use for published in slices for device in published.devices for use in device.consumes):
        known = counter_sets.get(use.counter_set)
        if known is None:
            return f"counter set {use.counter_set} not found"
        for counter in use.counters:
            if counter not in known.counters:
                return f"counter {counter} not found in counter set {use.counter_set}"
    return ""
