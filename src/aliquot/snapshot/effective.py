"""What a pod asks of a node in total, as the scheduler and the kubelet reckon it.

The rule is the API's (component-helpers `resource.PodRequests`, the sidecar KEP 753): containers and sidecars run
together, so they add up; an init container runs beside the sidecars started before it, and the dearest such moment
counts if it's above the sum; pod-level requests replace the sum for cpu, memory and huge pages; overhead comes on top.
"""

from collections.abc import Mapping

from aliquot.kube.node import Resources
from aliquot.kube.pod import Container, Pod


def effective_request(pod: Pod) -> Resources:
    """Resource name -> amount, in the units of `kube.node.Resources`; without `pods` (a pod takes one of those)."""
    containers = pod.containers
    if len(containers) == 1 and not pod.init_containers and not pod.overhead and pod.pod_requests is None:
        return containers[0].requests  # by far the commonest pod
    total: dict[str, int] = {}
    for container in containers:
        _add(total, container.requests)
    sidecars: dict[str, int] = {}
    peak: dict[str, int] = {}
    for container in pod.init_containers:
        if container.sidecar:
            _add(total, container.requests)
            _add(sidecars, container.requests)
            moment = sidecars
        else:
            moment = dict(sidecars)
            _add(moment, container.requests)
        for name, amount in moment.items():
            peak[name] = max(peak.get(name, 0), amount)
    for name, amount in peak.items():
        total[name] = max(total.get(name, 0), amount)
    whole_pod = (pod.pod_requests or {}).items()
    total |= {n: amount for n, amount in whole_pod if n in ("cpu", "memory") or n.startswith("hugepages-")}
    _add(total, pod.overhead)
    return total


def running(pod: Pod) -> tuple[Container, ...]:
    """The containers that run together: its containers and sidecars."""
    return (*pod.containers, *(one for one in pod.init_containers if one.sidecar))


def starting_first(pod: Pod) -> dict[str, tuple[Container, int]]:
    """Resources of which an init container asks for more than all that runs after it.

    Returns:
        Resource name -> the init container that asks for most, and what runs afterwards asks for together.
    """
    after: dict[str, int] = {}
    for container in running(pod):
        _add(after, container.requests)
    found: dict[str, tuple[Container, int]] = {}
    for container in pod.init_containers:
        for name, amount in container.requests.items():
            rest = after.get(name, 0)
            if not container.sidecar and amount > (found[name][0].requests[name] if name in found else rest):
                found[name] = container, rest
    return found


def _add(total: dict[str, int], more: Mapping[str, int]) -> None:
    for name, amount in more.items():
        total[name] = total.get(name, 0) + amount
