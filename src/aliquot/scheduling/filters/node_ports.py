"""NodePorts: a host port is taken once per node, protocol and address; 0.0.0.0 is every address."""

from collections.abc import Iterable

from aliquot.kube.pod import HostPort, Pod
from aliquot.scheduling.filters.reason import Reason
from aliquot.snapshot.load import NodeLoad

FILTER = "NodePorts"
TEXT = "node(s) didn't have free ports for the requested pod ports"
EVERY_ADDRESS = ("0.0.0.0", "")  # noqa: S104 - the API's way to say all addresses


def host_ports(pod: Pod) -> tuple[HostPort, ...]:
    """The host ports that a pod keeps while it runs: those of containers and sidecars, not of init containers."""
    containers = (*(c for c in pod.init_containers if c.sidecar), *pod.containers)
    return tuple(port for container in containers for port in container.ports if port.port > 0)


def clash(one: HostPort, other: HostPort) -> bool:
    """Whether both can't be had on one node."""
    if one.port != other.port or (one.protocol or "TCP") != (other.protocol or "TCP"):
        return False
    return one.ip == other.ip or one.ip in EVERY_ADDRESS or other.ip in EVERY_ADDRESS


def taken_ports(wanted: Iterable[HostPort], load: NodeLoad) -> tuple[Reason, ...]:
    """Each wanted port that a pod on the node holds, and which pod."""
    found: list[Reason] = []
    for port in wanted:
        holder = next((p for p in load.pods.values() if any(clash(port, theirs) for theirs in host_ports(p))), None)
        if holder is not None:
            name = f"{port.port}/{port.protocol or 'TCP'}"
            found.append(
                Reason(
                    FILTER,
                    TEXT,
                    asked=f"host port {name}",
                    found=f"held by {holder.key}",
                    missing=name,
                    preemptible=True,
                    subject=name,
                    counts=not found,
                )
            )
    return tuple(found)
