"""Where the reference can't be built, the text says why; where nothing changed, nothing is built."""

import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from conformance import reference
from conformance.__main__ import main
from conformance.reference import MissingReferenceError, build, sources_of


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reference, "BUILT", tmp_path)
    build.cache_clear()


def go(monkeypatch: pytest.MonkeyPatch, returncode: int, stderr: str = "") -> list[list[str]]:
    calls: list[list[str]] = []

    def run(command: list[str], **_more: Any) -> subprocess.CompletedProcess[str]:
        calls.append(command)
        Path(command[command.index("-o") + 1]).write_text("program")
        return subprocess.CompletedProcess(command, returncode, "", stderr)

    monkeypatch.setattr(shutil, "which", lambda _name: "/bin/go")
    monkeypatch.setattr(subprocess, "run", run)
    return calls


def test_without_go_it_says_so(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(shutil, "which", lambda _name: None)
    with pytest.raises(MissingReferenceError, match=r"Install Go 1\.26"):
        build("1.36")
    monkeypatch.setattr("sys.argv", ["conformance", "--count", "1"])
    assert main() == 2
    assert "the Go toolchain is missing" in capsys.readouterr().err


def test_a_failed_build_names_the_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    go(monkeypatch, 1, "dial tcp: lookup proxy: no such host")
    with pytest.raises(MissingReferenceError, match=r"(?s)set GOPROXY.*no such host"):
        build("1.37")


def test_it_is_built_once_for_the_same_sources(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = go(monkeypatch, 0)
    program = build("1.37")
    build.cache_clear()
    assert build("1.37") == program
    assert len(calls) == 1
    assert "-modfile=kubernetes-1.37.mod" in calls[0]


@pytest.mark.parametrize("kubernetes", ["1.36", "1.37"])
def test_every_source_is_there(kubernetes: str) -> None:
    assert all(path.exists() for path in sources_of(kubernetes))
