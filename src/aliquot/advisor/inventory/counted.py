"""Resources that device plugins count."""

from aliquot.advisor.case import is_extended
from aliquot.advisor.gpus import GPU, MIG_PREFIX, SHARING, gpus_of
from aliquot.advisor.inventory.value import Counted, Hold
from aliquot.advisor.owners import owner_of
from aliquot.kube.node import Node
from aliquot.snapshot.snapshot import Snapshot


def counted(snapshot: Snapshot, node: Node) -> tuple[Counted, ...]:
    """Of a node, by name; what has neither capacity nor holders isn't told."""
    names = {name for name in (*node.allocatable, *node.capacity) if is_extended(name)}
    found: list[Counted] = []
    for name in sorted(names):
        holds = tuple(
            Hold(
                owner_of(snapshot, pod),
                (pod.key,),
                amount,
                since=pod.started or pod.meta.created or "",
                terminating=pod.terminating,
            )
            for pod, amount in snapshot.holders(node.name, name)
        )
        allocatable, capacity = node.allocatable.get(name, 0), node.capacity.get(name, 0)
        if allocatable or capacity or holds:
            sharing, replicas = _sharing(node, name)
            found.append(Counted(name, allocatable, capacity, holds, sharing, replicas))
    return tuple(found)


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
