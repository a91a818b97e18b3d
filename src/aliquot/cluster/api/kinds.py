"""What is asked of an API server: the kinds that decisions read, and for a dump those around them."""

from dataclasses import dataclass

from aliquot.cluster.items import kinds_read

ONLY_METADATA = frozenset({("", "Secret"), ("", "ConfigMap")})
"""Of these nobody needs more than that they are there; what is in them is never asked for."""

NEEDED = frozenset({("", "Node"), ("", "Pod")})
"""Without these there's nothing to judge."""

_SEEN_OTHERWISE = frozenset({("events.k8s.io", "Event")})
"""The same objects under another group."""

_AROUND: dict[tuple[str, str], tuple[str, ...]] = {
    ("", "PersistentVolumeClaim"): ("v1",),
    ("", "PersistentVolume"): ("v1",),
    ("", "ResourceQuota"): ("v1",),
    ("", "LimitRange"): ("v1",),
    ("", "ServiceAccount"): ("v1",),
    ("", "ConfigMap"): ("v1",),
    ("", "Secret"): ("v1",),
    ("storage.k8s.io", "StorageClass"): ("v1",),
    ("storage.k8s.io", "CSINode"): ("v1",),
    ("storage.k8s.io", "CSIDriver"): ("v1",),
    ("storage.k8s.io", "CSIStorageCapacity"): ("v1",),
    ("node.k8s.io", "RuntimeClass"): ("v1",),
    ("policy", "PodDisruptionBudget"): ("v1",),
    ("autoscaling", "HorizontalPodAutoscaler"): ("v2",),
    ("scheduling.k8s.io", "Workload"): ("v1alpha3", "v1alpha2", "v1alpha1"),
    ("scheduling.k8s.io", "PodGroup"): ("v1alpha3", "v1alpha2"),
    ("scheduling.x-k8s.io", "PodGroup"): ("v1alpha1",),
    ("scheduling.volcano.sh", "PodGroup"): ("v1beta1",),
    ("scheduling.volcano.sh", "Queue"): ("v1beta1",),
    ("scheduling.run.ai", "PodGroup"): ("v2alpha2",),
    ("scheduling.run.ai", "Queue"): ("v2",),
    ("kueue.x-k8s.io", "Workload"): ("v1beta2", "v1beta1"),
    ("kueue.x-k8s.io", "ClusterQueue"): ("v1beta2", "v1beta1"),
    ("kueue.x-k8s.io", "LocalQueue"): ("v1beta2", "v1beta1"),
    ("kueue.x-k8s.io", "ResourceFlavor"): ("v1beta2", "v1beta1"),
    ("karpenter.sh", "NodePool"): ("v1",),
    ("karpenter.sh", "NodeClaim"): ("v1",),
}
"""What else explains why pods wait: volumes, quotas, other schedulers, autoscalers; versions best first."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """A kind to list."""

    group: str
    kind: str
    versions: tuple[str, ...]
    """Best first."""

    @property
    def plural(self) -> str:
        """As in the path: `resourceslices`."""
        name = self.kind.lower()
        if name.endswith("y"):
            return name[:-1] + "ies"
        return name + ("es" if name.endswith("s") else "s")

    @property
    def resource(self) -> str:
        """As kubectl takes it: `resourceslices.resource.k8s.io`."""
        return f"{self.plural}.{self.group}" if self.group else self.plural

    @property
    def only_metadata(self) -> bool:
        """Its content isn't asked for."""
        return (self.group, self.kind) in ONLY_METADATA

    @property
    def needed(self) -> bool:
        """Without it nothing can be judged."""
        return (self.group, self.kind) in NEEDED

    def api_version(self, version: str) -> str:
        """As objects have it: `resource.k8s.io/v1`."""
        return f"{self.group}/{version}" if self.group else version

    def path(self, version: str) -> str:
        """Of the collection, in all namespaces."""
        return f"/apis/{self.group}/{version}/{self.plural}" if self.group else f"/api/{version}/{self.plural}"


def read_for_decisions() -> tuple[Wanted, ...]:
    """What decisions read; needed kinds first, so that a no to them comes before the rest was waited for."""
    found = [
        Wanted(group, kind, versions)
        for (group, kind), versions in kinds_read().items()
        if (group, kind) not in _SEEN_OTHERWISE
    ]
    return tuple(sorted(found, key=lambda wanted: not wanted.needed))


def is_known(api_version: str, kind: str) -> bool:
    """Whether a dump takes this kind, of whatever version."""
    return (api_version.rpartition("/")[0], kind) in _KNOWN


def read_for_a_dump() -> tuple[Wanted, ...]:
    """The same, and what else may explain something to somebody."""
    first = read_for_decisions()
    there = {(wanted.group, wanted.kind) for wanted in first}
    rest = (Wanted(group, kind, versions) for (group, kind), versions in _AROUND.items() if (group, kind) not in there)
    return (*first, *rest)


_KNOWN = frozenset((wanted.group, wanted.kind) for wanted in read_for_a_dump()) | _SEEN_OTHERWISE
