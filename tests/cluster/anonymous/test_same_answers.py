"""An anonymised cluster has the same verdicts, messages, counts and ways out, up to names."""

import gzip
import io
import json
from collections import Counter
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import pytest

from aliquot.advisor.explain import explain
from aliquot.advisor.explanation.value import Explanation
from aliquot.cli.release import chosen_kubernetes
from aliquot.cluster.anonymous.objects import anonymised
from aliquot.cluster.anonymous.pseudonyms import Pseudonyms
from aliquot.cluster.dump.from_files import FileSource
from aliquot.cluster.files import FileCluster
from aliquot.cluster.reading import Reading
from aliquot.scheduling.scheduler import Scheduler
from tests.cluster.anonymous.dumps import CASES, DUMPS


@cache
def random_clusters() -> dict[str, bytes]:
    """Name -> a cluster with all its pods still pending."""
    found: dict[str, bytes] = {}
    with gzip.open(CASES / "random-clusters.jsonl.gz", "rt", encoding="utf-8") as lines:
        for one in map(json.loads, lines):
            pods = [step["pod"] for step in one["steps"] if step["verdict"] != "rejected"]
            found[one["name"]] = json.dumps([*one["objects"], *pods]).encode()
    return found


def told(story: Explanation, *, ordered: bool) -> dict[str, Any]:
    """What must be the same, up to names in the message; `ordered`: the order of ways out too."""
    kinds_of_ways = [way.kind for way in story.ways_out]
    return {
        "verdict": story.verdict,
        "reason": story.reason,
        "nodes": Counter(
            (len(group.nodes), tuple(reason.filter for reason in group.reasons)) for group in story.groups
        ),
        "feasible": len(story.feasible),
        "holders": len(story.holdings),
        "ways out": kinds_of_ways if ordered else sorted(kinds_of_ways),
        "advice": [type(advice).__name__ for advice in story.advice],
        "note": bool(story.note),
        "not checked": len(story.not_checked),
    }


def same_answers(data: bytes, seed: int) -> None:
    names = Pseudonyms(Random(seed))
    lines = FileSource(["-"], io.BytesIO(data)).lines(lambda thing: anonymised(thing, names))
    before = FileCluster(["-"], io.BytesIO(data)).read()
    after = FileCluster(["-"], io.BytesIO(b"\n".join(lines))).read()
    assert after.warnings == ()
    assert kinds(after) == kinds(before)
    scheduler = Scheduler.of(chosen_kubernetes(before.snapshot, None).kubernetes)
    assert chosen_kubernetes(after.snapshot, None) == chosen_kubernetes(before.snapshot, None)
    for pod in before.snapshot.pending():
        twin = after.snapshot.pods[f"{names.name(pod.namespace)}/{names.name(pod.name)}"]
        (mine,) = explain(before.snapshot, [pod], scheduler)
        (theirs,) = explain(after.snapshot, [twin], scheduler)
        # of equal pods in the queue the name decides who goes first, and other names may decide otherwise
        contested = any(way.after.first for story in (mine, theirs) for way in story.ways_out)
        assert told(theirs, ordered=not contested) == told(mine, ordered=not contested)
        assert theirs.scheduler_message == names.message(mine.scheduler_message)


def kinds(reading: Reading) -> Counter[str]:
    return Counter(type(thing).__name__ for thing in reading.objects)


@pytest.mark.parametrize("dump", DUMPS, ids=lambda path: path.parent.name)
def test_dumps(dump: Path) -> None:
    same_answers(dump.read_bytes(), seed=1)


@pytest.mark.law
@pytest.mark.parametrize("name", sorted(random_clusters()))
def test_random_clusters(name: str) -> None:
    same_answers(random_clusters()[name], seed=len(name))
