"""Whole GPUs that several claims may hold at once, by their own number or by memory (NVIDIA's ConsumableShares)."""

from dataclasses import replace
from typing import Final, Literal

from aliquot.dra.device import Capacity, Device, RequestPolicy, ValidRange
from aliquot.sharing.publish.amounts import MEMORY, count, size

Shares = int | Literal["memory", "unlimited"]
"""So many claims at once; as many as the memory that they ask for allows; or any number."""

GATE: Final = "DRAConsumableCapacity"
_STEP: Final = size(1 << 20)


def shared(device: Device, shares: Shares) -> Device:
    """The GPU as one that may be given out several times; by memory, one that doesn't tell its memory may not."""
    memory = device.capacity.get(MEMORY)
    if memory is None and shares == "memory":
        return device
    capacity = dict(device.capacity)
    if memory is not None:
        least = _STEP if shares == "memory" else size(0)
        default = memory.value if shares == "memory" else least
        limits = ValidRange(min=least, max=memory.value, step=_STEP)
        capacity[MEMORY] = replace(memory, policy=RequestPolicy(default=default, valid_range=limits))
    if isinstance(shares, int):
        one = count(1)
        limits = ValidRange(min=one, max=count(shares), step=one)
        capacity["shares"] = Capacity(count(shares), RequestPolicy(default=one, valid_range=limits))
    return replace(device, capacity=capacity, allow_multiple=True)
