"""kubectl beside the commands of every remedy: ``python -m conformance.commands [--count 200] [--seed 1]``.

Exit status: 0 kubectl takes them all, 1 it doesn't, 2 there's no kubectl to ask (Go or its modules are missing).
"""

import argparse
import json
import sys
import time
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Any

from conformance.commands import clusters, kubectl
from conformance.commands.printed import CLUSTER_WIDE, Printed, mistakes, printed
from conformance.reference import MissingReferenceError
from scenarios.drivers import Json

SHOWN = 30


def target_of(one: Printed, objects: Sequence[Json]) -> list[Json]:
    """The object of the cluster that a command is about; none where it isn't there."""
    kind, name = one.target()
    namespace = one.given("-n", "--namespace") or "default"
    for thing in objects:
        meta = thing.get("metadata", {})
        if str(thing.get("kind", "")).lower() not in (kind, kind.removesuffix("s")) or meta.get("name") != name:
            continue
        if kind in CLUSTER_WIDE or meta.get("namespace", "default") == namespace:
            return [thing]
    return []


def holds(made: Any, patch: Any) -> bool:
    """Whether what a merging patch says is in the object that it made."""
    if isinstance(patch, dict):
        if not isinstance(made, dict):
            return not [one for one in patch.values() if one is not None]
        return all(
            made.get(key) is None if value is None else holds(made.get(key), value)
            for key, value in patch.items()
            if not key.startswith("$")
        )
    if isinstance(patch, list):
        kept = [one for one in patch if not (isinstance(one, dict) and "$patch" in one)]
        return isinstance(made, list) and all(any(holds(each, one) for each in made) for one in kept)
    return bool(made == patch)


def differences(found: list[tuple[str, Printed, list[Json]]]) -> Iterator[str]:
    """What kubectl says against the commands."""
    questions = [{"argv": list(one.words), "objects": objects} for _, one, objects in found]
    for (where, one, _), said in zip(found, kubectl.ask(questions), strict=True):
        for problem in said["problems"]:
            yield f"{where}: {problem}\n    {one.line}"
        text = one.given("-p", "--patch")
        if "patched" in said and text and one.given("--type") != "json":
            patch = json.loads(text)
            if not holds(said["patched"], patch):
                yield f"{where}: what the patch says isn't in the patched object\n    {one.line}"


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m conformance.commands", description="Ask kubectl's code about the commands of remedies."
    )
    parser.add_argument("--count", type=int, default=200, help="generated clusters beside the dumps of the cases")
    parser.add_argument("--seed", type=int, default=1)
    wanted = parser.parse_args()
    begin = time.monotonic()
    try:
        kubectl.built()
    except MissingReferenceError as error:
        print(f"no comparison: {error}", file=sys.stderr)
        return 2
    ready = time.monotonic()
    asked: list[tuple[str, Printed, list[Json]]] = []
    wrong: list[str] = []
    seen = 0
    for name, objects in chain(clusters.given(), clusters.generated(wanted.count, wanted.seed)):
        seen += 1
        for _, one in printed(clusters.explained(objects)):
            if isinstance(one, str):
                wrong.append(f"{name}: {one}")
                continue
            wrong += [f"{name}: {each}\n    {one.line}" for each in mistakes(one)]
            if one.words[0] == "kubectl":
                asked.append((name, one, target_of(one, objects)))
    wrong += differences(asked)
    patched = sum(1 for _, one, objects in asked if objects and one.words[1] == "patch")
    print(
        f"kubectl 1.36: {len(asked)} commands of {seen} clusters asked, {patched} patches applied; {len(wrong)} wrong"
        f" (build {ready - begin:.0f} s, {time.monotonic() - ready:.0f} s)"
    )
    for each in wrong[:SHOWN]:
        print(f"  {each}")
    if len(wrong) > SHOWN:
        print(f"  ... and {len(wrong) - SHOWN} more")
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
