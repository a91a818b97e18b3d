"""The MIG profiles of an A100 of 40 GB (NVIDIA's MIG user guide), and the counters that a partition draws on."""

from dataclasses import dataclass
from typing import Final

from scenarios.drivers import Json


@dataclass(frozen=True, slots=True)
class Profile:
    """A size of partition."""

    name: str
    multiprocessors: int
    memory: int
    """Gi."""
    length: int
    """Memory slices, of eight."""
    starts: range
    """The memory slices at which it may begin."""


WHOLE: Final = Profile(name="7g.40gb", multiprocessors=98, memory=40, length=8, starts=range(1))
PROFILES: Final = (
    Profile(name="1g.5gb", multiprocessors=14, memory=5, length=1, starts=range(7)),
    Profile(name="1g.10gb", multiprocessors=14, memory=10, length=2, starts=range(0, 7, 2)),
    Profile(name="2g.10gb", multiprocessors=28, memory=10, length=2, starts=range(0, 6, 2)),
    Profile(name="3g.20gb", multiprocessors=42, memory=20, length=4, starts=range(0, 5, 4)),
    Profile(name="4g.20gb", multiprocessors=56, memory=20, length=4, starts=range(1)),
    WHOLE,
)


def memory_slices(first: int, count: int) -> Json:
    """One of each memory slice from `first` on."""
    return {f"memory-slice-{number}": {"value": "1"} for number in range(first, first + count)}


def counters(profile: Profile = WHOLE, start: int = 0) -> Json:
    """What a partition draws: multiprocessors, memory, and the memory slices that it lies on."""
    return {
        "multiprocessors": {"value": str(profile.multiprocessors)},
        "memory": {"value": f"{profile.memory}Gi"},
        **memory_slices(start, profile.length),
    }
