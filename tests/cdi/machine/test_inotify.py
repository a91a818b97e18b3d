"""Waiting for changes: nothing is missed, whichever way a file comes."""

import random
import select
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from aliquot.cdi.machine import inotify
from aliquot.cdi.machine.folders import Folders
from aliquot.cdi.machine.inotify import Inotify, Watcher
from tests.cdi.machine.spec_folder import TEXT, put

SOON = 10.0
"""Seconds that an event may take on a busy machine."""


def names(watcher: Watcher) -> list[str]:
    return [name.rpartition("=")[2] for name in watcher.registry().devices]


def written(folder: Path) -> None:
    put(folder, "a.yaml", "new")


def moved_in(folder: Path) -> None:
    put(folder.parent / "beside", "a", "new").rename(folder / "a.yaml")


def symlinked(folder: Path) -> None:
    (folder / "a.yaml").symlink_to(put(folder.parent / "beside", "a", "new"))


def linked(folder: Path) -> None:
    (folder / "a.yaml").hardlink_to(put(folder.parent / "beside", "a", "new"))


def replaced(folder: Path) -> None:
    fresh = folder.parent / "fresh"
    put(fresh, "a.yaml", "new")
    folder.rename(folder.parent / "old")
    fresh.rename(folder)


def written_again(folder: Path) -> None:
    (folder / "old.yaml").write_text(TEXT.format("new", 1))


@pytest.mark.parametrize("change", [written, moved_in, symlinked, linked, replaced, written_again])
def test_a_change_wakes(tmp_path: Path, change: Callable[[Path], None]) -> None:
    """Defect 3 of the Go library: files that are moved in, and links, stay unseen."""
    folder = tmp_path / "cdi"
    put(folder, "old.yaml", "old")
    with Watcher(Folders([folder])) as watcher:
        assert names(watcher) == ["old"]
        assert not watcher.wait(0)
        change(folder)
        assert watcher.wait(SOON)
        assert "new" in names(watcher)


def test_a_folder_that_appears_later_wakes(tmp_path: Path) -> None:
    folder = tmp_path / "a" / "b" / "cdi"
    with Watcher(Folders([folder])) as watcher:
        assert names(watcher) == []
        for made in (tmp_path / "a", tmp_path / "a" / "b", folder):
            made.mkdir()
            assert watcher.wait(SOON)
            assert names(watcher) == []
        put(folder, "a.yaml", "a")
        assert watcher.wait(SOON)
        assert names(watcher) == ["a"]


def test_the_target_of_a_link_is_watched(tmp_path: Path) -> None:
    """As Kubernetes mounts a ConfigMap: the file is a link through a link that is switched."""
    folder = tmp_path / "cdi"
    folder.mkdir()
    target = put(tmp_path / "data", "a", "one")
    (folder / "a.yaml").symlink_to(target)
    with Watcher(Folders([folder])) as watcher:
        assert names(watcher) == ["one"]
        put(tmp_path / "data", "next", "two").rename(target)
        assert watcher.wait(SOON)
        assert names(watcher) == ["two"]


def test_changes_are_told_one_after_the_other(tmp_path: Path) -> None:
    with Watcher(Folders([tmp_path])) as watcher:
        assert select.select([watcher], [], [], 0)[0] == []
        changes = watcher.changes()
        assert next(changes).devices == {}
        thread = threading.Timer(0.05, put(tmp_path, "a.part", "a").rename, (tmp_path / "a.yaml",))
        thread.start()
        assert list(next(changes).devices) == ["acme.test/gpu=a"]
        thread.join()


def test_without_inotify_the_clock_serves(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_: Inotify) -> None:
        raise OSError(24, "Too many open files")

    monkeypatch.setattr(Inotify, "__init__", refuse)
    monkeypatch.setattr(inotify, "POLL_SECONDS", 0.01)
    with Watcher(Folders([tmp_path])) as watcher:
        assert "Too many open files" in (watcher.fallback or "")
        assert watcher.fileno() == -1
        assert names(watcher) == []
        put(tmp_path, "a.yaml", "a")
        assert watcher.wait()
        assert watcher.wait(0)
        assert names(watcher) == ["a"]


def test_no_inotify_at_all(monkeypatch: pytest.MonkeyPatch) -> None:
    class Bare:
        def inotify_init1(self, _: int) -> int:
            return -1

        inotify_add_watch = inotify_init1

    monkeypatch.setattr("ctypes.CDLL", lambda *_, **__: object())
    with pytest.raises(OSError, match="no inotify"):
        Inotify()
    monkeypatch.setattr("ctypes.CDLL", lambda *_, **__: Bare())
    with pytest.raises(OSError):  # noqa: PT011 the number is whatever the last call left
        Inotify()


def test_what_isnt_there_cant_be_watched(tmp_path: Path) -> None:
    watch = Inotify()
    assert watch.watch(str(tmp_path / "nothing")) is None
    assert watch.watch(str(tmp_path)) == watch.watch(str(tmp_path))
    watch.close()


def test_two_watchers_end_with_the_same_view(tmp_path: Path) -> None:
    """1,000 random writes, half-writes, renames, links and removals; both look now and then, at different times."""
    chance = random.Random(5)
    low, high, beside = tmp_path / "low", tmp_path / "high", tmp_path / "beside"
    for folder in (low, beside):
        folder.mkdir()
    with Watcher(Folders([low, high])) as often, Watcher(Folders([low, high])) as seldom:
        views = [often.registry(), seldom.registry()]
        for step in range(1_000):
            scramble(chance, (low, high), beside)
            if chance.random() < 0.3 and often.wait(0):
                views[0] = often.registry()
            if step % 97 == 0 and seldom.wait(0):
                views[1] = seldom.registry()
        high.mkdir(exist_ok=True)
        put(high, "last.yaml", "last")
        for i, watcher in enumerate((often, seldom)):
            while watcher.wait(0.1):  # only what an event led to counts
                views[i] = watcher.registry()
        fresh = Folders([low, high]).registry()
        assert views == [fresh, fresh]
        assert fresh.devices
        assert fresh.errors


def scramble(chance: random.Random, folders: tuple[Path, ...], beside: Path) -> None:
    folder = chance.choice(folders)
    path = folder / f"{chance.randrange(8)}.{chance.choice(('yaml', 'json', 'tmp'))}"
    text = TEXT.format(chance.randrange(6), chance.randrange(1000))
    what = chance.randrange(10)
    if what == 0:
        folder.mkdir(exist_ok=True)
    elif what == 1 and chance.random() < 0.2 and folder.is_dir():
        gone = beside / f"gone{chance.randrange(10**9)}"
        folder.rename(gone)
    elif not folder.is_dir():
        folder.mkdir()
    elif what == 2:
        path.unlink(missing_ok=True)
    elif what == 3:
        path.unlink(missing_ok=True)
        path.symlink_to(chance.choice((folder / "0.yaml", beside / "target", Path("nowhere"), path)))
    elif what == 4:
        (beside / "target").write_text(text)
    elif what == 5:
        if path.is_symlink():
            path.unlink()
        path.write_text(text[: chance.randrange(len(text))])
    elif what == 6 and path.exists():
        path.rename(folder / f"{chance.randrange(8)}.yaml")
    elif what == 7:
        path.unlink(missing_ok=True)
        (beside / "source").write_text(text)
        path.hardlink_to(beside / "source")
        (beside / "source").unlink()
    else:
        (beside / "new").write_text(text)
        (beside / "new").rename(path)
