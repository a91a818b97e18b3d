"""Ready-made engines for a Kubernetes version: how packages above get an allocator for a supply.

Verdicts of selectors are kept from one supply to the next: devices seldom change, and what is asked of them neither.
"""

from dataclasses import dataclass, field

from aliquot.allocation.behaviour import behaviour_of
from aliquot.allocation.exact.allocator import Exact
from aliquot.allocation.features import Features, implementation_of
from aliquot.allocation.inputs import Supply
from aliquot.allocation.reference.allocator import BUDGET, Reference
from aliquot.allocation.reference.node_devices import Scenes
from aliquot.allocation.rules.cel_selectors import selectors_of
from aliquot.allocation.rules.selectors import Selectors


@dataclass(slots=True, eq=False)
class SelectorStore:
    """Selectors by version and features."""

    _known: dict[tuple[str, Features], Selectors] = field(default_factory=dict[tuple[str, Features], Selectors])

    def of(self, kubernetes: str, features: Features) -> Selectors:
        """Returns the selectors of a version with these features, always the same ones."""
        known = self._known.get((kubernetes, features))
        if known is None:
            known = self._known[kubernetes, features] = selectors_of(kubernetes, features)
        return known


@dataclass(slots=True, eq=False)
class ReferenceEngines:
    """Makes what kube-scheduler uses: a new allocator for each pod."""

    budget: int = BUDGET
    """Devices that one call may test here."""
    store: SelectorStore = field(default_factory=SelectorStore)
    _latest: Scenes | None = None

    def __call__(self, supply: Supply, kubernetes: str) -> Reference:
        """Returns the allocator of this version for a supply."""
        behaviour, features = behaviour_of(kubernetes), supply.features
        scenes = self._latest
        if scenes is None or (scenes.behaviour, scenes.features, scenes.slices) != (behaviour, features, supply.slices):
            scenes = self._latest = Scenes(supply.slices, features, implementation_of(features), behaviour)
        selectors = self.store.of(kubernetes, features)
        return Reference(supply, selectors, behaviour, budget=self.budget, scenes=scenes)


@dataclass(slots=True, eq=False)
class ExactEngines:
    """Makes correct allocators; one for all pods that are tried on the same supply."""

    store: SelectorStore = field(default_factory=SelectorStore)
    _latest: Exact | None = None

    def __call__(self, supply: Supply, kubernetes: str) -> Exact:
        """Returns the allocator for a supply, the latest one again if it's the same supply."""
        if self._latest is None or self._latest.supply is not supply:
            self._latest = Exact(supply, self.store.of(kubernetes, supply.features))
        return self._latest
