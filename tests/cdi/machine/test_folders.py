"""Folders on disk: what is read, what is not, and that the registry is never stale."""

import os
import time
from pathlib import Path

import pytest

from aliquot.cdi.documents.read import read
from aliquot.cdi.machine.folders import Folders
from aliquot.cdi.problems import SpecError
from aliquot.cdi.registry import SpecFile
from tests.cdi.machine.spec_folder import TEXT, put


def names(folders: Folders) -> list[str]:
    return [name.rpartition("=")[2] for name in folders.registry().devices]


def test_which_files_count(tmp_path: Path) -> None:
    put(tmp_path, "a.yaml", "a")
    put(tmp_path, "b.json", "b")
    put(tmp_path, ".hidden.yaml", "hidden")
    put(tmp_path / "elsewhere", "c.txt", "linked")
    (tmp_path / "link.yaml").symlink_to("elsewhere/c.txt")
    for ignored in ("c.yml", "d.JSON", "e.yaml.tmp", "yaml", "f.yaml~"):
        put(tmp_path, ignored, "ignored")
    put(tmp_path / "sub.yaml", "g.yaml", "ignored")
    folders = Folders([tmp_path])
    assert names(folders) == ["a", "b", "hidden", "linked"]
    assert not folders.registry().errors


def test_what_cant_be_read_is_an_error_of_its_path(tmp_path: Path) -> None:
    put(tmp_path, "a.yaml", "a")
    (tmp_path / "dangling.yaml").symlink_to("nowhere")
    (tmp_path / "loop.yaml").symlink_to("loop.yaml")
    (tmp_path / "dir.yaml").symlink_to(tmp_path)
    os.mkfifo(tmp_path / "fifo.yaml")
    with (tmp_path / "huge.yaml").open("wb") as stream:
        stream.truncate(16 * 1024 * 1024 + 1)
    folders = Folders([tmp_path])
    errors = folders.registry().errors
    assert {Path(path).name: problem.message for path, (problem,) in errors.items()} == {
        "dangling.yaml": "it can't be read: No such file or directory",
        "loop.yaml": "it can't be read: Too many levels of symbolic links",
        "dir.yaml": "it isn't a regular file",
        "fifo.yaml": "it isn't a regular file",
        "huge.yaml": "it has more than 16777216 bytes",
    }
    assert names(folders) == ["a"]


def test_a_folder_that_isnt_one_doesnt_end_the_scan(tmp_path: Path) -> None:
    """Defect 5 of the Go library: later folders are ignored, and nothing is said."""
    (tmp_path / "etc").write_text("")
    put(tmp_path / "run", "a.yaml", "a")
    folders = Folders([tmp_path / "etc", tmp_path / "opt", tmp_path / "run"])
    assert names(folders) == ["a"]
    (problem,) = folders.registry().errors[str(tmp_path / "etc")]
    assert problem.category == "io"
    assert folders.missing == (str(tmp_path / "opt"),)


def test_later_folders_have_priority_and_specs_are_written_there(tmp_path: Path) -> None:
    put(tmp_path / "etc", "a.yaml", "a")
    folders = Folders([tmp_path / "etc", f"{tmp_path}/x/../run/"])
    spec = read(TEXT.format("a", "new"))
    path = folders.write("b", spec)
    assert path == str(tmp_path / "run" / "b.yaml")
    found = folders.registry().devices["acme.test/gpu=a"]
    assert (found.file.path, found.file.priority) == (path, 1)
    assert folders.remove("b")
    assert folders.registry().devices["acme.test/gpu=a"].file.priority == 0
    with pytest.raises(SpecError, match="no spec folder"):
        Folders([]).write("a", spec)


def test_older_fields_and_strength_are_a_choice(tmp_path: Path) -> None:
    path = put(tmp_path, "a.yaml", "a")
    path.write_text(path.read_text().replace("0.5.0", "0.7.0").replace("env", "intelRdt: {enableCMT: true}, env"))
    assert names(Folders([tmp_path])) == ["a"]
    assert names(Folders([tmp_path], older_fields=False)) == []
    path.write_text(path.read_text().replace("0.7.0", "v0.7.0"))
    assert names(Folders([tmp_path])) == ["a"]
    assert names(Folders([tmp_path], strength="strict")) == []


def test_changes_are_seen_at_once(tmp_path: Path) -> None:
    folders = Folders([tmp_path / "late"])
    assert names(folders) == []
    path = put(tmp_path / "late", "a.yaml", "a")
    assert names(folders) == ["a"]
    path.write_text(TEXT.format("b", "1"))  # of the same size, within a tick of the clock
    assert names(folders) == ["b"]
    path.write_text("{")
    assert names(folders) == []
    path.unlink()
    assert not folders.registry().files
    moved = put(tmp_path, "elsewhere", "m")
    moved.rename(path)
    assert names(folders) == ["m"]
    path.parent.rename(tmp_path / "gone")
    assert names(folders) == []


def test_what_didnt_change_isnt_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(tmp_path, "a.yaml", "a")
    put(tmp_path, "b.yaml", "b")
    folders = Folders([tmp_path])
    first = folders.registry()
    assert folders.registry() is first
    time.sleep(0.06)  # until the files' times are past doubt
    assert folders.registry() is first
    read_paths: list[str] = []
    original = Folders._read

    def spy(self: Folders, priority: int, path: str, found: os.stat_result) -> SpecFile:
        read_paths.append(Path(path).name)
        return original(self, priority, path, found)

    monkeypatch.setattr(Folders, "_read", spy)
    assert folders.registry() is first
    assert read_paths == []
    put(tmp_path, "b.yaml", "b", "2")
    second = folders.registry()
    assert second is not first
    assert read_paths == ["b.yaml"]
    assert second.files[0] is first.files[0]


def test_a_file_that_vanishes_meanwhile_is_no_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = put(tmp_path, "a.yaml", "a")
    folders = Folders([tmp_path])
    with os.scandir(tmp_path) as entries:
        (entry,) = entries
    path.unlink()
    monkeypatch.setattr("aliquot.cdi.machine.folders._spec_entries", lambda _: [entry])
    assert folders.registry().errors == {}
