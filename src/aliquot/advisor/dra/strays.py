"""Devices of nodes that the input doesn't hold: their driver names the node otherwise, or the node isn't there."""

from collections.abc import Collection

from aliquot.advisor.nearest import is_near, nearest
from aliquot.snapshot.snapshot import Snapshot


def strays(snapshot: Snapshot, drivers: Collection[str]) -> dict[str, str]:
    """Node that these drivers' slices name and that isn't in the input -> the node that is probably meant, or nothing.

    Args:
        snapshot: the cluster.
        drivers: which drivers; empty: all.
    """
    gone = {
        one.node_name
        for one in snapshot.slices.values()
        if one.node_name and one.node_name not in snapshot.nodes and (not drivers or one.driver in drivers)
    }
    return {name: _meant(snapshot, name) for name in sorted(gone)}


def _meant(snapshot: Snapshot, name: str) -> str:
    """A short host name, or the whole one, in place of the other; else a name that is near."""
    short = name.partition(".")[0]
    for other in snapshot.nodes:
        if short == other.partition(".")[0]:
            return other
    near = nearest(name, snapshot.nodes)[:1]
    return near[0] if near and is_near(near[0], name) else ""
