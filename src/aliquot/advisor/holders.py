"""Who holds the devices that a pod waits for."""

from collections.abc import Collection, Iterable, Iterator, Mapping
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
    devices: tuple[str, ...] = ()
    """Of DRA: which devices; `resource` is then the driver."""

    @property
    def since(self) -> str | None:
        """When the pod started, else was made (RFC 3339)."""
        return self.pod.started or self.pod.meta.created


@dataclass(frozen=True, slots=True)
class Total:
    """What an owner's pods hold of a resource, all of them together."""

    owner: OwnerRef
    resource: str
    amount: int
    pods: tuple[str, ...]
    """Their keys."""
    nodes: tuple[str, ...]
    since: str
    """Of the first of them (RFC 3339); empty where nobody says."""


def totals(found: Iterable[Holding]) -> tuple[Total, ...]:
    """By owner and resource, those with most first."""
    several: dict[tuple[OwnerRef, str], list[Holding]] = {}
    for one in found:
        several.setdefault((one.owner, one.resource), []).append(one)
    made = [
        Total(
            owner,
            resource,
            sum(one.amount for one in same),
            tuple(dict.fromkeys(one.pod.key for one in same)),
            tuple(dict.fromkeys(one.node for one in same)),
            min((one.since for one in same if one.since), default=""),
        )
        for (owner, resource), same in several.items()
    ]
    return tuple(sorted(made, key=lambda one: -one.amount))


def holdings(
    snapshot: Snapshot, nodes: Collection[str], wanted: Mapping[str, int], *, claims: bool
) -> tuple[Holding, ...]:
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
    if claims:
        found += _by_claims(snapshot, frozenset(nodes))
    nth = {node: number for number, node in enumerate(nodes)}
    return tuple(sorted(found, key=lambda one: (nth.get(one.node, 0), one.resource, one.pod.priority, one.pod.key)))


def _by_claims(snapshot: Snapshot, nodes: frozenset[str]) -> Iterator[Holding]:
    """Devices that allocated claims hold on these nodes, by each pod that the claim is reserved for."""
    totals: dict[tuple[str, str], int] = {}
    for one in snapshot.slices.values():
        totals[one.driver, one.pool] = totals.get((one.driver, one.pool), 0) + len(one.devices)
    for claim in snapshot.claims.values():
        if claim.allocation is None:
            continue
        for consumer in claim.reserved_for:
            pod = snapshot.pods.get(f"{claim.meta.namespace}/{consumer.name}")
            if pod is None or pod.node_name not in nodes:
                continue
            pools: dict[tuple[str, str], list[str]] = {}
            for result in claim.allocation.results:
                pools.setdefault((result.device.driver, result.device.pool), []).append(result.device.device)
            for (driver, pool), devices in pools.items():
                owner = owner_of(snapshot, pod)
                total = totals.get((driver, pool), len(devices))
                yield Holding(pod, owner, pod.node_name, driver, len(devices), total, tuple(devices))
