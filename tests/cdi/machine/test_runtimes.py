"""Configuration files on disk: backups, modes, versions that programs tell."""

import os
from pathlib import Path

import pytest

from aliquot.cdi.machine.runtimes import ConfigChange, carry_out, config_change, installed_version, read_config
from aliquot.cdi.problems import SpecError
from aliquot.cdi.runtime_config import RUNTIMES, Runtime


def test_a_change_with_its_backup(tmp_path: Path) -> None:
    file = tmp_path / "daemon.json"
    file.write_text('{"debug": true}\n')
    file.chmod(0o640)
    (tmp_path / "daemon.json.bak").write_text("earlier")
    change = config_change("docker", str(file), "27.0")
    assert change.needed
    assert '+  "features"' in change.diff()
    backup = carry_out(change)
    assert backup == f"{file}.bak.1"
    assert Path(backup).read_text() == '{"debug": true}\n'
    assert (tmp_path / "daemon.json.bak").read_text() == "earlier"
    assert file.stat().st_mode & 0o777 == 0o640
    again = config_change("docker", str(file), "27.0")
    assert not again.needed
    assert carry_out(again) == ""
    assert sorted(path.name for path in tmp_path.iterdir()) == ["daemon.json", "daemon.json.bak", "daemon.json.bak.1"]


def test_a_file_that_isnt_there_yet(tmp_path: Path) -> None:
    change = config_change("crio", str(tmp_path / "crio.conf.d/99-cdi.conf"), "")
    assert carry_out(change) == ""
    assert "cdi_spec_dirs" in (tmp_path / "crio.conf.d/99-cdi.conf").read_text()
    assert "\\ No newline" not in change.diff()


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "real.json").write_text("{}")
    (tmp_path / "daemon.json").symlink_to("real.json")
    carry_out(config_change("docker", str(tmp_path / "daemon.json"), "27.0"))
    assert (tmp_path / "daemon.json").is_symlink()
    assert "cdi" in (tmp_path / "real.json").read_text()


def test_a_diff_of_text_without_a_newline_at_its_end() -> None:
    assert ConfigChange("f", "a", "b\n").diff() == "--- f\n+++ f\n@@ -1 +1 @@\n-a\n+b\n"


def test_what_cant_be_read_or_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert read_config("") == ""
    with pytest.raises(SpecError, match="can't be read"):
        read_config(str(tmp_path))
    (tmp_path / "latin").write_bytes(b"\xff")
    with pytest.raises(SpecError, match="can't be read"):
        read_config(str(tmp_path / "latin"))
    (tmp_path / "bad.json").write_text("{")
    with pytest.raises(SpecError, match=r"bad\.json: it isn't JSON"):
        config_change("docker", str(tmp_path / "bad.json"), "27.0")

    def refuse(*_: object) -> None:
        raise OSError(30, "Read-only file system")

    change = config_change("docker", str(tmp_path / "new.json"), "27.0")
    monkeypatch.setattr(os, "fchmod", refuse)
    with pytest.raises(SpecError, match="Read-only"):
        carry_out(change)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["bad.json", "latin"]


@pytest.mark.parametrize(
    ("runtime", "program", "says", "version"),
    [
        ("containerd", "containerd", "containerd github.com/containerd/containerd v1.7.22 7f7fdf5fed64", "1.7.22"),
        ("crio", "crio", "crio version 1.30.2", "1.30.2"),
        ("docker", "dockerd", "Docker version 28.2.2, build e6534b4", "28.2.2"),
        ("podman", "podman", "podman version 4.3.1", "4.3.1"),
        ("podman", "podman", "no number", ""),
    ],
)
def test_versions(
    runtime: Runtime, program: str, says: str, version: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert installed_version(runtime) == ""
    path = tmp_path / program
    path.write_text(f"#!/bin/sh\necho '{says}'\n")
    path.chmod(0o755)
    assert installed_version(runtime) == version
    path.write_text("not a program")
    assert installed_version(runtime) == ""


def test_every_runtime_has_a_command() -> None:
    assert all(isinstance(installed_version(runtime), str) for runtime in RUNTIMES)
