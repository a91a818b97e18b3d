"""An exact allocator that follows what is committed: devices are taken and given back as claims come and go."""

from collections.abc import Iterable
from typing import Final

from aliquot.allocation.exact.allocator import Exact, KnownNode
from aliquot.allocation.exact.pool_allocations import PoolAllocations
from aliquot.allocation.rules.pools import PoolKey
from aliquot.dra.claim import ClaimAllocation
from aliquot.kube.node import Node

_NOTHING: Final = PoolAllocations()


class LiveExact(Exact):
    """Begins as another engine is, and changes by itself. Only the nodes that a change touches are looked at again.

    What the two know of nodes' devices they share: that doesn't change. Claims stay prepared through changes.
    """

    __slots__ = ("_seen_by", "_versions", "changes")

    def __init__(self, start: Exact) -> None:
        super().__init__(start.supply, start.cluster.selectors, start.budget, cluster=start.cluster)
        self.changes = 0
        """How many devices have been taken or given back so far."""
        self._seen_by = dict[PoolKey, dict[str, None]]()
        """Pool -> the nodes that see devices of it."""
        self._versions: dict[str, int] = {}
        """Node -> the number of the last change of what is left there, latest last."""

    def commit(self, allocations: Iterable[ClaimAllocation]) -> None:
        """Takes what claims have been allocated."""
        self._change(allocations, given=True)

    def release(self, allocations: Iterable[ClaimAllocation]) -> None:
        """Gives back what claims were allocated."""
        self._change(allocations, given=False)

    def changed_since(self, change: int) -> list[str]:
        """The nodes on which something was taken or given back after this change (see `changes`)."""
        names: list[str] = []
        for name in reversed(self._versions):
            if self._versions[name] <= change:
                break
            names.append(name)
        return names

    def _look(self, node: Node) -> KnownNode:
        known = super()._look(node)
        for key in known.view.devices.numbers:
            self._seen_by.setdefault(key, {})[node.meta.name] = None
        return known

    def _change(self, allocations: Iterable[ClaimAllocation], *, given: bool) -> None:
        shared = self.supply.features.consumable_capacity
        for result in (result for allocation in allocations for result in allocation.results):
            if result.admin_access:
                continue
            key = (result.device.driver, result.device.pool)
            before = self._allocations.get(key, _NOTHING)
            self._allocations[key] = (
                before.with_device(result, shared=shared) if given else before.without_device(result, shared=shared)
            )
            self.changes += 1
            for name in self._seen_by.get(key, ()):
                self._nodes[name].state = None
                self._versions.pop(name, None)  # so that it comes last
                self._versions[name] = self.changes
