"""Real containerd beside our rules, then pods with a device: ``python -m conformance.runtimes [--count 100]``.

Exit status: 0 nothing differs, 1 something does, 2 a program is missing (Go, its modules, Debian's containerd, runc).
"""

import argparse
import sys
import tempfile
import time
from pathlib import Path

from conformance.reference import MissingReferenceError
from conformance.runtimes.compared import differences
from conformance.runtimes.programs import containerds
from conformance.runtimes.resolving import MissingProgramError, resolves, starts_with_cri

SHOWN = 5


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m conformance.runtimes", description="Compare with real containerd.")
    parser.add_argument("--count", type=int, default=100, help="random configurations, each read by every release")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--no-pods", action="store_true", help="don't start pods (they need root, runc and ctr)")
    wanted = parser.parse_args()
    try:
        programs = containerds()
    except MissingReferenceError as error:
        print(f"no comparison: {error}", file=sys.stderr)
        return 2
    begin = time.monotonic()
    found = list(differences(programs, wanted.count, wanted.seed))
    asked = wanted.count * len(programs)
    print(f"containerd {', '.join(programs)}: {asked} asked, {len(found)} differ ({time.monotonic() - begin:.0f} s)")
    for difference in found[:SHOWN]:
        print(difference)
    failed = bool(found)
    for release, program in programs.items() if not wanted.no_pods else ():
        with tempfile.TemporaryDirectory() as room:
            try:
                told = (starts_with_cri if release.startswith("1.6") else resolves)(program, release, Path(room))
            except MissingProgramError as error:
                print(f"no pods: {error}", file=sys.stderr)
                return 2
        good = "it starts with CRI on" if release.startswith("1.6") else "it starts, and a pod gets its device"
        print(f"containerd {release} with Docker's packaged file, configured: {told or good}")
        failed |= bool(told)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
