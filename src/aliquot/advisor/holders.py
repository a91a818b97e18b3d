"""Who holds the devices that a pod waits for."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from aliquot.advisor.gpus import family
from aliquot.advisor.owners import OwnerRef, owner_of
from aliquot.kube.pod import Pod
from aliquot.snapshot.effective import effective_request
from aliquot.snapshot.snapshot import Snapshot


@dataclass(frozen=True, slots=True)
class Holding:
    """A pod's hold on a node's devices."""

    pod: Pod
    owner: OwnerRef
    node: str
    resource: str
    amount: int
    total: int
    """What the node offers of the resource."""

    @property
    def since(self) -> str | None:
        """When the pod started, else was made (RFC 3339)."""
        return self.pod.started or self.pod.meta.created


def holdings(snapshot: Snapshot, nodes: Iterable[str], wanted: Mapping[str, int]) -> tuple[Holding, ...]:
    """Holders of the wanted resources, and of others that are cut from the same GPUs, on these nodes."""
    families = {family(name) for name in wanted}
    found: list[Holding] = []
    for node in nodes:
        offers = snapshot.nodes[node].allocatable
        names = [name for name, amount in offers.items() if amount and "/" in name and family(name) in families]
        if not names:
            continue
        for pod in snapshot.pods_on(node):
            request = effective_request(pod)
            found += [
                Holding(pod, owner_of(snapshot, pod), node, name, request[name], offers[name])
                for name in names
                if request.get(name)
            ]
    return tuple(sorted(found, key=lambda one: (one.node, one.resource, one.pod.key)))
