"""Pods and claims, and an API server that holds them, for tests of a node."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from aliquot.dra.claim import AllocatedDevice, Claim, ClaimAllocation, ClaimSpec, Consumer
from aliquot.dra.device import DeviceId
from aliquot.kube.meta import Meta
from aliquot.kube.pod import Container, ContainerClaim, Pod, PodClaim

GPU = "gpu.example.com"


class Api:
    """Holds claims, and for which drivers there are slices; `down`: it can't be reached."""

    def __init__(self) -> None:
        self.claims: dict[tuple[str, str], Claim] = {}
        self.slices: set[tuple[str, str]] = set()
        self.deleted: list[tuple[str, str | None]] = []
        self.down = False

    def add(self, *claims: Claim) -> None:
        for claim in claims:
            self.claims[claim.meta.namespace, claim.meta.name] = claim

    def claim(self, namespace: str, name: str) -> Claim | None:
        if self.down:
            raise ConnectionError("connection refused")
        return self.claims.get((namespace, name))

    def delete_slices(self, node: str, driver: str | None) -> None:
        if self.down:
            raise ConnectionError("connection refused")
        self.slices = {one for one in self.slices if one[0] != node or driver not in {None, one[1]}}
        self.deleted.append((node, driver))


def claim(
    name: str = "train",
    uid: str = "c-aaaa",
    *,
    drivers: Sequence[str] = (GPU,),
    pods: Sequence[str] = ("p-1",),
    request: str = "r0",
) -> Claim:
    """Allocated, a device of each driver, and reserved for pods by UID."""
    return Claim(
        Meta(name, "ml", uid=uid),
        ClaimSpec(),
        ClaimAllocation(tuple(AllocatedDevice(request, DeviceId(driver, "n1", "gpu-0")) for driver in drivers)),
        tuple(Consumer("pods", f"pod-{uid}", uid) for uid in pods),
    )


def pod(uid: str = "p-1", claims: Mapping[str, str] | None = None, uses: Sequence[ContainerClaim] = ()) -> Pod:
    """With claims (the pod's name of it -> the ResourceClaim's), and a container that uses them, all or these."""
    claims = {"gpu": "train"} if claims is None else claims
    return Pod(
        Meta(f"pod-{uid}", "ml", uid=uid),
        containers=(Container("main", claims=tuple(uses) or tuple(ContainerClaim(name) for name in claims)),),
        node_name="n1",
        claims=tuple(PodClaim(name, claim_name=claim_name) for name, claim_name in claims.items()),
    )


def asking(uid: str = "p-1", init: Sequence[Container] = (), **limits: int) -> Pod:
    """For counted devices, by the last part of `nvidia.com/…`; no claims."""
    amounts = {f"nvidia.com/{name}": amount for name, amount in limits.items()}
    main = Container("main", requests=amounts, limits=amounts)
    return replace(pod(uid, claims={}), containers=(main,), init_containers=tuple(init))
