"""What a pod uses and nothing here judges. It's named, so that an answer isn't taken for more than it is."""

from aliquot.kube.pod import Pod, Volume
from aliquot.kube.release import Kubernetes
from aliquot.scheduling.cycle import delegated, served_resources
from aliquot.scheduling.filters.pod_volumes import unjudged
from aliquot.snapshot.effective import effective_request
from aliquot.snapshot.snapshot import Snapshot

BUDGETS = "pod disruption budgets: none is counted as violated by the preemption"
"""Said while the input holds none."""
TOPOLOGY = "gang scheduling: its constraints on topology"
GROUP_PREEMPTION = "gang scheduling: preemption for the group as a whole"
DEFAULT_SCHEDULER = "default-scheduler"
LEFT_VOLUMES = ("csi", "azureDisk", "cinder", "portworxVolume", "vsphereVolume")
"""Kinds of volumes in the pod itself that NodeVolumeLimits may count and nothing here does."""


def not_checked(
    snapshot: Snapshot, pod: Pod, kubernetes: Kubernetes, *, claims: bool, without_group: bool = True
) -> tuple[str, ...]:
    """Sentences for people, one for each thing.

    Args:
        snapshot: The cluster.
        pod: The pod.
        kubernetes: Of kube-scheduler.
        claims: Somebody answers for these.
        without_group: It was judged without the pods of its group.
    """
    found: list[str] = []
    if pod.scheduler_name not in ("", DEFAULT_SCHEDULER):
        found.append(f"scheduler {pod.scheduler_name}: judged as kube-scheduler with its defaults would")
    if pod.scheduling_group and without_group:
        found.append(f"gang scheduling: the pod is judged without its group {pod.scheduling_group}")
    left = set(unjudged(snapshot, pod)) if pod.volumes else set[Volume]()
    volumes = [v for v in pod.volumes if v in left or v.kind in LEFT_VOLUMES]
    if volumes:
        names = ", ".join(f"{v.name} ({v.kind}{' ' + v.claim_name if v.claim_name else ''})" for v in volumes)
        found.append(f"volumes: {names}")
    if not claims:
        if pod.claims:
            found.append(f"dynamic resources: claims {', '.join(claim.name for claim in pod.claims)}")
        mapped = sorted(delegated(snapshot, effective_request(pod), kubernetes))
        if mapped:
            served = served_resources(snapshot)
            names = ", ".join(f"{name} (device class {served[name].meta.name})" for name in mapped)
            found.append(f"dynamic resources: {names}")
    return tuple(found)
