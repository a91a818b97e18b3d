"""MIG layouts drawn on one line: a bar over the memory slices."""

from collections.abc import Sequence

from aliquot.devices.mig import Geometry, Placement
from aliquot.devices.mig.legal_layouts import profile_in, units_of


def layout_text(state: Sequence[Placement]) -> str:
    """A layout as `--on` takes it, such as `4g.20gb@0,3g.20gb@4`; the empty one is `empty`."""
    return ",".join(f"{each.profile}@{each.start}" for each in sorted(state)) or "empty"


def bars(geometry: Geometry, state: Sequence[Placement]) -> tuple[str, str]:
    """The numbers of the memory slices, and under them the instances; dots are free slices.

    Raises:
        ValueError: as `profile_in`.
    """
    placed = [(each, units_of(profile_in(geometry, each.profile), each.start)) for each in state]
    return drawn(geometry.memory_units or 0, [(each.start, len(units), each.profile) for each, units in placed])


def drawn(units: int, instances: Sequence[tuple[int, int, str]]) -> tuple[str, str]:
    """The same from memory slices: how many there are, and where each instance starts, how long it is, its name."""
    spans = {start: (length, name) for start, length, name in instances}
    cell = max([4, *(-(-(len(name) + 2) // length) for length, name in spans.values())])
    head = "".join(str(unit).ljust(cell) for unit in range(units)).rstrip()
    row, unit = "", 0
    while unit < units:
        length, name = spans.get(unit, (1, ""))
        width = cell * length
        row += f"[{name}{'-' * (width - len(name) - 2)}]" if name else ".".ljust(width)
        unit += length
    return head, row.rstrip()
