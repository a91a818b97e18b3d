"""Writing, removing and loading single files; this host's device nodes."""

import os
import stat
from dataclasses import replace
from pathlib import Path

import pytest

from aliquot.cdi.documents.write import to_json, to_yaml
from aliquot.cdi.host.local_nodes import LocalNodes
from aliquot.cdi.host_nodes import HostNode
from aliquot.cdi.machine.files import load_file, remove_spec, write_spec
from aliquot.cdi.problems import SpecError
from aliquot.cdi.spec import ContainerEdits, Device, Spec

SPEC = Spec(version="0.3.0", kind="acme.test/gpu", devices=(Device(name="d", edits=ContainerEdits(env=("A=1",))),))


@pytest.mark.parametrize(
    ("name", "file"),
    [("a", "a.yaml"), ("a.yaml", "a.yaml"), ("a.json", "a.json"), ("a.yml", "a.yml.yaml"), (".json", ".json")],
)
def test_a_written_file_is_whole_and_everybody_can_read_it(tmp_path: Path, name: str, file: str) -> None:
    """Defect 7 of the Go library: mode 0600, so that rootless engines say "unresolvable"."""
    before = os.umask(0o077)
    try:
        path = write_spec(tmp_path / "new" / "folder", name, SPEC)
    finally:
        os.umask(before)
    assert path == str(tmp_path / "new" / "folder" / file)
    assert stat.S_IMODE(Path(path).stat().st_mode) == 0o644
    assert Path(path).read_text() == (to_json(SPEC) if file.endswith(".json") else to_yaml(SPEC))
    assert load_file(path) == SPEC
    assert [entry.name for entry in Path(path).parent.iterdir()] == [file]


@pytest.mark.parametrize("name", ["../x.json", "/x", "a/b", "", ".", "..", "a\0b"])
def test_names_dont_leave_the_folder(tmp_path: Path, name: str) -> None:
    """Defect 7 of the Go library: `../x.json` is written outside."""
    for act in (lambda: write_spec(tmp_path / "in", name, SPEC), lambda: remove_spec(tmp_path / "in", name)):
        with pytest.raises(SpecError, match="isn't a file name") as error:
            act()
        assert error.value.category == "io"
    assert not list(tmp_path.iterdir())


def test_a_file_is_replaced_only_if_it_may_be(tmp_path: Path) -> None:
    path = write_spec(tmp_path, "a", SPEC, overwrite=False)
    other = replace(SPEC, version="0.5.0")
    with pytest.raises(SpecError, match="the file exists already"):
        write_spec(tmp_path, "a", other, overwrite=False)
    assert load_file(path) == SPEC
    write_spec(tmp_path, "a", other)
    assert load_file(path) == other
    assert len(list(tmp_path.iterdir())) == 1


def test_a_link_is_replaced_not_followed(tmp_path: Path) -> None:
    precious = tmp_path / "precious"
    precious.write_text("keep me")
    (tmp_path / "a.yaml").symlink_to(precious)
    write_spec(tmp_path, "a", SPEC)
    assert precious.read_text() == "keep me"
    assert not (tmp_path / "a.yaml").is_symlink()


def test_a_bad_spec_isnt_written(tmp_path: Path) -> None:
    with pytest.raises(SpecError) as error:
        write_spec(tmp_path, "a", replace(SPEC, devices=(), kind="x"))
    assert [problem.path for problem in error.value.problems] == ["kind", "devices"]
    halved = replace(SPEC, devices=(Device(name="d", edits=ContainerEdits(env=("A=\ud800",))),))
    for name in ("a.yaml", "a.json"):
        with pytest.raises(SpecError, match="half of a character pair"):
            write_spec(tmp_path, name, halved)
    assert not list(tmp_path.iterdir())


def test_the_disk_may_refuse(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    (tmp_path / "a.yaml").mkdir()
    for act in (
        lambda: write_spec(tmp_path / "file", "a", SPEC),
        lambda: write_spec(tmp_path, "a", SPEC),
        lambda: remove_spec(tmp_path, "a"),
        lambda: load_file(tmp_path / "nothing.yaml"),
        lambda: load_file(tmp_path),
    ):
        with pytest.raises(SpecError) as error:
            act()
        assert error.value.category == "io"


def test_removing(tmp_path: Path) -> None:
    write_spec(tmp_path, "a", SPEC)
    assert remove_spec(tmp_path, "a")
    assert not remove_spec(tmp_path, "a")


def test_device_nodes_of_this_host(tmp_path: Path) -> None:
    nodes = LocalNodes()
    null = nodes.lstat("/dev/null")
    assert isinstance(null, HostNode)
    assert (null.type, null.major, null.minor) == ("c", 1, 3)
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    fifo.chmod(0o1640)
    assert nodes.lstat(str(fifo)) == HostNode("p", mode=0o1640, gid=fifo.stat().st_gid)
    (tmp_path / "link").symlink_to("/dev/null")
    assert nodes.lstat(str(tmp_path / "link")) == "it's a symbolic link, not a device node"
    assert nodes.lstat(str(tmp_path)) == "it's a folder, not a device node"
    assert nodes.lstat(str(tmp_path / "nothing")) == "No such file or directory"
    assert "null" in str(nodes.lstat("a\0b"))


@pytest.mark.skipif(os.geteuid() != 0, reason="only root makes block devices")
def test_block_devices_of_this_host(tmp_path: Path) -> None:
    try:
        os.mknod(tmp_path / "b", 0o600 | stat.S_IFBLK, os.makedev(7, 200))
    except PermissionError:
        pytest.skip("no CAP_MKNOD here")
    assert LocalNodes().lstat(str(tmp_path / "b")) == HostNode("b", 7, 200, 0o600)
