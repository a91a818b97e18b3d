"""Public bug reports, rebuilt as dumps: verdict, message, cause and ways out are those of a real control plane.

The fields of right.json are told in tests/cases/reports/README.md.
"""

import json
from pathlib import Path
from typing import Any

import pytest

from aliquot.cli.entry import run
from tests.conftest import ROOT

FOLDERS = {
    path.parent.name: path.parent for path in sorted((ROOT / "tests" / "cases" / "reports").glob("*/right.json"))
}
FIRST = 15
"""The cause belongs in the sentence or in the first lines that a reader sees."""
ANYTHING = {"", "pod", "Pod", "-", "node", "claim"}


def dump_of(folder: Path) -> str:
    return str(next(path for path in folder.iterdir() if path.name.startswith("dump.")))


def rows() -> list[Any]:
    found: list[Any] = []
    for name, folder in FOLDERS.items():
        right = json.loads((folder / "right.json").read_text(encoding="utf-8"))
        every = right if isinstance(right, list) else [right]
        found += [pytest.param(row, dump_of(folder), id=f"{name}:{row['pod']}") for row in every]
    return found


def target(pod: str) -> list[str]:
    """namespace/pod, or namespace/deployment/name where no pod could be made."""
    namespace, *rest = pod.split("/")
    return ["/".join(rest) if len(rest) == 2 else f"pod/{rest[0]}", "-n", namespace]


def flowing(text: str) -> str:
    return " ".join(text.split()).lower()


def about(wanted: str, way: Any) -> bool:
    """Whether a way is about an object: it names it, or its commands do."""
    if wanted in ANYTHING:
        return True
    name = wanted.lower().replace("+", "/").split("/")[-1].split(" ")[0].split("'")[0]
    commands = " ".join(change["command"] for change in way["changes"])
    return name in f"{way['object']} {way['title']} {commands}".lower()


def kinds(entry: Any) -> set[str]:
    return {entry["kind"], *entry.get("alsoKinds", [])}


@pytest.mark.parametrize(("row", "dump"), rows())
def test_a_report_is_explained_as_it_is(row: Any, dump: str, capsys: pytest.CaptureFixture[str]) -> None:
    run(["explain", *target(row["pod"]), "-f", dump, "-o", "json"])
    (story,) = json.loads(capsys.readouterr().out)["pods"][:1]
    run(["explain", *target(row["pod"]), "-f", dump])
    shown = capsys.readouterr()
    assert story["verdict"] in {row["verdict"], *row.get("verdictAlso", [])}
    if row.get("schedulerMessage") is not None:
        assert story["schedulerMessage"].strip() == row["schedulerMessage"].strip()
    first = flowing(" ".join([story["sentence"], *shown.out.splitlines()[:FIRST]]))
    for phrases in row.get("cause", {}).get("mustName", []):
        options = [phrases] if isinstance(phrases, str) else phrases
        assert any(one.lower() in first for one in options), f"names none of {options}: {story['sentence']}"
    whole = flowing(shown.out + shown.err)
    for phrases in row.get("mustSay", []):
        options = [phrases] if isinstance(phrases, str) else phrases
        assert any(one.lower() in whole for one in options), f"says none of {options}"
    for phrase in row.get("mustNotSay", []):
        for one in [phrase] if isinstance(phrase, str) else phrase:
            assert one.lower() not in whole
    holders = {held["pod"] for held in story["holders"]}
    assert not holders & set(row.get("mustNotHold") or [])


@pytest.mark.parametrize(("row", "dump"), rows())
def test_the_ways_out_of_a_report(row: Any, dump: str, capsys: pytest.CaptureFixture[str]) -> None:
    run(["explain", *target(row["pod"]), "-f", dump, "-o", "json"])
    out = capsys.readouterr().out
    ways = json.loads(out)["pods"][0]["waysOut"]
    for entry in row.get("mustOffer", []):
        if entry.get("result") != "pending":
            there = [way for way in ways if way["kind"] in kinds(entry) and about(entry.get("object", ""), way)]
            # what can't be tried on a copy is said in words
            said = entry.get("advice") and entry.get("object", "").partition("/")[2] in out
            assert there or said, f"{entry['kind']} {entry.get('object', '')}: {entry.get('why', '')}"
    for entry in row.get("mustNotOffer", []):
        words = f"{entry.get('object', '')} {entry.get('why', '')}"
        plain = not any(word in words for word in (" before ", " first", "only way", "ahead of", " to 0", "risk low"))
        if plain and entry["kind"] != "none" and "with low risk" not in words:
            assert not [way for way in ways if way["kind"] in kinds(entry) and about(entry.get("object", ""), way)], (
                words
            )


@pytest.mark.parametrize(
    "name", [name for name, folder in FOLDERS.items() if "maxLines" in (folder / "right.json").read_text()]
)
def test_many_pods_that_wait_alike_are_told_in_few_lines(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    right = json.loads((FOLDERS[name] / "right.json").read_text(encoding="utf-8"))
    most = right["maxLines"] if isinstance(right, dict) else max(row.get("maxLines", 0) for row in right)
    run(["explain", "--all-pending", "-f", dump_of(FOLDERS[name])])
    assert len(capsys.readouterr().out.splitlines()) <= most
