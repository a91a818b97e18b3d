"""The doors that others use stay as they are: commands, their options, filters, files of cases."""

import inspect
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from conformance import __main__ as conformance
from scenarios.shapes.everyday import everyday
from speed import big_dump
from speed.__main__ import parts
from tests.conftest import ROOT


def asked(module: str, case: object, *options: str) -> dict[str, Any]:
    """One line in, one line out."""
    done = subprocess.run(
        [sys.executable, "-m", module, *options],
        input=json.dumps(case) + "\n",
        capture_output=True,
        text=True,
        check=True,
        cwd=ROOT,
    )
    (line,) = done.stdout.splitlines()
    answer: dict[str, Any] = json.loads(line)
    return answer


@pytest.mark.parametrize("engine", ["exact", "reference"])
def test_the_allocation_filter_answers_a_scenario_and_times_it(engine: str) -> None:
    (scenario, *_) = everyday()
    answer = asked("conformance.allocation", scenario, "--engine", engine, "--repeat", "1")
    assert list(answer) == ["name", "implementation", "nodes", "ns"]
    (node,) = answer["nodes"]
    (result,) = node["results"][0]["devices"]["results"]
    assert (node["outcome"], result["device"]) == ("allocated", "gpu-0")
    assert node["ns"] > 0


def test_the_cel_filter_answers_a_verdict() -> None:
    case = {"id": "1", "expr": "device.driver == 'a'", "device": {"driver": "a"}}
    assert asked("conformance.cel", case)["verdict"] == "T"


def test_the_cdi_filter_answers_a_case() -> None:
    case = {"file": "probes_names.json", "name": "n", "input": {"device": "vendor.com/gpu=0"}}
    answer = asked("conformance.cdi", case)
    assert (answer["ok"], answer["error_category"]) == (True, None)
    assert answer["result"]["parsed"] == {"vendor": "vendor.com", "class": "gpu", "name": "0"}


def test_conformance_takes_its_options(monkeypatch: pytest.MonkeyPatch) -> None:
    asked_for: list[tuple[object, ...]] = []

    def runs(*wanted: object) -> list[object]:
        asked_for.append(wanted)
        return []

    monkeypatch.setattr("conformance.reference.build", lambda _kubernetes: Path())
    monkeypatch.setattr("conformance.given.disagreements", lambda: ())
    monkeypatch.setattr(conformance, "runs", runs)
    monkeypatch.setattr("sys.argv", ["conformance", "--only", "cel", "exact", "--count", "7", "--seed", "3"])
    assert conformance.main() == 0
    ((count, seed, _versions, only),) = asked_for
    assert (count, seed, only) == (7, 3, ["cel", "exact"])


def test_make_hands_them_on() -> None:
    shown = subprocess.run(
        ["make", "--dry-run", "conformance", "N=5", "SEED=6"], capture_output=True, text=True, check=True, cwd=ROOT
    )
    assert "-m conformance --count 5 --seed 6" in shown.stdout


def test_the_benchmarks_have_their_names() -> None:
    assert parts() == [
        "allocation",
        "cdi",
        "cel",
        "explain",
        "mig",
        "node",
        "publishing",
        "reading",
        "scheduling",
        "startup",
    ]


def test_a_large_dump_is_written_into_a_folder(tmp_path: Path) -> None:
    assert next(iter(inspect.signature(big_dump.generate).parameters)) == "folder"
    path = big_dump.generate(tmp_path, nodes=20, pods=40, pending=2)
    assert path.parent == tmp_path
    assert {item["kind"] for item in json.loads(path.read_text())["items"]} >= {"Node", "Pod", "Deployment"}


@pytest.mark.parametrize(
    "path",
    [
        "tests/scheduling/test_random_clusters.py",
        "tests/scheduling/test_random_clusters_with_claims.py",
        "tests/cases/random-clusters.jsonl.gz",
    ],
)
def test_files_that_others_run_are_where_they_were(path: str) -> None:
    assert (ROOT / path).is_file()
