"""A node's counted resources: how many there are, who holds them, how many are left."""

from dataclasses import dataclass

from aliquot.advisor.case import is_extended
from aliquot.advisor.causes.holders import HeldBy, held_by
from aliquot.snapshot.snapshot import Snapshot

PLAIN = ("cpu", "memory")


@dataclass(frozen=True, slots=True)
class Counted:
    """One resource of a node, in the units of `kube.node.Resources`."""

    resource: str
    capacity: int
    allocatable: int
    held: int | None
    """None: unknown, since the input has no pods."""
    holders: tuple[HeldBy, ...]

    @property
    def free(self) -> int | None:
        """What is left; negative where more is asked for than there is. None: unknown."""
        return None if self.held is None else self.allocatable - self.held

    @property
    def withheld(self) -> int:
        """Device resources that the node counts and doesn't give: the device plugin reports them unhealthy."""
        return max(0, self.capacity - self.allocatable) if is_extended(self.resource) else 0


def counted(snapshot: Snapshot, node: str) -> tuple[Counted, ...]:
    """Device resources first, then cpu and memory; those of which there's nothing and nobody asks are left out."""
    load = snapshot.load(node)
    offers, has, used = load.node.allocatable, load.node.capacity, load.requested
    names = [name for name in sorted({*offers, *has, *used}) if is_extended(name)]
    known = "Pod" in snapshot.kinds
    return tuple(
        Counted(
            name,
            has.get(name, offers.get(name, 0)),
            offers.get(name, 0),
            used.get(name, 0) if known else None,
            tuple(held_by(snapshot, (node,), name)) if is_extended(name) else (),
        )
        for name in (*names, *PLAIN)
        if offers.get(name) or has.get(name) or used.get(name)
    )
