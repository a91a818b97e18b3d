"""Every moment of every work on every kind of claim.

Exit status: 0 nothing was lost and nothing leaked, 1 something did.
"""

import sys
import tempfile
from pathlib import Path

from scenarios.deaths.killed import WORKS, killed
from scenarios.deaths.kinds import KINDS


def main() -> int:
    """Print how often an agent died, and what went wrong."""
    moments, wrong = 0, 0
    for name, kind in KINDS.items():
        for work, then in WORKS:
            with tempfile.TemporaryDirectory(prefix="aliquot-") as folder:
                tally = killed(Path(folder), kind, work, then)
            moments += tally.moments
            wrong += len(tally.wrong)
            for complaint in tally.wrong:
                print(f"{name}, killed in {work}, then {then}: {complaint}")
    print(f"the agent died {moments} times in {len(KINDS)} kinds of claims: {wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
