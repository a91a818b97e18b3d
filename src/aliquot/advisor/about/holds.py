"""Who holds a node's DRA devices: the owners of the pods that the claims are reserved for."""

from collections.abc import Iterable
from dataclasses import dataclass

from aliquot.advisor.about.devices import PoolSeen
from aliquot.advisor.causes.cause import listed
from aliquot.advisor.causes.holders import HeldBy
from aliquot.advisor.owners import OwnerRef, owner_of
from aliquot.kube.pod import Pod
from aliquot.snapshot.snapshot import Snapshot


@dataclass(frozen=True, slots=True)
class Hold:
    """An owner's hold on devices of the node, through claims."""

    owner: OwnerRef | None
    """None: no bound pod in the input that goes on has these claims reserved."""
    pods: tuple[Pod, ...]
    claims: tuple[str, ...]
    devices: int
    """Devices that these claims hold here; one that owners share counts for each of them."""

    @property
    def words(self) -> str:
        """`ml/train-0 (job/train)`, or `claim ml/spare, which no running pod in the input has reserved`."""
        if self.owner is None:
            many = len(self.claims) > 1
            return f"claim{'s' if many else ''} {listed(self.claims)}, which no running pod in the input has reserved"
        return HeldBy(self.owner, self.pods, self.devices).words


def holds(snapshot: Snapshot, pools: Iterable[PoolSeen]) -> tuple[Hold, ...]:
    """The holders, those with most devices first."""
    pods: dict[OwnerRef | None, dict[str, Pod]] = {}
    claims: dict[OwnerRef | None, set[str]] = {}
    devices: dict[OwnerRef | None, set[str]] = {}
    for pool in pools:
        for seen in pool.devices:
            for key in seen.claims:
                for owner, pod in _users(snapshot, key) or [(None, None)]:
                    if pod is not None:
                        pods.setdefault(owner, {})[pod.key] = pod
                    claims.setdefault(owner, set()).add(key)
                    devices.setdefault(owner, set()).add(f"{pool.driver}/{pool.pool}/{seen.device.name}")
    found = [
        Hold(owner, tuple(pods.get(owner, {}).values()), tuple(sorted(claims[owner])), len(devices[owner]))
        for owner in devices
    ]
    return tuple(sorted(found, key=lambda one: (-one.devices, one.owner.full if one.owner is not None else "")))


def _users(snapshot: Snapshot, key: str) -> list[tuple[OwnerRef | None, Pod | None]]:
    """Bound pods that the claim is reserved for: one without a node holds nothing yet, one that ended needs none."""
    found: list[tuple[OwnerRef | None, Pod | None]] = []
    for consumer in snapshot.claims[key].reserved_for:
        pod = snapshot.pods.get(f"{key.partition('/')[0]}/{consumer.name}") if consumer.resource == "pods" else None
        same = pod is not None and consumer.uid in ("", pod.meta.uid or consumer.uid)
        if pod is not None and same and pod.node_name and not pod.terminal:
            found.append((owner_of(snapshot, pod), pod))
    return found
