"""The allocators of one Kubernetes, ready-made: how packages above get one for a supply, or for a pod's claims.

Verdicts of selectors are kept from one supply to the next: devices seldom change, and what is asked of them neither.
"""

from dataclasses import dataclass, field

from aliquot.allocation.allocator_features import Features, implementation_of
from aliquot.allocation.behaviour import behaviour_of
from aliquot.allocation.claims.pod_check import Checked, prepare
from aliquot.allocation.exact.allocator import Exact
from aliquot.allocation.inputs import Supply
from aliquot.allocation.reference.allocator import BUDGET, Reference
from aliquot.allocation.reference.node_devices import Scenes
from aliquot.allocation.rules.cel_selectors import selectors_of
from aliquot.allocation.rules.selectors import Selectors
from aliquot.kube.pod import Pod
from aliquot.kube.release import Kubernetes
from aliquot.snapshot.snapshot import Snapshot


@dataclass(slots=True, eq=False)
class Engines:
    """Makes allocators: `reference` is what this Kubernetes uses, `exact` the correct one."""

    kubernetes: Kubernetes
    exact_decides: bool = False
    """Whether `prepare` asks the correct allocator rather than the one that this Kubernetes uses."""
    budget: int = BUDGET
    """Devices that one call of the reference may test here."""
    _selectors: dict[Features, Selectors] = field(default_factory=dict[Features, Selectors])
    _scenes: Scenes | None = None
    _exact: Exact | None = None

    def prepare(self, snapshot: Snapshot, pod: Pod) -> Checked:
        """Looks at a pod's claims once, to try them on nodes; see `claims.pod_check.prepare`."""
        return prepare(snapshot, pod, self.kubernetes, self.exact if self.exact_decides else self.reference)

    def selectors(self, features: Features) -> Selectors:
        """Returns the selectors with these features, always the same ones."""
        known = self._selectors.get(features)
        if known is None:
            known = self._selectors[features] = selectors_of(self.kubernetes, features)
        return known

    def reference(self, supply: Supply) -> Reference:
        """Returns what kube-scheduler uses: a new allocator for each pod."""
        behaviour, features = behaviour_of(self.kubernetes), supply.features
        scenes = self._scenes
        if scenes is None or (scenes.features, scenes.slices) != (features, supply.slices):
            scenes = self._scenes = Scenes(supply.slices, features, implementation_of(features), behaviour)
        return Reference(supply, self.selectors(features), behaviour, budget=self.budget, scenes=scenes)

    def exact(self, supply: Supply) -> Exact:
        """Returns the correct allocator for a supply, the latest one again if it's the same supply."""
        if self._exact is None or self._exact.supply is not supply:
            self._exact = Exact(supply, self.selectors(supply.features))
        return self._exact
