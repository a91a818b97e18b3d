"""What joins a node's devices to each other, where slices say so: PCIe roots, NVLink domains."""

from collections.abc import Iterator
from dataclasses import dataclass

from aliquot.advisor.causes.cause import number
from aliquot.advisor.inventory.value import Device, Inventory
from aliquot.cli.explain.page.bars import Palette, Segment
from aliquot.cli.explain.page.device_bars import chip_name, state_of, told

JOINS = ("pcieroot", "nvlink", "clique", "fabric", "switch")
TITLES = {"pcieRoot": "PCIe root"}
NOTHING = ("", "true", "false")
"""Values that say something of a device, and nothing of what it's joined to."""
MOST = 16


@dataclass(frozen=True, slots=True)
class Link:
    """Devices that share something."""

    title: str
    chips: tuple[Segment, ...]
    more: int = 0


def links(has: Inventory, palette: Palette) -> list[Link]:
    """Devices with an equal value of an attribute that joins; what only one has joins nothing."""
    found: dict[tuple[str, str], list[Segment]] = {}
    for device, segment in _joined(has, palette):
        for name, value in device.facts.items():
            if value not in NOTHING and any(word in name.lower() for word in JOINS):
                found.setdefault((name, value), []).append(segment)
    return [
        Link(
            f"{TITLES.get(name, name)} {value}",
            tuple(several[:MOST]),
            max(0, len(several) - MOST),
        )
        for (name, value), several in sorted(found.items())
        if len(several) > 1
    ]


def _joined(has: Inventory, palette: Palette) -> Iterator[tuple[Device, Segment]]:
    """Devices by themselves; of those that are cut from one chip, the chip."""
    for one in has.devices:
        yield one, Segment(state_of(one, palette), 1, told(one), one.id.device)
    for chip in has.chips:
        device = chip.whole or next(iter(chip.published), None)
        if device is not None:
            state = state_of(chip.parts[0].device, palette) if chip.parts else "f"
            yield (
                device,
                Segment(state, 1, f"{chip_name(chip)} · {number(len(chip.parts), 'part')} held", chip_name(chip)),
            )
