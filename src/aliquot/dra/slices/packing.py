"""A pool as ResourceSlices, beside those that are published already.

A pool's generation tells the scheduler which slices belong together. It stays while the slices stay and at most one of
them changes: that one is replaced at once. Anything more is a new generation, in which every slice is written anew.
"""

import re
from collections.abc import Sequence
from dataclasses import replace
from hashlib import sha256
from typing import Final

from aliquot.dra.device import Device, Slice
from aliquot.dra.slices.bins import PLAIN, Bin, fill
from aliquot.dra.slices.limits import limits_of
from aliquot.dra.slices.pool import Packed, Pool, Unfit
from aliquot.dra.slices.unfit import reasons
from aliquot.kube.meta import Meta
from aliquot.kube.release import Kubernetes

_INDEX: Final = re.compile(r"(?P<index>[0-9a-f]{5,})-")
_LONGEST_NAME: Final = 253


def pack(pool: Pool, kubernetes: Kubernetes, before: Sequence[Slice] = ()) -> Packed | Unfit:
    """Cut a pool into slices.

    Args:
        pool: what's to be published.
        kubernetes: the API server that is to take it.
        before: slices as they are published now; those of other drivers or pools are passed over.

    Returns:
        The slices, or why the API server wouldn't have them. A taint that stays keeps the time when it was added.
    """
    limits = limits_of(kubernetes)
    unfit = Unfit.of(reasons(pool, kubernetes, limits))
    if unfit is not None:
        return unfit
    mine = [one for one in before if (one.driver, one.pool, one.node_name) == (pool.driver, pool.name, pool.node)]
    mine.sort(key=lambda one: one.meta.name)
    bins = fill(_with_times(pool, mine), limits, mine)
    if isinstance(bins, Unfit):
        return bins
    if bins and all(one.home is not None for one in bins) and len(bins) == len(mine):
        same = _slices(pool, bins, generation=max(one.generation for one in mine))
        changed = [new.meta.name for new, old in zip(same, mine, strict=True) if new != old]
        if len(changed) <= 1:
            return Packed(slices=same, written=tuple(changed))
    kept = [one for one in bins if not one.empty] or bins[:1] or [Bin(PLAIN)]
    slices = _slices(pool, kept, generation=1 + max((one.generation for one in mine), default=0))
    names = {one.meta.name for one in slices}
    return Packed(
        slices=slices,
        written=tuple(one.meta.name for one in slices),
        removed=tuple(one.meta.name for one in mine if one.meta.name not in names),
    )


def _with_times(pool: Pool, before: Sequence[Slice]) -> Pool:
    """The pool with the times of taints that were there before."""
    added = {
        (device.name, taint.key, taint.value, taint.effect): taint.time_added
        for one in before
        for device in one.devices
        for taint in device.taints
    }
    return replace(pool, devices=tuple(_timed(device, added) for device in pool.devices)) if added else pool


def _timed(device: Device, added: dict[tuple[str, str, str, str], str | None]) -> Device:
    if not device.taints:
        return device
    return replace(
        device,
        taints=tuple(
            replace(
                taint, time_added=added.get((device.name, taint.key, taint.value, taint.effect)) or taint.time_added
            )
            for taint in device.taints
        ),
    )


def _slices(pool: Pool, bins: Sequence[Bin], generation: int) -> tuple[Slice, ...]:
    used = {int(found["index"], 16) for one in bins if one.home and (found := _INDEX.match(one.home.meta.name))}
    free = (index for index in range(len(bins) + len(used)) if index not in used)
    slices = [
        Slice(
            meta=one.home.meta if one.home is not None else Meta(_name(pool, next(free))),
            driver=pool.driver,
            pool=pool.name,
            generation=generation,
            slice_count=len(bins),
            node_name=pool.node,
            devices=tuple(one.devices),
            shared_counters=tuple(one.sets),
        )
        for one in bins
    ]
    return tuple(sorted(slices, key=lambda one: one.meta.name))


def _name(pool: Pool, index: int) -> str:
    """`00001-gpu.nvidia.com-node`: the scheduler tries slices by name, so the number comes first."""
    name = f"{index:05x}-{pool.driver}-{pool.node}"
    if len(name) <= _LONGEST_NAME:
        return name
    end = sha256(pool.node.encode()).hexdigest()[:10]
    return f"{name[: _LONGEST_NAME - len(end) - 1].rstrip('-.')}-{end}"
