"""How often `explain` names the injected cause, and offers a right remedy among its first three ways, by kind.

    python -m scenarios.mixed [--seeds 20] [--first 1] [--misses] [--write FOLDER]

Exit status: 0 both in at least 95 % of the pods, 1 not.
"""

import argparse
import json
import sys
from collections import Counter
from pathlib import Path
from typing import Final

from scenarios.diagnosed import verdicts
from scenarios.mixed import cluster

NEEDED: Final = 0.95


def main() -> int:
    """Run from the command line."""
    parser = argparse.ArgumentParser(
        prog="python -m scenarios.mixed", description="Hold explain against mixed clusters."
    )
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--misses", action="store_true", help="print each pod whose cause or remedy is missed")
    parser.add_argument("--write", type=Path, help="write each cluster's dump and truth into this folder")
    wanted = parser.parse_args()
    pods, causes, remedies = Counter[str](), Counter[str](), Counter[str]()
    for seed in range(wanted.first, wanted.first + wanted.seeds):
        made = cluster(seed)
        if wanted.write:
            wanted.write.mkdir(parents=True, exist_ok=True)
            dump = {"apiVersion": "v1", "kind": "List", "items": list(made.objects)}
            (wanted.write / f"{seed}.json").write_text(json.dumps(dump), encoding="utf-8")
        for one in verdicts(made):
            kind = one.injected.kind
            pods[kind] += 1
            causes[kind] += one.cause
            remedies[kind] += one.remedy
            if wanted.misses and not (one.cause and one.remedy):
                missed = " and ".join(("cause",) * (not one.cause) + ("remedy",) * (not one.remedy))
                print(f"seed {seed}, {missed} missed: {one}")
    for kind in sorted(pods):
        print(f"{kind:24} {pods[kind]:4} pods   cause {causes[kind]:4}   remedy {remedies[kind]:4}")
    total, named, offered = pods.total(), causes.total(), remedies.total()
    shares = f"cause {named} ({named / total:.1%}), remedy {offered} ({offered / total:.1%})"
    print(f"{len(pods)} kinds, {total} pods: {shares}")
    return int(min(named, offered) < NEEDED * total)


if __name__ == "__main__":
    sys.exit(main())
