"""What may import what: tests share nothing but the kit of scenarios, and the kit knows nobody who uses it."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import ROOT

OWN_KITS = {"browser", "cdi", "cel", "cluster", "devices", "kube", "node", "sandbox", "scheduling"}
"""Folders of tests with stand-ins of their own: a browser, a driver's root, NVML, an API server, odd objects."""
WITHOUT_ALIQUOT = ("api", "mixed", "ordinary", "shapes", "tight")


def imported(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (each.name for each in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module is not None:
            yield from (f"{node.module}.{each.name}" for each in node.names)


def files(folder: str) -> list[Path]:
    return sorted((ROOT / folder).rglob("*.py"))


@pytest.mark.parametrize("path", files("scenarios"), ids=str)
def test_the_kit_imports_nobody_who_uses_it(path: Path) -> None:
    assert not [name for name in imported(path) if name.partition(".")[0] in {"tests", "speed", "conformance"}]


@pytest.mark.parametrize("path", [path for room in WITHOUT_ALIQUOT for path in files(f"scenarios/{room}")], ids=str)
def test_what_it_makes_could_be_given_to_any_implementation(path: Path) -> None:
    assert not [name for name in imported(path) if name.partition(".")[0] == "aliquot"]


def from_tests() -> list[tuple[str, str]]:
    """(File, what it imports) of everything that is imported from tests, conftest apart."""
    return [
        (path.relative_to(ROOT).as_posix(), name)
        for path in files("tests")
        for name in imported(path)
        if name.startswith("tests.") and not name.startswith("tests.conftest")
    ]


def test_no_test_imports_another() -> None:
    assert [found for found in from_tests() if any(part.startswith("test_") for part in found[1].split("."))] == []


def test_only_folders_with_fakes_share_them() -> None:
    assert [found for found in from_tests() if found[1].split(".")[1] not in OWN_KITS] == []
