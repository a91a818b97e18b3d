"""How long `aliquot --version` takes to start, beside `python3 -c pass` of the same interpreter."""

import statistics
import subprocess
import sys
import time
from pathlib import Path

LIMIT = 8.0
ROUNDS = 15


def seconds(arguments: list[str]) -> float:
    """Wall time of one run."""
    begun = time.perf_counter()
    subprocess.run(arguments, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - begun


def main() -> None:
    """Print the ratio of the medians; runs alternate."""
    command = str(Path(sys.executable).with_name("aliquot"))
    runs = [(seconds([sys.executable, "-c", "pass"]), seconds([command, "--version"])) for _ in range(ROUNDS)]
    nothing = statistics.median(run[0] for run in runs)
    ours = statistics.median(run[1] for run in runs)
    print(f"python -c pass {nothing * 1000:.0f} ms; aliquot --version {ours * 1000:.0f} ms")
    print(f"ratio {ours / nothing:.2f} (limit {LIMIT})")

    if ours > LIMIT * nothing:
        raise SystemExit("the start is over its limit")


if __name__ == "__main__":
    main()
