"""Configuration files on disk: backups, modes, versions that programs tell."""

import os
from pathlib import Path

import pytest

from aliquot.cdi.machine.runtimes import (
    ConfigChange,
    LocalConfigFiles,
    carry_out,
    config_changes,
    installed_version,
    main_file,
)
from aliquot.cdi.problems import SpecError
from aliquot.cdi.runtime_config.releases import RUNTIMES, Runtime


def only(runtime: Runtime, file: Path, version: str) -> ConfigChange:
    """The one change."""
    (change,), _ = config_changes(runtime, str(file), version)
    return change


def test_a_change_with_its_backup(tmp_path: Path) -> None:
    file = tmp_path / "daemon.json"
    file.write_text('{"debug": true}\n')
    file.chmod(0o640)
    (tmp_path / "daemon.json.bak").write_text("earlier")
    change = only("docker", file, "27.0")
    assert '+  "features"' in change.diff()
    backup = carry_out(change)
    assert backup == f"{file}.bak.1"
    assert Path(backup).read_text() == '{"debug": true}\n'
    assert (tmp_path / "daemon.json.bak").read_text() == "earlier"
    assert file.stat().st_mode & 0o777 == 0o640
    assert config_changes("docker", str(file), "27.0")[0] == ()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["daemon.json", "daemon.json.bak", "daemon.json.bak.1"]


def test_a_file_that_isnt_there_yet(tmp_path: Path) -> None:
    change = only("docker", tmp_path / "docker/daemon.json", "27.0")
    assert carry_out(change) == ""
    assert "cdi" in (tmp_path / "docker/daemon.json").read_text()
    assert "\\ No newline" not in change.diff()


def test_crios_drop_in_files_have_their_backup_elsewhere(tmp_path: Path) -> None:
    """CRI-O reads every file in that folder: a copy in it would take the change back."""
    file = tmp_path / "crio.conf.d/10.conf"
    file.parent.mkdir()
    file.write_text("[crio.runtime]\ncdi_spec_dirs = []\n")
    assert carry_out(only("crio", file, "1.30.0")) == str(tmp_path / "10.conf.bak")
    assert [path.name for path in file.parent.iterdir()] == ["10.conf"]
    assert config_changes("crio", str(file), "1.30.0")[0] == ()


def test_an_imported_files_backup_isnt_imported(tmp_path: Path) -> None:
    section = '[plugins."io.containerd.grpc.v1.cri"]'
    (tmp_path / "conf.d").mkdir()
    (tmp_path / "conf.d/.a").write_text(f"{section}\n")
    (tmp_path / "config.toml").write_text(f'version = 2\nimports = ["conf.d/*"]\n{section}\nenable_cdi = true\n')
    change = only("containerd", tmp_path / "config.toml", "1.7.29")
    assert change.file == str(tmp_path / "conf.d/.a")  # Go's patterns match hidden files, too
    assert carry_out(change) == str(tmp_path / ".a.bak")
    assert config_changes("containerd", str(tmp_path / "config.toml"), "1.7.29")[0] == ()


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "real.json").write_text("{}")
    (tmp_path / "daemon.json").symlink_to("real.json")
    carry_out(only("docker", tmp_path / "daemon.json", "27.0"))
    assert (tmp_path / "daemon.json").is_symlink()
    assert "cdi" in (tmp_path / "real.json").read_text()


def test_a_diff_of_text_without_a_newline_at_its_end() -> None:
    assert ConfigChange("f", "a", "b\n").diff() == "--- f\n+++ f\n@@ -1 +1 @@\n-a\n+b\n"


def test_what_cant_be_read_or_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files = LocalConfigFiles()
    assert files.read("") is None
    assert files.read(str(tmp_path / "none/x")) is None
    with pytest.raises(SpecError, match="can't be read"):
        files.read(str(tmp_path))
    (tmp_path / "latin").write_bytes(b"\xff")
    with pytest.raises(SpecError, match="can't be read"):
        files.read(str(tmp_path / "latin"))
    (tmp_path / "bad.json").write_text("{")
    with pytest.raises(SpecError, match=r"bad\.json: it isn't JSON"):
        config_changes("docker", str(tmp_path / "bad.json"), "27.0")

    def refuse(*_: object) -> None:
        raise OSError(30, "Read-only file system")

    change = only("docker", tmp_path / "new.json", "27.0")
    monkeypatch.setattr(os, "fchmod", refuse)
    with pytest.raises(SpecError, match="Read-only"):
        carry_out(change)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["bad.json", "latin"]


def test_the_file_that_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CONTAINERS_CONF", raising=False)
    monkeypatch.setenv("XDG_CONFIG_HOME", "/home/x/.config")
    assert main_file("docker", None) == "/etc/docker/daemon.json"
    assert main_file("docker", Path("/x/y.json")) == "/x/y.json"
    assert main_file("crio", Path("/x/crio.conf.d")) == "/x/crio.conf.d/99-cdi.conf"
    assert main_file("podman", None).split(":") == [
        "/usr/share/containers/containers.conf",
        "/etc/containers/containers.conf",
        "/home/x/.config/containers/containers.conf",
    ]
    monkeypatch.setenv("CONTAINERS_CONF", "/only.conf")
    assert main_file("podman", None) == "/only.conf"


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
