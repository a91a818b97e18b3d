"""Why wanted MIG instances don't fit: what is short, what lies in the way, and which moves would make room."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from aliquot.devices.mig.legal_layouts import Placement


class Shortage(StrEnum):
    """What a GPU is short of for one more instance."""

    MEMORY = "memory slices"
    COMPUTE = "compute slices"
    COUNT = "instances of the profile"
    MEDIA = "the media extension"


@dataclass(frozen=True, slots=True)
class Holder:
    """An instance, and the memory units that it covers."""

    instance: Placement
    units: range

    def __str__(self) -> str:
        first, last = self.units[0], self.units[-1]
        held = f"memory slice {first}" if first == last else f"memory slices {first}-{last}"
        return f"{held} held by {self.instance}"


@dataclass(frozen=True, slots=True)
class Blocked:
    """A start of the refused profile, and the instances that lie there; none where the memory is free."""

    start: int
    by: tuple[Holder, ...]


@dataclass(frozen=True, slots=True)
class Move:
    """An existing instance to remove and create again elsewhere: it must be idle then."""

    instance: Placement
    to: int

    def __str__(self) -> str:
        return f"move {self.instance.profile} from {self.instance.start} to {self.to}"


@dataclass(frozen=True, slots=True, kw_only=True)
class NoRoom:
    """Why they don't all fit: the first that has no place, after as many others as could be placed."""

    profile: str
    short_of: Shortage
    placed: tuple[Placement, ...]
    """The wanted ones that would fit."""
    blocked: tuple[Blocked, ...]
    """Each start of the profile, and what lies there (the placed ones too)."""
    memory_free: tuple[int, ...]
    """Memory units that nothing covers."""
    compute_free: int
    compute_needed: int
    moves: tuple[Move, ...]
    """The fewest moves of existing instances that make all fit; empty if no moves do."""

    @property
    def reason(self) -> str:
        """The refusal in a sentence."""
        free = f"{_slices(self.compute_free, 'compute')} free"
        if self.short_of is Shortage.COMPUTE:
            return f"{self.profile} needs {_slices(self.compute_needed, 'compute')}, {free}"
        if self.short_of is Shortage.COUNT:
            return f"{self.profile}: the GPU already holds as many as it may"
        if self.short_of is Shortage.MEDIA:
            return f"{self.profile}: the GPU gives its media extension to one instance only, and it's given"
        return f"{self.profile} has no start left: {_starts(self.blocked)}; {self._memory()}, {free}"

    @property
    def advice(self) -> str | None:
        """The moves in words, or None."""
        return " and ".join(map(str, self.moves)) or None

    def _memory(self) -> str:
        if not self.memory_free:
            return "no memory slice free"
        return f"memory {'slice' if len(self.memory_free) == 1 else 'slices'} {_listed(self.memory_free)} free"


def _starts(blocked: Sequence[Blocked]) -> str:
    """The starts, those with the same instances in the way together."""
    groups: dict[tuple[Holder, ...], list[int]] = {}
    for each in blocked:
        groups.setdefault(each.by, []).append(each.start)
    return "; ".join(
        f"{' and '.join(map(str, by))} ({'start' if len(starts) == 1 else 'starts'} {_listed(starts)})"
        for by, starts in groups.items()
    )


def _listed(values: Sequence[int]) -> str:
    return ", ".join(map(str, values))


def _slices(count: int, kind: str) -> str:
    return f"{count} {kind} {'slice' if count == 1 else 'slices'}"
