"""The DRA devices that a node can use, pool by pool, as a release's scheduler gathers them."""

from dataclasses import dataclass

from aliquot.advisor.inventory import published as inventory
from aliquot.advisor.inventory.nodes import of_pool
from aliquot.advisor.inventory.value import Chip, Device
from aliquot.allocation.allocator_features import implementation_of
from aliquot.allocation.answer import PoolStory
from aliquot.allocation.behaviour import behaviour_of
from aliquot.allocation.rules.pools import Pool, PoolError, Pools
from aliquot.allocation.rules.reach import BrokenSelectorError, reaches
from aliquot.dra import device as dra
from aliquot.kube.node import Node
from aliquot.scheduling.scheduler import Scheduler
from aliquot.snapshot.snapshot import Snapshot


@dataclass(frozen=True, slots=True)
class PoolSeen:
    """A usable pool with its devices for this node, and the chips that they are cut from."""

    driver: str
    pool: str
    devices: tuple[Device, ...]
    chips: tuple[Chip, ...]


@dataclass(frozen=True, slots=True)
class Published:
    """What drivers publish for a node; `troubles`: pools that supply nothing to it, and why."""

    pools: tuple[PoolSeen, ...] = ()
    troubles: tuple[PoolStory, ...] = ()
    error: str = ""
    """Slices that no scheduler can read."""


def published(snapshot: Snapshot, node: Node, scheduler: Scheduler) -> Published:
    """The pools of a node."""
    supply = scheduler.supply(snapshot)
    features = supply.features
    pools = Pools(supply.slices, features, implementation_of(features), behaviour_of(scheduler.kubernetes))
    try:
        usable = [pool for pool in pools.gather(node) if pool.state == "usable" and pool.here]
        seen = tuple(_seen(snapshot, pool, node) for pool in usable)
        return Published(tuple(one for one in seen if one.devices), pools.troubles(node))
    except (PoolError, BrokenSelectorError) as error:
        return Published(error=str(error))


def _seen(snapshot: Snapshot, pool: Pool, node: Node) -> PoolSeen:
    slices = (*pool.here, *pool.elsewhere)
    has = of_pool(snapshot, inventory.Pool(pool.driver, pool.name, slices, len(slices), pool.counter_sets))
    every = {one.id.device: one for one in (*has.devices, *(cut for chip in has.chips for cut in chip.published))}
    here = [one.name for part in pool.here for one in part.devices if _reached(part, one, node)]
    chips = [chip for chip in has.chips if any(one.id.device in here for one in chip.published)]
    return PoolSeen(
        pool.driver,
        pool.name,
        tuple(every[name] for name in here),
        tuple(sorted(chips, key=lambda chip: chip.name)),
    )


def _reached(part: dra.Slice, device: dra.Device, node: Node) -> bool:
    if not part.per_device_node_selection:
        return True
    return reaches(node, device.node_name, device.all_nodes, device.node_selector)
