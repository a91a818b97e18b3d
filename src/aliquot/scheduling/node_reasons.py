"""Every failing filter of every node, reckoned when asked for, nodes that can't differ only once."""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass

from aliquot.scheduling.bulk_filters import amounts, node_table
from aliquot.scheduling.cycle import Cycle
from aliquot.scheduling.filter_order import every_failure
from aliquot.scheduling.filter_phase import nominated_ahead
from aliquot.scheduling.filters.reason import Reason
from aliquot.scheduling.outcome import NodeGroup
from aliquot.snapshot.snapshot import Snapshot


@dataclass(frozen=True, slots=True)
class Reckoned:
    """Every failing filter of every node, reckoned when asked for (`outcome.NodeReasons`)."""

    snapshot: Snapshot
    cycle: Cycle
    kind: Hashable
    """The pod's shape."""
    asked: Hashable
    """Shape and scheduler: what the answers depend on beside the snapshot."""

    def reasons(self, node: str) -> tuple[Reason, ...]:
        """Of one node, with room left for the pods promised to it."""
        if node not in self.snapshot.nodes:
            raise KeyError(node)
        load = self.snapshot.load(node)
        waiting = nominated_ahead(self.snapshot, self.cycle.pod, node)
        if waiting:
            fuller = load
            for pod in waiting:
                fuller = fuller.plus(pod)
            found = every_failure(self.cycle.moved(load, waiting, 1), fuller)
            if found:
                return found
        return every_failure(self.cycle, load)

    def groups(self) -> tuple[NodeGroup, ...]:
        """Nodes with the same reasons together, in the order of their first."""
        return self.snapshot.recall(("reasons", self.asked), self._groups)

    def _groups(self, snapshot: Snapshot) -> tuple[NodeGroup, ...]:
        found: dict[tuple[Reason, ...], list[str]] = {}
        known: dict[Hashable, list[str]] = {}
        keys = self._alike(snapshot)
        for node in snapshot.nodes:
            key = keys.get(node)
            alike = known.get(key) if key is not None else None
            if alike is None:
                alike = found.setdefault(self.reasons(node), [])
                if key is not None:
                    known[key] = alike
            alike.append(node)
        return tuple(NodeGroup(tuple(nodes), reasons) for reasons, nodes in found.items())

    def _alike(self, snapshot: Snapshot) -> Mapping[str, Hashable]:
        """Node -> a key that says all its reasons depend on; nodes without one are reckoned one by one."""
        cycle = self.cycle
        if cycle.claims or cycle.ports or cycle.pod.needs_features:
            return {}
        labels = cycle.topology_keys()
        known = node_table(snapshot.root, cycle, self.kind)
        columns = [amounts(snapshot.root, resource) for resource in known.resources]
        apart = snapshot.changed | snapshot.nominated().keys()
        told = {
            key: [amount for code, pair in zip(key[2:], columns, strict=True) if code for amount in pair]
            for key in known.outcomes
        }
        keys: dict[str, Hashable] = {}
        for nth, (node, key) in enumerate(zip(snapshot.root.nodes, known.keys, strict=True)):
            if node not in apart:
                there = snapshot.nodes[node].meta.labels
                keys[node] = (key, *[amount[nth] for amount in told[key]], *[there.get(label) for label in labels])
        return keys
