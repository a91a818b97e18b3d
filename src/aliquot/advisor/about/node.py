"""What a node's devices do: how many, who holds them, what is left, and why nothing more fits."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from aliquot.advisor.about.asking import Asking, asking
from aliquot.advisor.about.devices import Published, published
from aliquot.advisor.about.holds import Hold, holds
from aliquot.advisor.case import is_extended
from aliquot.advisor.causes.cause import number
from aliquot.advisor.causes.holders import HeldBy, held_by
from aliquot.advisor.gpus import PRODUCT
from aliquot.advisor.inventory.counted import counted
from aliquot.advisor.inventory.value import Counted
from aliquot.kube.node import Node
from aliquot.scheduling.scheduler import Scheduler
from aliquot.snapshot.snapshot import Snapshot

PLAIN = ("cpu", "memory")


@dataclass(frozen=True, slots=True, kw_only=True)
class AboutNode:
    """A node's story."""

    node: Node
    product: str
    """Which GPUs, by the node's labels; empty: it doesn't say."""
    counted: tuple[Counted, ...]
    """Device resources, then cpu and memory."""
    holders: Mapping[str, tuple[HeldBy, ...]]
    """Of each device resource: whose pods hold it."""
    published: Published
    claims_known: bool
    """False: the input has no claims, so that nobody knows which DRA devices are held."""
    holds: tuple[Hold, ...]
    """Who holds its DRA devices."""
    obstacles: tuple[str, ...]
    """What keeps pods away whatever is free: cordon, taints, not ready."""
    unknown: tuple[str, ...]
    """What the input doesn't hold, and what can't be told without it."""
    asking: tuple[Asking, ...]
    sentence: str
    """The answer in short."""


def about_node(snapshot: Snapshot, name: str, scheduler: Scheduler, spare: Snapshot | None = None) -> AboutNode:
    """The story of a node of the snapshot."""
    node = snapshot.nodes[name]
    resources = counted(snapshot, node, PLAIN)
    drivers = published(snapshot, node, scheduler)
    return AboutNode(
        node=node,
        product=node.meta.labels.get(PRODUCT, ""),
        counted=resources,
        holders={
            one.resource: tuple(held_by(snapshot, (name,), one.resource))
            for one in resources
            if is_extended(one.resource)
        },
        published=drivers,
        claims_known=_claims_known(snapshot),
        holds=holds(snapshot, drivers.pools),
        obstacles=tuple(_obstacles(node)),
        unknown=tuple(_unknown(snapshot)),
        asking=asking(snapshot, name, bool(drivers.pools or drivers.troubles), scheduler, spare),
        sentence=_sentence(snapshot, node, resources, drivers),
    )


def _obstacles(node: Node) -> Iterator[str]:
    if node.unschedulable:
        yield "cordoned: no new pod is placed here"
    if node.ready is False:
        yield "not ready"
    elif node.unheard is not None:
        said = node.unheard.strip().rstrip(".")
        yield "not ready: its kubelet doesn't answer" + (f" ({said})" if said else "")
    elif node.ready is None:
        yield "whether it's ready, the input doesn't say"
    for taint in node.taints:
        if not (node.unschedulable and taint.key == "node.kubernetes.io/unschedulable"):
            yield f"taint {taint}: " + (
                "pods that don't tolerate it are placed here last"
                if taint.effect == "PreferNoSchedule"
                else "only for pods that tolerate it"
            )


def _claims_known(snapshot: Snapshot) -> bool:
    return "ResourceClaim" in snapshot.kinds


def _unknown(snapshot: Snapshot) -> Iterator[str]:
    if "Pod" not in snapshot.kinds:
        yield "The input has no pods: who holds what, and who waits, is unknown."
    if snapshot.slices and not _claims_known(snapshot):
        yield "The input has ResourceSlices and no ResourceClaims: which devices are held is unknown."


def _sentence(snapshot: Snapshot, node: Node, resources: tuple[Counted, ...], drivers: Published) -> str:
    parts = list(_parts(snapshot, resources, drivers))
    if not parts:
        return f"Node {node.name} has no counted devices, and the input has no DRA devices for it."
    return f"Node {node.name}: {'; '.join(parts)}."


def _parts(snapshot: Snapshot, resources: tuple[Counted, ...], drivers: Published) -> Iterator[str]:
    for one in resources:
        if not is_extended(one.resource):
            continue
        if one.left is None:
            yield f"{one.allocatable} {one.resource} (how many are held is unknown)"
        elif one.left < 0:
            yield f"{-one.left} {one.resource} more are asked for by its pods than the {one.allocatable} it gives"
        else:
            yield f"{one.free} of {one.allocatable} {one.resource} free"
        if one.withheld:
            yield f"{one.withheld} of {one.capacity} {one.resource} not given, as with devices reported unhealthy"
    for pool in drivers.pools:
        what = number(len(pool.devices), "device")
        where = f"{pool.driver}/{pool.pool}"
        if _claims_known(snapshot):
            free = sum(1 for one in pool.devices if one.free)
            yield f"{free} of {what} of {where} could still be given to a claim, each by itself"
        else:
            yield f"{what} of {where} (which are held is unknown)"
    for trouble in drivers.troubles:
        if trouble.state in ("incomplete", "invalid", "outdated"):
            yield f"pool {trouble.driver}/{trouble.pool} supplies nothing: it's {trouble.state} ({trouble.detail})"
    if drivers.error:
        yield f"its DRA devices can't be told: {drivers.error}"
