"""Devices of ResourceSlices drawn as bars: one by one, shared, or as what is cut from a chip."""

from collections.abc import Iterable, Sequence

from aliquot.advisor.causes.cause import number
from aliquot.advisor.inventory.value import SLICES, Chip, Device
from aliquot.cli.explain.page.bars import CELLS, Bar, Palette, Segment, clock

PARTITIONABLE = "DRA, partitionable"
NO_ROOM = "none of its published devices fits in what is left"


def of_devices(devices: Sequence[Device], palette: Palette) -> list[Bar]:
    """A bar for each driver and product; a shared device has its own."""
    kinds: dict[tuple[str, str, str], list[Device]] = {}
    bars: list[Bar] = []
    for one in devices:
        if one.shared and one.total:
            bars.append(_shared(one, palette))
        else:
            kinds.setdefault((one.id.driver, one.product or one.profile, one.kind), []).append(one)
    alone = len({driver for driver, _, _ in kinds}) == len(kinds)
    for (driver, product, kind), several in kinds.items():
        free = sum(one.free for one in several)
        name = driver if alone else f"{driver} · {product or kind or 'others'}"
        segments = tuple(device_segment(one, palette) for one in several)
        bad = [one for one in several if (one.taints or one.troubles)]
        note = f"{number(len(bad), 'device')} tainted or not usable" if bad else ""
        lost = sum(not one.allocated for one in bad)
        known = all(one.known for one in several)
        words = f"{free} of {len(several)} free" if known else f"{len(several)}, which are held is unknown"
        bars.append(Bar(name, words, free, len(several), segments, "DRA", note=note, lost=lost, known=known))
    return bars


def device_segment(one: Device, palette: Palette, width: int = 1, label: str = "") -> Segment:
    """A device as a piece of a bar."""
    return Segment(state_of(one, palette), width, told(one), label)


def state_of(one: Device, palette: Palette) -> str:
    """Its class in the style sheet: several may apply."""
    holder = next((hold for hold in one.holds if not hold.admin), None)
    styles = [palette.of(holder.owner)] if holder is not None else []
    if one.taints or one.troubles:
        styles.append("x")
    if one.shared:
        styles.append("s")
    return " ".join(styles or ["f" if one.known else "u"])


def states(devices: Iterable[Device]) -> list[str]:
    """What each is doing, those that do the same together; in words, for who has no pointer."""
    found: dict[str, list[str]] = {}
    for one in devices:
        taken = "; ".join(f"{'watched' if hold.admin else 'held'} by {hold.who}" for hold in one.holds)
        state = "; ".join(filter(None, [taken, *(f"taint {taint}" for taint in one.taints), *one.troubles]))
        facts = ", ".join(f"{name} {value}" for name, value in one.facts.items() if name != "parentUUID")
        name = f"{one.id.device} ({facts})" if facts else one.id.device
        found.setdefault(state or ("free" if one.known else "whether held is unknown"), []).append(name)
    return [f"{', '.join(names)}: {state}" for state, names in found.items()]


def told(one: Device) -> str:
    """All that is known of a device, in a line."""
    what = " ".join(part for part in (one.product, one.profile) if part)
    state = "; ".join(f"{'watched' if hold.admin else 'held'} by {hold.who}" for hold in one.holds)
    facts = [f"{name} {value}" for name, value in one.facts.items()]
    since = next((f"since {clock(hold.since)}" for hold in one.holds if hold.since), "")
    parts = [
        one.id.device,
        what,
        state or ("free" if one.free else "" if one.known else "whether held is unknown"),
        since,
    ]
    taints = [f"taint {taint}" for taint in one.taints]
    return " · ".join(part for part in (*parts, *taints, *one.troubles, *facts) if part)


def _shared(one: Device, palette: Palette) -> Bar:
    held = [hold for hold in one.holds if not hold.admin]
    used = sum(hold.amount for hold in held)
    left = max(0, one.total - used)
    segments = [
        Segment(
            f"{palette.of(hold.owner)} s",
            max(1, 1000 * hold.amount // max(1, one.total)),
            f"{hold.who} · {percent(hold.amount, one.total)} of {one.measure}",
        )
        for hold in held
    ]
    blocked = bool(one.taints or one.troubles)
    if left:
        segments.append(
            Segment(
                "x" if blocked else "f" if one.known else "u", max(1, 1000 * left // one.total), f"{told(one)} · left"
            )
        )
    words = f"{percent(left, one.total)} of {one.measure} left, {number(len(held), 'claim')}"
    if not one.known:
        words = "how much of it is left is unknown"
    return Bar(
        f"{one.id.driver} · {one.id.device}",
        words,
        int(one.free),
        1,
        tuple(segments),
        "DRA, shared",
        shared=True,
        scaled=True,
        known=one.known,
    )


def percent(part: int, whole: int) -> str:
    """`25 %`."""
    return f"{round(100 * part / whole)} %" if whole else "0 %"


def of_chip(chip: Chip, palette: Palette) -> Bar:
    """What is cut from a GPU, in its place where places are numbered."""
    numbered = chip.total <= CELLS
    segments: list[Segment] = []
    at = 0
    for part in chip.parts:
        start = part.start if part.start is not None else at
        segments += _gap(start - at, chip, numbered=numbered)
        label = part.device.profile if part.device.profile and 4 * part.length >= chip.total else ""
        segments.append(device_segment(part.device, palette, part.length, label))
        at = max(at, start + part.length)
    segments += _gap(chip.total - at, chip, numbered=numbered)
    left = max(0, chip.total - chip.held)
    amount = f"{left} of {chip.total}" if numbered else percent(left, chip.total)
    units = chip.unit if chip.unit == SLICES else f"of counter {chip.unit}"
    words = f"{amount} {units} free" if chip.known else f"{chip.total} {units}, how many are held is unknown"
    fits = ", ".join(f"{name} in {number(count, 'place')}" for name, count in chip.open.items())
    return Bar(
        chip_name(chip),
        words,
        sum(chip.open.values()) and 1,
        1,
        tuple(segments),
        PARTITIONABLE,
        note=f"still fits: {fits}" if fits else NO_ROOM if chip.known else "",
        scaled=not numbered,
        known=chip.known,
    )


def chip_name(chip: Chip) -> str:
    """`gpu-0`."""
    return chip.whole.id.device if chip.whole is not None else chip.name.removesuffix("-counter-set")


def _gap(units: int, chip: Chip, *, numbered: bool) -> list[Segment]:
    if units <= 0:
        return []
    if not chip.known:
        return [Segment("u", units, "whether held is unknown")]
    if numbered:
        return [Segment("f", 1, f"free: 1 of {chip.total} {chip.unit}")] * units
    return [Segment("f", units, f"free: {percent(units, chip.total)} of {chip.unit}")]
