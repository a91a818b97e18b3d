"""Resources that device plugins count."""

from aliquot.advisor.case import is_extended
from aliquot.advisor.gpus import GPU, MIG_PREFIX, SHARING, gpus_of
from aliquot.advisor.inventory.value import Counted, Hold
from aliquot.advisor.owners import owner_of
from aliquot.allocation.claims.extended import classes_by_resource
from aliquot.kube.node import Node
from aliquot.snapshot.snapshot import Snapshot


def counted(snapshot: Snapshot, node: Node, also: tuple[str, ...] = ()) -> tuple[Counted, ...]:
    """Of a node, by name, then `also`, which aren't devices; what there's none of and nobody asks for isn't told."""
    mapped = classes_by_resource(snapshot.classes.values())  # what a class serves is held by claims
    asked = {name for name in snapshot.load(node.name).requested if name not in mapped}
    names = sorted(name for name in {*node.allocatable, *node.capacity, *asked} if is_extended(name))
    every = (_counted(snapshot, node, name) for name in (*names, *also))
    return tuple(one for one in every if one.allocatable or one.capacity or one.holds)


def _counted(snapshot: Snapshot, node: Node, name: str) -> Counted:
    holds = [
        Hold(
            owner_of(snapshot, pod),
            (pod.key,),
            amount,
            since=pod.started or pod.meta.created or "",
            terminating=pod.terminating,
        )
        for pod, amount in snapshot.holders(node.name, name)
    ]
    allocatable = node.allocatable.get(name, 0)
    sharing, replicas = _sharing(node, name)
    return Counted(
        name,
        allocatable,
        node.capacity.get(name, allocatable),
        tuple(sorted(holds, key=lambda hold: (-hold.amount, hold.pods))),  # in whatever order pods were read
        sharing,
        replicas,
        known="Pod" in snapshot.kinds,
    )


def _sharing(node: Node, resource: str) -> tuple[str, int]:
    """How the node's labels (GPU feature discovery) say that its GPUs are shared."""
    if not resource.startswith(GPU) or resource.startswith(MIG_PREFIX):
        return "", 1
    gpus = gpus_of(node)
    replicas = gpus.replicas if gpus is not None else 1
    strategy = node.meta.labels.get(SHARING, "none")
    if strategy not in ("", "none"):
        return strategy, replicas
    return ("shared", replicas) if resource.endswith(".shared") or replicas > 1 else ("", 1)
