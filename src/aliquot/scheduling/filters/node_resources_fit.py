"""NodeResourcesFit: what the pod asks in total against what the node has left."""

from collections.abc import Collection

from aliquot.kube.node import Resources
from aliquot.kube.release import Kubernetes
from aliquot.scheduling.filters.reason import Reason
from aliquot.scheduling.versions import sees_hopeless_requests
from aliquot.snapshot.load import NodeLoad

FILTER = "NodeResourcesFit"
TOO_MANY_PODS = "Too many pods"
_BINARY = (("Ei", 60), ("Pi", 50), ("Ti", 40), ("Gi", 30), ("Mi", 20), ("Ki", 10))
BYTES = ("memory", "ephemeral-storage", "storage")


def short(request: Resources, load: NodeLoad, delegated: Collection[str], kubernetes: Kubernetes) -> tuple[Reason, ...]:
    """Every resource of which there's too little.

    Args:
        request: The pod's effective request.
        load: The node.
        delegated: Resources that a device class serves where the node doesn't offer them itself: not judged there.
        kubernetes: Up to 1.33 a request above the node's whole is thought curable by preemption.
    """
    found: list[Reason] = []
    allocatable = load.node.allocatable
    if load.free("pods") < 1:
        total, used = allocatable.get("pods", 0), len(load.pods)
        found.append(_reason("pods", TOO_MANY_PODS, 1, used, total, hopeless=False))
    for name, asked in request.items():
        total = allocatable.get(name, 0)
        if asked <= 0 or (name in delegated and total <= 0):
            continue
        used = load.requested.get(name, 0)
        if asked > total - used:
            hopeless = sees_hopeless_requests(kubernetes) and asked > total
            found.append(_reason(name, f"Insufficient {name}", asked, used, total, hopeless=hopeless))
    return tuple(found)


def _reason(name: str, text: str, asked: int, used: int, total: int, *, hopeless: bool) -> Reason:
    free = total - used
    return Reason(
        FILTER,
        text,
        asked=amount_text(name, asked),
        found=f"{amount_text(name, max(free, 0))} free of {amount_text(name, total)}",
        missing=amount_text(name, asked - free),
        preemptible=not hopeless,
        subject=name,
        asked_amount=asked,
        used_amount=used,
        total_amount=total,
    )


def amount_text(resource: str, amount: int) -> str:
    """An amount as Kubernetes writes it: cpu in cores or milli-cores, bytes with the largest suffix that is exact."""
    if resource == "cpu":
        return f"{amount}m" if amount % 1000 else str(amount // 1000)
    if resource in BYTES or resource.startswith("hugepages-"):
        for suffix, bits in _BINARY:
            if amount and amount % (1 << bits) == 0:
                return f"{amount >> bits}{suffix}"
    return str(amount)
