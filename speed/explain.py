"""What `aliquot explain --all-pending` of a large dump takes, beside CPython's json.load of the same file.

CPU time of whole processes (user and system), so that other work on the machine disturbs little; the two take turns.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

from speed.big_dump import generate
from speed.limits import ROUNDS, Ratio, beside_file, missed

LIMIT_TIME = 3.0
"""Times json.load."""
LIMIT_MEMORY = 6.0
"""Times the file, at the peak."""
EXPECTED_STATUS = 3
"""Pods stay pending: that's what the dump is about."""


def spent(arguments: list[str], status: int) -> tuple[float, int]:
    """(CPU seconds, peak bytes) of a process."""
    script = (
        "import resource, subprocess, sys\n"
        "done = subprocess.run(sys.argv[2:], stdout=subprocess.DEVNULL, check=False)\n"
        "assert done.returncode == int(sys.argv[1]), done.returncode\n"
        "used = resource.getrusage(resource.RUSAGE_CHILDREN)\n"
        "print(used.ru_utime + used.ru_stime, used.ru_maxrss * 1024)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, str(status), *arguments], capture_output=True, text=True, check=True
    )
    seconds, peak = done.stdout.split()
    return float(seconds), int(peak)


def main() -> list[Ratio]:
    """Print the ratios."""
    with tempfile.TemporaryDirectory() as folder:
        path = generate(Path(folder))
        size = path.stat().st_size
        load = [sys.executable, "-c", "import json, sys; json.load(open(sys.argv[1]))", str(path)]
        whole = [sys.executable, "-m", "aliquot", "explain", "--all-pending", "-f", str(path)]
        runs = [(spent(whole, EXPECTED_STATUS), spent(load, 0)) for _ in range(ROUNDS)]
    return beside_file("explain --all-pending", size, runs, LIMIT_TIME, LIMIT_MEMORY)


if __name__ == "__main__":
    sys.exit(bool(missed(main())))
