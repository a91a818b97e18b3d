"""Exact answers: those of the real allocator, and of its copy with eight defects repaired where a defect shows."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from conformance.allocation import answer
from scenarios.asking.answers import plain
from tests.conftest import ROOT, SHARED

Json = dict[str, Any]

CASES = ROOT / "tests" / "cases" / "allocator"
UPSTREAM = SHARED / "cases" / "allocator" / "reference.jsonl"


def rows(path: Path) -> Iterator[Json]:
    for line in path.read_text().splitlines():
        yield json.loads(line)


def given() -> Iterator[Any]:
    for name in ("random", "quirks"):
        for row in rows(CASES / f"{name}.jsonl"):
            answers = row["answers"]
            right = answers.get("fixed") or answers[row.get("oracle") or "experimental"]
            yield pytest.param(row, right["nodes"], id=row["name"])
    if UPSTREAM.exists():
        for row in rows(UPSTREAM):
            others = (row.get("answersOfOtherVersion") or {}).get("v0.36.2") or {}
            right = next(iter(others.values()), row["expected"])
            yield pytest.param(row, [{"node": row["node"], **right}], id=f"reference-{row['name']}")


@pytest.mark.parametrize(("row", "right"), list(given()))
def test_answers(row: Json, right: list[Json]) -> None:
    got = answer(row, engine="exact")["nodes"]
    for mine, theirs in zip(got, right, strict=True):
        have, want = plain(mine), plain(theirs)
        assert (have["outcome"], have["nodeOnlyError"]) == (want["outcome"], want["nodeOnlyError"])
        assert have.get("results") == want.get("results")
        if want["outcome"] == "error" and "not found" not in want["error"]:  # the test's class lister words that
            assert have["error"] == want["error"]
