"""Which interfaces the kubelet of a release speaks, with its feature gates; only a kubelet asks for these gates."""

from dataclasses import dataclass

from aliquot.kube.release import Kubernetes
from aliquot.node.protos.services import DRA_V1, DRA_V1BETA1, HEALTH_V1, HEALTH_V1ALPHA1


@dataclass(frozen=True, slots=True)
class Speaks:
    """Interfaces by the names of PluginInfo.supported_versions, and what depends on gates."""

    dra: tuple[str, ...]
    """Services to prepare claims with. The plugin's order decides between them, not this one."""
    health: tuple[str, ...]
    """Services to watch health with, the preferred one first; empty: it isn't watched."""
    rolling_update: bool
    """A driver may have several plugins at a time."""
    claims_in_pod_resources: bool
    get_pod_resources: bool


def speaks(kubernetes: Kubernetes) -> Speaks:
    """For a release: 1.31 and older know only alpha versions, which aren't spoken here."""
    minor = kubernetes.minor
    ga = minor >= 34
    changed = dict(kubernetes.gates)
    dra = (DRA_V1, DRA_V1BETA1) if ga else (DRA_V1BETA1,) if minor >= 32 else ()
    health = (HEALTH_V1, HEALTH_V1ALPHA1) if minor >= 37 else (HEALTH_V1ALPHA1,)
    return Speaks(
        dra=dra,
        health=health if ga and changed.get("ResourceHealthStatus", minor >= 36) else (),
        rolling_update=minor >= 33,
        claims_in_pod_resources=ga and changed.get("KubeletPodResourcesDynamicResources", True),
        get_pod_resources=ga and changed.get("KubeletPodResourcesGet", True),
    )
