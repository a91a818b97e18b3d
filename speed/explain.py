"""What `aliquot explain` of a large dump takes, beside CPython's json.load of the same file.

CPU time of whole processes (user and system), so that other work on the machine disturbs little; the two take turns.
"""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from speed.big_dump import generate
from speed.limits import ROUNDS, Ratio, beside_file, missed, ratio

LIMIT_TIME = 1.0
"""Times json.load."""
LIMIT_ONE = 0.6
"""The same, of one pod."""
LIMIT_MEMORY = 2.0
"""Times the file, at the peak."""
LIMIT_JSON = 20 * 2**20
"""Bytes of `-o json`, for people: the file beside it decides."""
MIXED = (1000, 8000, 300)
"""Nodes, pods, pending ones: a smaller cluster with the dozen causes of the large one."""
LIMIT_MIXED = 10.0
"""Seconds, for people."""
PENDING = 3
"""Exit status: pods stay pending, that's what the dump is about."""


def spent(arguments: list[str], status: int) -> tuple[float, int, int]:
    """(CPU seconds, peak bytes, bytes written) of a process."""
    script = (
        "import resource, subprocess, sys\n"
        "done = subprocess.run(sys.argv[2:], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)\n"
        "assert done.returncode == int(sys.argv[1]), done.returncode\n"
        "used = resource.getrusage(resource.RUSAGE_CHILDREN)\n"
        "print(used.ru_utime + used.ru_stime, used.ru_maxrss * 1024, len(done.stdout))\n"
    )
    # compiled once, as it's installed
    compiled = {**os.environ, "PYTHONDONTWRITEBYTECODE": ""}
    done = subprocess.run(
        [sys.executable, "-c", script, str(status), *arguments],
        capture_output=True,
        text=True,
        check=True,
        env=compiled,
    )
    seconds, peak, written = done.stdout.split()
    return float(seconds), int(peak), int(written)


def explain(*arguments: str) -> list[str]:
    """The command line."""
    return [sys.executable, "-m", "aliquot", "explain", *arguments]


def one_pending(path: Path) -> str:
    """`pod/NAME` of a pod that waits, of the dump's."""
    with path.open(encoding="utf-8") as file:
        items = json.load(file)["items"]
    found = next(one for one in items if one["kind"] == "Pod" and not one["spec"].get("nodeName"))
    return f"pod/{found['metadata']['name']}"


def main() -> list[Ratio]:
    """Print the ratios."""
    with tempfile.TemporaryDirectory() as folder:
        path = generate(Path(folder))
        size = path.stat().st_size
        load = [sys.executable, "-c", "import json, sys; json.load(open(sys.argv[1]))", str(path)]
        every = explain("--all-pending", "-f", str(path))
        single = explain(one_pending(path), "-f", str(path))
        runs = [(spent(every, PENDING), spent(load, 0), spent(single, PENDING)) for _ in range(ROUNDS)]
        ratios = beside_file(
            "explain --all-pending", size, [(all_[:2], json_[:2]) for all_, json_, _ in runs], LIMIT_TIME, LIMIT_MEMORY
        )
        alone = ratio("explain one pod: time by json.load's", [(one[0], load_[0]) for _, load_, one in runs], LIMIT_ONE)
        written = spent([*every, "-o", "json"], PENDING)[2]
        sized = ratio("explain -o json: bytes by the file's", [(written, size)], LIMIT_JSON / (213 * 2**20))
        mixed = generate(Path(folder), nodes=MIXED[0], pods=MIXED[1], pending=MIXED[2])
        seconds = spent(explain("--all-pending", "-f", str(mixed)), PENDING)[0]
    for each in (alone, sized):
        print(f"{each.name}: {each}")
    print(f"-o json: {written / 2**20:.1f} MiB (limit {LIMIT_JSON / 2**20:.0f} MiB)")
    nodes, _, pending = MIXED
    print(f"{nodes} nodes, {pending} pending, 12 causes: {seconds:.1f} s (limit {LIMIT_MIXED:.0f} s, for people)")
    return [*ratios, alone, sized]


if __name__ == "__main__":
    sys.exit(bool(missed(main())))
