"""Devices for a pod's containers, at its admission."""

from collections import defaultdict
from collections.abc import Iterator

from aliquot.kube.pod import Container, Pod
from aliquot.sandbox.kubelet.device_plugins.allocations import Allocation, Allocations
from aliquot.sandbox.kubelet.device_plugins.endpoint import Endpoint, EndpointError
from aliquot.sandbox.kubelet.device_plugins.resources import Resources


class _Fault(Exception):  # noqa: N818 - becomes the answer of `allocate`
    """Why there are no devices."""


def allocate(pod: Pod, resources: Resources, allocations: Allocations) -> str | None:
    """Give the pod's containers their devices; None: they have them; else the kubelet's error, and nothing was taken.

    Init containers come first, and what they had is used again for the containers that follow, but for sidecars'.
    """
    reusable: defaultdict[str, set[str]] = defaultdict(set)
    with allocations.admission:
        try:
            for container in pod.init_containers:
                for resource, count in _asked(container, resources):
                    had = _take(pod, container, resource, count, reusable[resource], resources, allocations)
                    reusable[resource] = reusable[resource] - had if container.sidecar else reusable[resource] | had
            for container in pod.containers:
                for resource, count in _asked(container, resources):
                    reusable[resource] -= _take(
                        pod, container, resource, count, reusable[resource], resources, allocations
                    )
        except (_Fault, EndpointError) as fault:
            allocations.free(pod.meta.uid)
            return str(fault)
        allocations.save(resources.names())
    return None


def _asked(container: Container, resources: Resources) -> Iterator[tuple[str, int]]:
    """Limits decide; what no device plugin of this node has is passed over."""
    for resource, amount in sorted(container.limits.items()):
        if resources.counted(resource) and amount > 0:
            yield resource, amount


def _take(
    pod: Pod,
    container: Container,
    resource: str,
    count: int,
    reusable: set[str],
    resources: Resources,
    allocations: Allocations,
) -> set[str]:
    before = allocations.get(pod.meta.uid, container.name, resource)
    had = set(before.devices) if before is not None else set[str]()
    if before is not None and len(had) != count:
        raise _Fault(
            f'pod "{pod.meta.uid}" container "{container.name}" changed request for resource "{resource}" '
            f"from {len(had)} to {count}"
        )
    endpoint = resources.endpoint(resource)
    healthy = {name for name, device in resources.devices(resource).items() if device.healthy}
    if not healthy or endpoint is None:
        raise _Fault(f"no healthy devices present; cannot allocate unhealthy devices {resource}")
    if not had <= healthy:
        raise _Fault(
            f"previously allocated devices are no longer healthy; cannot allocate unhealthy devices {resource}"
        )
    if before is not None:
        return had
    chosen = _choose(endpoint, count, reusable & healthy, healthy - allocations.in_use(resource))
    gives = endpoint.allocate(chosen)
    allocations.put(
        Allocation(pod.meta.uid, container.name, resource, tuple(chosen), gives.SerializeToString(deterministic=True))
    )
    return set(chosen)


def _choose(endpoint: Endpoint, count: int, reusable: set[str], free: set[str]) -> list[str]:
    """What can be used again, then what the plugin prefers, then any. The real kubelet's order of "any" is chance."""
    chosen = sorted(reusable)[:count]
    needed = count - len(chosen)
    free -= set(chosen)
    if needed == 0:
        return chosen
    if len(free) < needed:
        raise _Fault(
            f"requested number of devices unavailable for {endpoint.resource}. "
            f"Requested: {needed}, Available: {len(free)}"
        )
    preferred = endpoint.prefer(sorted(free | set(chosen)), chosen, count) or []
    wished = [name for name in dict.fromkeys(preferred) if name in free][:needed]
    rest = sorted(free - set(wished))[: needed - len(wished)]
    return chosen + wished + rest
