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
    for device in (one for pool in pools for one in pool.devices):
        for hold in (one for one in device.holds if not one.admin):
            users = [snapshot.pods[key] for key in hold.pods]
            owners: set[OwnerRef | None] = {owner_of(snapshot, pod) for pod in users}
            for owner in owners or {None}:
                mine = {pod.key: pod for pod in users if owner_of(snapshot, pod) == owner}
                pods.setdefault(owner, {}).update(mine)
                claims.setdefault(owner, set()).add(hold.claim)
                devices.setdefault(owner, set()).add(str(device.id))
    found = [
        Hold(owner, tuple(pods[owner].values()), tuple(sorted(claims[owner])), len(devices[owner])) for owner in devices
    ]
    return tuple(sorted(found, key=lambda one: (-one.devices, one.owner.full if one.owner is not None else "")))
