"""One pod's claims over many nodes, kept up to date: after a change only the nodes that it touched are asked again."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from aliquot.allocation.answer import Answer
from aliquot.allocation.exact.allocator import Exact
from aliquot.dra.claim import Claim
from aliquot.kube.node import Node


@dataclass(slots=True)
class Survey:
    """The answers of all nodes to one set of claims. Pods from one template may share it: only specs matter."""

    engine: Exact
    claims: Sequence[Claim]
    nodes: Mapping[str, Node]
    """By name; another mapping needs another survey."""
    _answers: dict[str, Answer] = field(init=False, default_factory=dict[str, Answer])
    _seen: int = field(init=False, default=-1)

    @property
    def answers(self) -> Mapping[str, Answer]:
        """Node -> answer, as of the last `update`."""
        return self._answers

    def update(self) -> list[str]:
        """Asks the nodes that have changed since the last time (all, at first) and returns their names."""
        now = self.engine.changes
        if self._seen < 0:
            names = list(self.nodes)
        elif self._seen == now:
            return []
        else:
            names = [name for name in self.engine.changed_since(self._seen) if name in self.nodes]
        for name in names:
            self._answers[name] = self.engine.allocate(self.nodes[name], self.claims)
        self._seen = now
        return names
