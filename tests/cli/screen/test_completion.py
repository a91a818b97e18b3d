"""`aliquot completion`: the scripts, in the shells that are here."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from aliquot.cli.entry import run

LINES = [
    pytest.param(["exp"], ["explain"], id="a command"),
    pytest.param(["explain", "--all"], ["--all-pending"], id="an option"),
    pytest.param(["cdi", "run"], ["runtime"], id="a command of a command"),
    pytest.param(["explain", "-o", "h"], ["html"], id="a choice"),
    pytest.param(["completion", ""], ["bash", "zsh", "fish", "kubectl"], id="shells"),
]


def script(shell: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    assert run(["completion", shell]) == 0
    file = tmp_path / f"completion.{shell}"
    file.write_text(capsys.readouterr().out, "utf-8")
    return file


def needed(shell: str) -> str:
    found = shutil.which(shell)
    if found is None:
        pytest.skip(f"{shell} isn't installed here")
    return found


def said(*command: str, **environment: str) -> list[str]:
    told = subprocess.run(
        command, capture_output=True, text=True, check=True, timeout=60, env={**os.environ, **environment}
    )
    assert told.stderr == ""
    return told.stdout.splitlines()


@pytest.mark.parametrize(("typed", "offered"), LINES)
def test_bash(typed: list[str], offered: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = script("bash", tmp_path, capsys)
    code = (
        'source "$1"; shift; complete -p aliquot >/dev/null || exit 9; '
        'COMP_WORDS=(aliquot "$@"); COMP_CWORD=$#; _aliquot; printf "%s\\n" "${COMPREPLY[@]}"'
    )
    assert said(needed("bash"), "--norc", "-c", code, "bash", str(file), *typed) == offered


@pytest.mark.parametrize(("typed", "offered"), LINES)
def test_kubectl(typed: list[str], offered: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = script("kubectl", tmp_path, capsys)
    assert said(needed("bash"), str(file), *typed) == [*offered, ":0"]


@pytest.mark.parametrize(("typed", "offered"), LINES[:3])
def test_fish(typed: list[str], offered: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = script("fish", tmp_path, capsys)
    line = " ".join(["aliquot", *typed])
    lines = said(needed("fish"), "--no-config", "-c", f"source {file}; complete -C '{line}'", HOME=str(tmp_path))
    assert [one.partition("\t")[0] for one in lines] == offered


def test_zsh(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    zsh = needed("zsh")
    file = script("zsh", tmp_path, capsys)
    said(zsh, "-n", str(file))
    (tmp_path / "_aliquot").write_text(file.read_text("utf-8"), "utf-8")
    code = f"fpath=({tmp_path} $fpath); autoload -Uz compinit; compinit -u -d {tmp_path}/dump; print $_comps[aliquot]"
    assert said(zsh, "-f", "-c", code, HOME=str(tmp_path)) == ["_aliquot"]


def test_another_shell_is_a_mistake(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["completion", "csh"]) == 2
    assert "csh" in capsys.readouterr().err
