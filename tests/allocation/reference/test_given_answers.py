"""Every scenario that the real allocator answered: outcome, devices, order, configuration, node selector and steps."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from aliquot.allocation.allocator_features import Implementation, supports
from aliquot.allocation.behaviour import REPAIRED
from aliquot.allocation.reference.allocator import Reference
from aliquot.allocation.rules.cel_selectors import selectors_of
from aliquot.kube.release import Kubernetes
from conformance.allocation import answer, node_answer
from scenarios.asking.answers import plain
from scenarios.asking.question import question_of
from tests.conftest import ROOT, SHARED

Json = dict[str, Any]

CASES = ROOT / "tests" / "cases" / "allocator"
UPSTREAM = SHARED / "cases" / "allocator" / "reference.jsonl"
ALPHA = "1.37.0-alpha.2"

STABLE_IS_RANDOM = "stable takes pools in Go's random order: its devices and steps are one of several right ones"
LOST_IN_JSON = {"list-attributes-distinct-constaint-with-empty-or-unknown-type": "an empty list of its first device"}


def rows(path: Path) -> list[Json]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def compared(node: Json, like: Json, *, by_outcome: bool = False) -> Json:
    """What of an answer counts beside another one: outcome, results, and the steps where the other tells them."""
    made = plain(node)
    outcome = {name: made[name] for name in ("outcome", "nodeOnlyError")}
    if by_outcome:
        return outcome
    steps = {"steps": made["allocateOneCalls"]} if "allocateOneCalls" in like else {}
    return outcome | {"results": made.get("results")} | steps


def given() -> Iterator[Any]:
    for name in ("random", "quirks"):
        for row in rows(CASES / f"{name}.jsonl"):
            for who, wanted in row["answers"].items():
                if who != "fixed" and "nodes" in wanted:
                    yield pytest.param(row, who, wanted["nodes"], id=f"{row['name']}-{who}")


@pytest.mark.parametrize(("row", "who", "wanted"), list(given()))
def test_answers_as_the_go_code(row: Json, who: str, wanted: list[Json]) -> None:
    implementation: Implementation = "experimental" if who == "v037" else who  # type: ignore[assignment]
    got = answer(row, implementation=implementation, kubernetes=ALPHA if who == "v037" else "1.36")
    for mine, theirs in zip(got["nodes"], wanted, strict=True):
        by_outcome = who == "stable"
        assert compared(mine, theirs, by_outcome=by_outcome) == compared(theirs, theirs, by_outcome=by_outcome)


def refused() -> Iterator[Any]:
    for name in ("random", "quirks"):
        for row in rows(CASES / f"{name}.jsonl"):
            for who, wanted in row["answers"].items():
                if "unsupportedFeatures" in wanted:
                    yield pytest.param(row, who, id=f"{row['name']}-{who}")


@pytest.mark.parametrize(("row", "who"), list(refused()))
def test_knows_what_an_implementation_cannot(row: Json, who: Implementation) -> None:
    assert not supports(who, question_of(row, "1.36").supply.features)


def repaired() -> Iterator[Any]:
    for name in ("random", "quirks"):
        for row in rows(CASES / f"{name}.jsonl"):
            if "fixed" in row["answers"]:
                yield pytest.param(row, id=row["name"])


@pytest.mark.parametrize("row", list(repaired()))
def test_without_its_defects_it_answers_as_the_repaired_code(row: Json) -> None:
    question = question_of(row, "1.36")
    selectors = selectors_of(Kubernetes(36), question.supply.features)
    engine = Reference(question.supply, selectors, REPAIRED, "experimental")
    for node, theirs in zip(question.nodes, row["answers"]["fixed"]["nodes"], strict=True):
        mine = node_answer(node, engine.allocate(node, question.claims), row["claims"])
        assert compared(mine, theirs) == compared(theirs, theirs)


def upstream() -> Iterator[Any]:
    for row in rows(UPSTREAM) if UPSTREAM.exists() else ():
        for implementation in row["supportedBy"]:
            yield pytest.param(row, implementation, id=f"{row['name']}-{implementation}")


@pytest.mark.skipif(not UPSTREAM.exists(), reason="the shared cases aren't beside this clone")
@pytest.mark.parametrize(("row", "implementation"), list(upstream()))
def test_upstreams_own_table(row: Json, implementation: Implementation) -> None:
    released = row["version"] == "v0.36.2"
    got = answer(row, implementation=implementation, kubernetes="1.36" if released else ALPHA)["nodes"][0]
    wanted = dict(row["expected"])
    if row["name"] not in LOST_IN_JSON and implementation in row["allocateOneCalls"]:
        wanted["allocateOneCalls"] = row["allocateOneCalls"][implementation]
    by_outcome = bool(implementation == "stable" and row.get("stableNondeterministic"))
    assert compared(got, wanted, by_outcome=by_outcome) == compared(wanted, wanted, by_outcome=by_outcome)
    if "errorContains" in row["testExpectation"]:
        assert row["testExpectation"]["errorContains"] in got["error"]


@pytest.mark.skipif(not UPSTREAM.exists(), reason="the shared cases aren't beside this clone")
@pytest.mark.parametrize(
    ("row", "implementation"), [param for param in upstream() if "expectedV037" in param.values[0]]
)
def test_upstreams_table_as_the_next_version_answers(row: Json, implementation: Implementation) -> None:
    got = answer(row, implementation=implementation, kubernetes=ALPHA)["nodes"][0]
    assert compared(got, row["expectedV037"]) == compared(row["expectedV037"], row["expectedV037"])
    if row["name"] not in LOST_IN_JSON:
        assert got.get("error") == row["expectedV037"].get("error")
