"""GPUs with partitions on two kinds of counters: compute slices, and the memory slices by their places."""

from collections.abc import Callable, Iterable, Mapping
from typing import Final

from scenarios.api import mig
from scenarios.api.devices import consumes, device, gpu
from scenarios.api.slices import pool
from scenarios.drivers import GPU, ROOT, Json

Sizes = Mapping[str, tuple[int, int, tuple[int, ...]]]
"""Profile -> compute slices, memory slices, where it may start."""

PROFILES: Final[Sizes] = {
    one.name.partition(".")[0]: (one.multiprocessors // 14, one.length, tuple(one.starts))
    for one in mig.PROFILES
    if one.name != "1g.10gb"
}
"""1g to 7g of an A100."""


def partitioned(number: int, profiles: Sizes, per_numa: int) -> tuple[list[Json], Json]:
    """A GPU with its partitions, and the counter set that they draw on."""
    name = f"gpu-{number}-counters"

    def use(compute: int, start: int, memory: int) -> list[Json]:
        slices = {f"slice-{place}": {"value": "1"} for place in range(start, min(start + memory, 8))}
        return consumes(name, {"compute": {"value": str(compute)}, **slices})

    devices = [gpu(number, per_numa=per_numa, consumesCounters=use(7, 0, 8))]
    for profile, (compute, memory, starts) in profiles.items():
        attributes: dict[str, bool | int | str | Json] = {
            "type": "mig",
            "profile": profile,
            "index": number,
            "numa": number // per_numa,
            ROOT: f"pci0000:{number:02x}",
        }
        devices += [
            device(f"gpu-{number}-{profile}-{start}", attributes, consumesCounters=use(compute, start, memory))
            for start in starts
        ]
    counters = {"compute": {"value": "7"}, **{f"slice-{place}": {"value": "1"} for place in range(8)}}
    return devices, {"name": name, "counters": counters}


def several(numbers: Iterable[int], profiles: Sizes, per_numa: Callable[[], int]) -> tuple[list[Json], list[Json]]:
    """The devices of so many such GPUs, and their counter sets; `per_numa` is asked for each."""
    made = [partitioned(number, profiles, per_numa()) for number in numbers]
    return [one for devices, _ in made for one in devices], [counters for _, counters in made]


def cut_gpus(count: int) -> list[Json]:
    """The slices of so many GPUs with all their partitions."""
    return pool(GPU, *several(range(count), PROFILES, lambda: 4))
