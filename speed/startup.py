"""How long `aliquot --version` takes to start, beside `python3 -c pass` of the same interpreter."""

import statistics
import subprocess
import sys
import time
from pathlib import Path

from speed.limits import Ratio, missed, ratio

LIMIT = 8.0
ROUNDS = 15


def seconds(arguments: list[str]) -> float:
    """Wall time of one run."""
    begun = time.perf_counter()
    subprocess.run(arguments, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - begun


def main() -> list[Ratio]:
    """Print the ratio; runs alternate."""
    command = str(Path(sys.executable).with_name("aliquot"))
    runs = [(seconds([command, "--version"]), seconds([sys.executable, "-c", "pass"])) for _ in range(ROUNDS)]
    ours, nothing = (statistics.median(side) for side in zip(*runs, strict=True))
    print(f"python -c pass {nothing * 1000:.0f} ms; aliquot --version {ours * 1000:.0f} ms")
    found = ratio("startup: aliquot --version by python -c pass", runs, LIMIT)
    print(found)
    return [found]


if __name__ == "__main__":
    sys.exit(bool(missed(main())))
