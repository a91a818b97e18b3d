"""GPUs and standing MIG devices that several claims may hold, by number or by memory (NVIDIA's ConsumableShares)."""

from dataclasses import replace
from typing import Final, Literal

from aliquot.dra.device import Capacity, Device, RequestPolicy, ValidRange
from aliquot.sharing.publish.amounts import MEMORY, count, size

Shares = int | Literal["memory", "unlimited"]
"""So many claims at once; as many as the memory that they ask for allows; or any number."""

GATE: Final = "DRAConsumableCapacity"
_MIB: Final = 1 << 20
_STEP: Final = size(_MIB)


def shared(device: Device, shares: Shares) -> Device:
    """The device as one that may be given out several times; by memory, one that doesn't tell its memory may not.

    A maximum must be a multiple of its step, so what is left of a MiB is dropped.
    """
    memory = device.capacity.get(MEMORY)
    if memory is None and shares == "memory":
        return device
    capacity = dict(device.capacity)
    if memory is not None:
        least = _STEP if shares == "memory" else size(0)
        most = size(memory.value.value() // _MIB * _MIB)
        limits = ValidRange(min=least, max=most, step=_STEP)
        policy = RequestPolicy(default=most if shares == "memory" else least, valid_range=limits)
        capacity[MEMORY] = Capacity(most, policy)
    if isinstance(shares, int):
        one = count(1)
        limits = ValidRange(min=one, max=count(shares), step=one)
        capacity["shares"] = Capacity(count(shares), RequestPolicy(default=one, valid_range=limits))
    return replace(device, capacity=capacity, allow_multiple=True)
