"""Random allocation scenarios as JSON lines.

    python -m conformance.generate_allocation --count 1000 --seed 1 > scenarios.jsonl

The same seed gives the same scenarios on every machine. ``--tight`` gives adversarial inputs instead.
"""

import argparse
import sys

from conformance import lines
from scenarios import ordinary
from scenarios.drivers import Json
from scenarios.tight import turns


def scenarios(count: int, seed: int, kubernetes: str | None = None, *, tight: bool = False) -> list[Json]:
    """``count`` scenarios of one seed."""
    make = turns.scenario if tight else ordinary.scenario
    return [make(seed, number, kubernetes) for number in range(count)]


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m conformance.generate_allocation",
        description="Random allocation scenarios as JSON lines.",
    )
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--kubernetes", help="write this version into each scenario")
    parser.add_argument("--tight", action="store_true", help="small adversarial inputs, hard for a search")
    wanted = parser.parse_args()
    sys.stdout.buffer.write(lines.dump(scenarios(wanted.count, wanted.seed, wanted.kubernetes, tight=wanted.tight)))


if __name__ == "__main__":
    main()
