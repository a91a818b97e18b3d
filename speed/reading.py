"""How long and how much memory reading a large dump takes, beside CPython's json.load of the same file."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from speed.big_dump import generate
from speed.limits import ROUNDS, Ratio, beside_file, missed

LIMIT_TIME = 1.2
"""Times json.load: reading's share of the 3 times that a whole `explain --all-pending` may take."""

LIMIT_MEMORY = 6.0
"""Times the file."""

_MEASURE = """
import resource, sys, time
what, path = sys.argv[1:]
{prepare}
begun = time.perf_counter()
{work}
spent = time.perf_counter() - begun
print(spent, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024)
"""
_JSON_LOAD = _MEASURE.format(prepare="import json", work="with open(path) as file: kept = json.load(file)")
_READ = _MEASURE.format(
    prepare="from aliquot.cluster.files import FileCluster",
    work="kept = FileCluster([path]).read()\nassert not kept.warnings and len(kept.objects) > 45000",
)


def measured(code: str, path: Path) -> tuple[float, int]:
    """(seconds, peak bytes) of a process of its own."""
    done = subprocess.run(
        [sys.executable, "-c", code, "-", str(path)], capture_output=True, text=True, check=True, env=dict(os.environ)
    )
    seconds, peak = done.stdout.split()
    return float(seconds), int(peak)


def main() -> list[Ratio]:
    with tempfile.TemporaryDirectory() as folder:
        path = generate(Path(folder))
        size = path.stat().st_size
        # Alternating: other work on the machine then disturbs both alike.
        runs = [(measured(_READ, path), measured(_JSON_LOAD, path)) for _ in range(ROUNDS)]
    return beside_file("reading", size, runs, LIMIT_TIME, LIMIT_MEMORY)


if __name__ == "__main__":
    sys.exit(bool(missed(main())))
