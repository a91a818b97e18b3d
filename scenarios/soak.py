"""The long run: the exact allocator's answers to thousands of scenarios, held against the oracle.

    python -m scenarios.soak --count 20000 --seed 1 [--write wrong.jsonl]

Exit status: 0 all answers hold, 1 some don't (they're written as JSON lines).
"""

import argparse
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import msgspec

from aliquot.allocation.exact.allocator import Exact
from scenarios import ordinary, tight
from scenarios.asking import exactly
from scenarios.drivers import Json
from scenarios.oracle import World, judge
from scenarios.several_nodes import spread
from scenarios.tight import turns


def of_family(family: str) -> Callable[[int, int], Json]:
    """A tight family, by seed and number."""
    return lambda seed, number: tight.scenario(family, seed * 1_000_000 + number)


SOURCES: Final[tuple[Callable[[int, int], Json], ...]] = (
    *[ordinary.scenario, spread] * 4,
    *[turns.scenario] * 2,
    *map(of_family, tight.FAMILIES),
)
"""They take turns; those of all features and of several nodes come most often."""


@dataclass(slots=True)
class Tally:
    """What was asked and judged."""

    scenarios: int = 0
    answers: int = 0
    """One for each node of each scenario."""
    several_nodes: int = 0
    """Scenarios."""
    several_pools: int = 0
    """Answers for a node that sees more than one pool."""
    outcomes: Counter[str] = field(default_factory=Counter[str])
    """Of the answers."""
    wrong: list[tuple[Json, str, tuple[str, ...]]] = field(default_factory=list["tuple[Json, str, tuple[str, ...]]"])
    """(Scenario, node, complaints)."""

    def ask(self, row: Json) -> None:
        """Ask one engine about all nodes of a scenario, and judge each answer."""
        question, selectors = exactly.asked(row)
        engine = Exact(question.supply, selectors)
        self.scenarios += 1
        self.several_nodes += len(question.nodes) > 1
        for node in question.nodes:
            world = World.of(question.supply, node, question.claims, selectors)
            judgement = judge(world, engine.allocate(node, question.claims))
            self.answers += 1
            self.several_pools += len(world.pools) > 1
            self.outcomes[judgement.outcome] += 1
            if judgement.complaints:
                self.wrong.append((row, node.name, judgement.complaints))

    def __str__(self) -> str:
        outcomes = ", ".join(f"{number} {name}" for name, number in sorted(self.outcomes.items()))
        return (
            f"{self.scenarios} scenarios ({self.several_nodes} of several nodes), {self.answers} answers "
            f"({self.several_pools} with several pools): {outcomes}; {len(self.wrong)} wrong"
        )


def rows(count: int, seed: int) -> Iterator[Json]:
    """So many scenarios of all sources."""
    for number in range(count):
        yield SOURCES[number % len(SOURCES)](seed, number)


def judged(scenarios: Iterable[Json]) -> Tally:
    """All of them asked."""
    tally = Tally()
    for row in scenarios:
        tally.ask(row)
    return tally


def main() -> int:
    """Run from the command line."""
    parser = argparse.ArgumentParser(prog="python -m scenarios.soak", description="Hold exact against brute force.")
    parser.add_argument("--count", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--write", type=Path, help="write the scenarios whose answers don't hold to this file")
    wanted = parser.parse_args()
    tally = judged(rows(wanted.count, wanted.seed))
    print(tally)
    for row, node, complaints in tally.wrong[:20]:
        print(f"  {row['name']} on {node}: {'; '.join(complaints)}")
    if wanted.write:
        wrong = ({**row, "complaints": {node: complaints}} for row, node, complaints in tally.wrong)
        wanted.write.write_bytes(b"".join(msgspec.json.encode(each) + b"\n" for each in wrong))
    return int(bool(tally.wrong))


if __name__ == "__main__":
    sys.exit(main())
