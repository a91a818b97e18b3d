"""Every case of cases/cdi, by way of the conformance program; differences are the defects listed here."""

import json
from pathlib import Path
from typing import Any

import pytest

from conformance.cdi import answer
from conformance.cdi_operations import OPERATIONS
from tests.cdi.cases import COPIED, COPIES, ORIGINALS, differences, rows

# Row -> the test that pins ours, where the Go library 1.1.0 answers by a defect: a conflict in a low folder also
# removes a single definition in a higher one.
DEFECTS = {
    (
        "probes_inject",
        "PEER QUIRK conflict below, single definition above: unresolvable in Go",
    ): "test_registry.py::test_a_conflict_below_does_not_hurt_the_winner_above",
}
OTHERS = sorted(
    path.name
    for path in (ORIGINALS.iterdir() if ORIGINALS.is_dir() else ())
    if path.name not in COPIED and path.name not in ("index.json", "nvctk_generate.json")
)


def _check(path: Path) -> None:
    wrong: list[str] = []
    for row in rows(path):
        said = answer({"file": path.name, "name": row["name"], "input": row["input"]})
        expect: dict[str, Any] = row.get("expect") or row["go"]
        found = differences(expect, said["result"])
        excused = (path.stem, row["name"]) in DEFECTS
        if bool(found) != excused:
            wrong.append(f"{row['name']}: {'; '.join(found) or 'the defect is gone'}")
        elif said["ok"] != (said["error_category"] is None):
            wrong.append(f"{row['name']}: ok and error_category disagree")
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("name", COPIED)
def test_our_own_cases(name: str) -> None:
    _check(COPIES / name)


@pytest.mark.skipif(not ORIGINALS.is_dir(), reason="../shared isn't there")
@pytest.mark.parametrize("name", OTHERS)
def test_cases_of_the_go_library(name: str) -> None:
    _check(ORIGINALS / name)


@pytest.mark.skipif(not ORIGINALS.is_dir(), reason="../shared isn't there")
def test_each_file_of_cases_has_an_operation() -> None:
    index = json.loads((ORIGINALS / "index.json").read_text())
    named = {name.split(".")[0] for name in index["files"]}
    assert named == set(OPERATIONS)
