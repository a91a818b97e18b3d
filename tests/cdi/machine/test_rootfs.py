"""Changing a container's root never leaves it, whatever links it holds."""

import os
import stat
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from aliquot.cdi.machine.rootfs import RootFs


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside/kept").write_text("kept")
    (tmp_path / "outside/kept").chmod(0o600)
    made = tmp_path / "root"
    made.mkdir()
    return made


def outside(root: Path) -> list[tuple[str, str, int]]:
    folder = root.parent / "outside"
    return [
        (path.name, path.read_text() if path.is_file() else "", stat.S_IMODE(path.stat().st_mode))
        for path in sorted(folder.rglob("*"))
    ]


def test_a_link_in_folders_that_are_made(root: Path) -> None:
    with RootFs(root) as rootfs:
        assert rootfs.link("libcuda.so.550", "/usr/lib/libcuda.so.1")
        assert not rootfs.link("libcuda.so.550", "/usr/lib/libcuda.so.1")
    assert (root / "usr/lib/libcuda.so.1").readlink() == Path("libcuda.so.550")
    assert stat.S_IMODE((root / "usr").stat().st_mode) & 0o755 == 0o755


@pytest.mark.parametrize("before", ["file", "link", "dangling"])
def test_a_link_replaces_what_is_there(root: Path, before: str) -> None:
    place = root / "a"
    if before == "file":
        place.write_text("old")
    else:
        place.symlink_to("/etc" if before == "link" else "nowhere")
    with RootFs(root) as rootfs:
        assert rootfs.link("new", "/a")
    assert place.readlink() == Path("new")
    assert [path.name for path in root.iterdir()] == ["a"]


def test_a_folder_isnt_replaced(root: Path) -> None:
    (root / "a/b").mkdir(parents=True)
    with RootFs(root) as rootfs, pytest.raises(IsADirectoryError):
        rootfs.link("new", "/a")
    assert [path.name for path in root.iterdir()] == ["a"]


def test_a_leftover_of_a_killed_process_is_no_hindrance(root: Path) -> None:
    (root / f".a.{os.getpid()}.aliquot").write_text("left")
    with RootFs(root) as rootfs:
        rootfs.link("new", "/a")
        (root / f".a.{os.getpid()}.aliquot").symlink_to("/etc/hostname")
        rootfs.write("/a", "text")
    assert (root / "a").read_text() == "text"


HOSTILE = [
    "{outside}",
    "../outside",
    "../../../../../../../../../../..{outside}",
    "/../..{outside}",
    "inner/../../outside",
]


@pytest.mark.parametrize("target", HOSTILE)
@pytest.mark.parametrize("place", ["usr", "usr/lib"])
def test_links_of_the_image_dont_lead_out(root: Path, target: str, place: str) -> None:
    before = outside(root)
    (root / place).parent.mkdir(parents=True, exist_ok=True)
    (root / "inner").mkdir()
    (root / place).symlink_to(target.format(outside=root.parent / "outside"))
    with RootFs(root) as rootfs:
        rootfs.link("x", "/usr/lib/kept/y") if place == "usr/lib" else rootfs.link("x", "/usr/new")
        rootfs.write(f"/{place}/written", "text")
        assert rootfs.read(f"/{place}/kept") is None or place == "usr/lib"
        rootfs.chmod(f"/{place}/kept2", 0o777)
        assert rootfs.read(f"/{place}/written") == "text"
    assert outside(root) == before


def test_a_link_as_the_last_part_isnt_followed_when_writing(root: Path) -> None:
    (root / "a").symlink_to(root.parent / "outside/kept")
    before = outside(root)
    with RootFs(root) as rootfs:
        rootfs.write("/a", "text")
        assert rootfs.read("/a") == "text"
    assert outside(root) == before


def test_reading_and_modes_follow_links_within(root: Path) -> None:
    (root / "real").mkdir()
    (root / "real/file").write_text("within")
    (root / "link").symlink_to("/real")
    (root / "real/short").symlink_to("file")
    (root / "loop").symlink_to("loop")
    (root / "ring").symlink_to("gnir/x")
    (root / "gnir").symlink_to("ring/x")
    with RootFs(root) as rootfs:
        assert rootfs.read("/link/short") == "within"
        assert rootfs.read("/link") is None
        assert rootfs.read("/loop") is None
        assert rootfs.read("/ring/y") is None
        assert rootfs.read("/real/file/x") is None
        assert rootfs.read("/none") is None
        assert rootfs.is_folder("/link")
        assert rootfs.is_folder("/")
        assert rootfs.is_folder("/link/../link/.")
        assert not rootfs.is_folder("/real/file")
        assert not rootfs.is_folder("/none")
        assert rootfs.chmod("/link/short", 0o640)
        assert not rootfs.chmod("/link/short", 0o640)
        assert not rootfs.chmod("/none", 0o640)
    assert stat.S_IMODE((root / "real/file").stat().st_mode) == 0o640


def test_an_existing_file_stays_where_only_a_new_one_is_wanted(root: Path) -> None:
    with RootFs(root) as rootfs:
        assert rootfs.write("/etc/a", "one", replace=False)
        assert not rootfs.write("/etc/a", "two", replace=False)
    assert (root / "etc/a").read_text() == "one"
    assert stat.S_IMODE((root / "etc/a").stat().st_mode) == 0o644


def test_a_path_that_names_no_file(root: Path) -> None:
    with RootFs(root) as rootfs, pytest.raises(OSError, match="names no file"):
        rootfs.link("x", "/a/..")


PARTS = st.sampled_from(["a", "b", "c", "..", "."])
PATHS = st.lists(PARTS, min_size=1, max_size=4).map("/".join)


@pytest.mark.law
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)
@given(links=st.lists(st.tuples(PATHS, PATHS | PATHS.map("/".__add__)), max_size=5), wanted=st.lists(PATHS, max_size=4))
def test_nothing_outside_changes(
    links: list[tuple[str, str]], wanted: list[str], tmp_path_factory: pytest.TempPathFactory
) -> None:
    top = tmp_path_factory.mktemp("law")
    (top / "outside").mkdir()
    (top / "root").mkdir()
    for name in ("a", "b", "c"):  # what `..` from the root would find
        (top / name).mkdir()
    with RootFs(top / "root") as rootfs:
        for place, target in links:
            try:
                rootfs.link(target, place)
            except OSError:
                continue
        for path in wanted:
            try:
                rootfs.write(path, "x")
                rootfs.chmod(path, 0o700)
            except OSError:
                continue
    assert sorted(path.name for path in top.iterdir()) == ["a", "b", "c", "outside", "root"]
    assert not [inner for name in ("a", "b", "c", "outside") for inner in (top / name).iterdir()]
    assert not list((top / "root").rglob("*.aliquot"))
