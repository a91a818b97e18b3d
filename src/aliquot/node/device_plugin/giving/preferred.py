"""Which devices the kubelet should rather give to a container.

Replicas of different GPUs as far as it goes: two of one give no more than one. Which GPUs is the policy's, and among
equals those that are closest together win. For one device, that's the one whose loss splits the fewest close ones.
"""

from collections.abc import Iterable, Mapping, Sequence

from aliquot.devices.gpu import Gpu
from aliquot.node.device_plugin.giving.closeness import distances
from aliquot.node.device_plugin.giving.subsets import best
from aliquot.node.device_plugin.offering.resource import Resource
from aliquot.node.device_plugin.offering.settings import Policy


def preferred(
    resource: Resource,
    gpus: Mapping[str, Gpu],
    policy: Policy,
    *,
    available: Iterable[str],
    must: Sequence[str],
    size: int,
) -> tuple[str, ...]:
    """The ids, in the resource's order; fewer than `size` where no more are available, never another's.

    Args:
        resource: what's asked for.
        gpus: the node's, by UUID.
        policy: for replicas.
        available: ids that are free; what isn't the resource's is passed over.
        must: ids that are taken in any case.
        size: how many, `must` included.
    """
    ids = list(resource.ids)
    order = {name: number for number, name in enumerate(ids)}
    chosen = [name for name in dict.fromkeys(must) if name in order]
    free = _by_unit(resource, set(available) - set(chosen))
    mine = _by_unit(resource, set(chosen))
    close = distances(resource.units, gpus)
    sign = -1 if policy is Policy.DISTRIBUTED else 1
    prices = [sign * (len(left) + len(had)) for left, had in zip(free, mine, strict=True)]
    taken = [len(each) for each in mine]
    while len(chosen) < size and any(free):
        fewest = min(count for count, left in zip(taken, free, strict=True) if left)
        candidates = [number for number, left in enumerate(free) if left and taken[number] == fewest]
        already = [number for number, count in enumerate(taken) if count]
        for number in best(candidates, size - len(chosen), already, prices, close):
            chosen.append(free[number].pop(0))
            taken[number] += 1
    return tuple(sorted(chosen, key=order.__getitem__))


def _by_unit(resource: Resource, ids: set[str]) -> list[list[str]]:
    return [[name for name in unit.ids if name in ids] for unit in resource.units]
