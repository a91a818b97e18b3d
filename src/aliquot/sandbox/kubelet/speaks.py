"""Which interfaces the kubelet of a release speaks."""

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
    dra = (DRA_V1, DRA_V1BETA1) if ga else (DRA_V1BETA1,) if minor >= 32 else ()
    health = ((HEALTH_V1, HEALTH_V1ALPHA1) if minor >= 37 else (HEALTH_V1ALPHA1,)) if ga else ()
    return Speaks(
        dra=dra,
        health=health if kubernetes.on("ResourceHealthStatus") else (),
        rolling_update=minor >= 33,
        claims_in_pod_resources=ga and kubernetes.on("KubeletPodResourcesDynamicResources"),
        get_pod_resources=ga and kubernetes.on("KubeletPodResourcesGet"),
    )
