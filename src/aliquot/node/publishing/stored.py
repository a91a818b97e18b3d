"""What the API server made of a slice: it drops, without a word, the fields of features that are switched off. Pure."""

from collections.abc import Iterator
from typing import Final

from aliquot.dra.device import Device, Slice

TAINTS: Final = "DRADeviceTaints"
PARTITIONS: Final = "DRAPartitionableDevices"
SHARES: Final = "DRAConsumableCapacity"


def dropped(sent: Slice, stored: Slice) -> frozenset[str]:
    """The feature gates that are off, as the fields show that were sent and aren't there."""
    return frozenset(_dropped(sent, stored))


def _dropped(sent: Slice, stored: Slice) -> Iterator[str]:
    if sent.shared_counters and not stored.shared_counters:
        yield PARTITIONS
    there = {device.name: device for device in stored.devices}
    for device in sent.devices:
        kept = there.get(device.name)
        if kept is not None:
            yield from _of_device(device, kept)


def _of_device(sent: Device, stored: Device) -> Iterator[str]:
    if sent.consumes and not stored.consumes:
        yield PARTITIONS
    if sent.taints and not stored.taints:
        yield TAINTS
    if sent.allow_multiple and not stored.allow_multiple:
        yield SHARES
