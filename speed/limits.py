"""Limits of ratios: the median of the rounds decides, and `python -m speed` ends with a non-zero status if one is over.

Only what is divided by a reference in the same run has a limit that counts. Seconds and MiB depend on the machine:
their limits are printed beside them, for people.
"""

import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

ROUNDS: Final = 5
"""An odd number, so that one round is the median."""


@dataclass(frozen=True, slots=True)
class Ratio:
    """Ours divided by the reference's, and how much it may be."""

    name: str
    value: float
    limit: float
    wrong: str = ""
    """Why the figure doesn't count: the two sides didn't do the same."""

    @property
    def held(self) -> bool:
        """Whether the limit is kept."""
        return self.value <= self.limit and not self.wrong

    def __str__(self) -> str:
        """As the benchmarks print it: `ratio 0.53 (limit 0.60) ok`."""
        return f"ratio {self.value:.2f} (limit {self.limit:.2f}) {self.wrong or ('ok' if self.held else 'OVER')}"


def ratio(name: str, rounds: Sequence[tuple[float, float]], limit: float, wrong: str = "") -> Ratio:
    """The median over rounds of (ours, the reference's)."""
    return Ratio(name, statistics.median(ours / theirs for ours, theirs in rounds), limit, wrong)


def missed(ratios: Iterable[Ratio]) -> list[str]:
    """A line for each limit that isn't kept."""
    return [f"over its limit: {each.name}: {each}" for each in ratios if not each.held]


def beside_file(
    name: str, size: int, runs: Sequence[tuple[tuple[float, int], tuple[float, int]]], time: float, memory: float
) -> list[Ratio]:
    """Print and return two ratios of what handles a large file: time by json.load's, peak memory by the file's size.

    Args:
        name: of the benchmark.
        size: of the file, in bytes.
        runs: a round's ((our seconds, our peak in bytes), (json.load's seconds, its peak)).
        time: how many times json.load's time ours may be.
        memory: how many times the file's size the peak may be.
    """
    ours, reference = (min(side[0] for side in sides) for sides in zip(*runs, strict=True))
    print(f"file {size / 2**20:.0f} MiB; json.load {reference:.2f} s; {name} {ours:.2f} s")
    ratios = [
        ratio(f"{name}: time by json.load's", [(mine[0], theirs[0]) for mine, theirs in runs], time),
        ratio(f"{name}: peak memory by the file's size", [(mine[1], size) for mine, _ in runs], memory),
    ]
    for each in ratios:
        print(f"{each.name}: {each}")
    return ratios
