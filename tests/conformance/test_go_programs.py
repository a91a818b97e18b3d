"""Go programs are built once for their sources, outside of the checkout; where they can't be, the text says why."""

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from conformance.commands import __main__ as commands
from conformance.go_programs import built
from conformance.node import __main__ as node
from conformance.reference import MissingReferenceError


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    built.cache_clear()


@pytest.fixture
def sources(tmp_path: Path) -> Path:
    (tmp_path / "p").mkdir()
    (tmp_path / "p/main.go").write_text("package main")
    (tmp_path / "p/go.mod").write_text("module p")
    return tmp_path / "p"


def go(monkeypatch: pytest.MonkeyPatch, returncode: int, stderr: str = "") -> list[list[str]]:
    calls: list[list[str]] = []

    def run(command: list[str], **_more: Any) -> subprocess.CompletedProcess[str]:
        calls.append(command)
        Path(command[command.index("-o") + 1]).write_text("program")
        return subprocess.CompletedProcess(command, returncode, "", stderr)

    monkeypatch.setattr(shutil, "which", lambda _name: "/bin/go")
    monkeypatch.setattr(subprocess, "run", run)
    return calls


def test_it_is_built_once_for_the_same_sources(sources: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    calls = go(monkeypatch, 0)
    program = built(sources, "p", "a program")
    assert program.is_relative_to(tmp_path / "cache")
    built.cache_clear()
    assert built(sources, "p", "a program") == program
    assert len(calls) == 1
    (sources / "main.go").write_text("package main // changed")
    built.cache_clear()
    assert built(sources, "p", "a program") != program
    assert len(calls) == 2


def test_a_failed_build_is_told(sources: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    go(monkeypatch, 1, "main.go:1:1: expected 'package'")
    with pytest.raises(MissingReferenceError, match=r"(?s)failed for p:.*expected 'package'"):
        built(sources, "p", "a program")


@pytest.mark.parametrize(
    ("main", "what"),
    [
        pytest.param(commands.main, "kubectl's command tree", id="commands"),
        pytest.param(node.main, "a DRA driver over kubeletplugin", id="node"),
    ],
)
def test_without_go_they_say_so(
    main: Callable[[], int], what: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(shutil, "which", lambda _name: None)
    monkeypatch.setattr("sys.argv", ["conformance"])
    assert main() == 2
    assert f"the Go toolchain is missing: {what}" in capsys.readouterr().err
