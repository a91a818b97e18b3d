"""What the hooks do for the states that runc and crun give, and what they refuse."""

import json
import os
import platform
import shutil
from pathlib import Path
from typing import Any

import pytest

from aliquot.cdi.machine import hooks
from aliquot.cdi.machine.hooks import chmod, container_root, create_symlinks, update_ldcache
from aliquot.cdi.machine.rootfs import RootFs
from aliquot.cdi.problems import SpecError
from tests.cdi.host.elf_file import shared_library

RUNC = {"ociVersion": "1.0.2-dev", "id": "x", "status": "creating", "pid": 1}
CRUN = {"ociVersion": "1.0", "id": "x", "pid": 0, "root": "/wrong", "status": "created"}


@pytest.fixture
def bundle(tmp_path: Path) -> Path:
    (tmp_path / "rootfs").mkdir()
    (tmp_path / "config.json").write_text('{"root": {"path": "rootfs"}}')
    return tmp_path


@pytest.mark.parametrize("state", [RUNC, CRUN, {"bundlePath": True}])
def test_the_root_comes_from_the_bundle(state: dict[str, Any], bundle: Path) -> None:
    key = "bundlePath" if "bundlePath" in state else "bundle"
    assert container_root(json.dumps({**state, key: str(bundle)})) == str(bundle / "rootfs")
    (bundle / "config.json").write_text('{"root": {"path": "/elsewhere/merged"}}')
    assert container_root(json.dumps({**state, key: str(bundle)})) == "/elsewhere/merged"


@pytest.mark.parametrize("text", ["", "[]", "{", "{}", '{"bundle": "relative"}', '{"bundle": 1}', "[" * 100_000])
def test_states_that_arent_any(text: str) -> None:
    with pytest.raises(SpecError):
        container_root(text)


@pytest.mark.parametrize(
    ("config", "said"),
    [
        (None, "it can't be read"),
        ("[]", "isn't an object"),
        ("{}", "names no root"),
        ('{"root": {"path": ""}}', "names no root"),
        ('{"root": {"path": "/"}}', "the host's"),
        ('{"root": {"path": "../../../../../../../../.."}}', "the host's"),
        (b"\xff", "it can't be read"),
    ],
)
def test_bundles_without_a_root(config: str | bytes | None, said: str, tmp_path: Path) -> None:
    if config is not None:
        (tmp_path / "config.json").write_bytes(config if isinstance(config, bytes) else config.encode())
    with pytest.raises(SpecError, match=said):
        container_root(json.dumps({"bundle": str(tmp_path)}))


# --- links ------------------------------------------------------------------------------------------------------------
def test_links(tmp_path: Path) -> None:
    wanted = ["libcuda.so.1::/usr/lib/libcuda.so", "../card0::/dev/dri/by-path/a", "libcuda.so.1::/usr/lib/libcuda.so"]
    assert create_symlinks(str(tmp_path), wanted) == ["/usr/lib/libcuda.so", "/dev/dri/by-path/a"]
    assert create_symlinks(str(tmp_path), wanted) == []
    assert (tmp_path / "dev/dri/by-path/a").readlink() == Path("../card0")


def test_links_that_arent_any_are_all_told_and_nothing_is_made(tmp_path: Path) -> None:
    with pytest.raises(SpecError) as caught:
        create_symlinks(str(tmp_path), ["a::/b", "a", "a::b::c", "::/x", "a::/"])
    assert len(caught.value.problems) == 4
    assert not list(tmp_path.iterdir())


def test_a_link_where_a_folder_is(tmp_path: Path) -> None:
    (tmp_path / "a/b").mkdir(parents=True)
    with pytest.raises(SpecError, match="/a: the link can't be made"):
        create_symlinks(str(tmp_path), ["x::/a"])


def test_a_root_that_isnt_there(tmp_path: Path) -> None:
    with pytest.raises(SpecError, match="can't be opened"):
        create_symlinks(str(tmp_path / "none"), ["x::/a"])


# --- chmod ------------------------------------------------------------------------------------------------------------
def test_chmod(tmp_path: Path) -> None:
    (tmp_path / "dev/dri").mkdir(parents=True)
    (tmp_path / "dev/dri").chmod(0o700)
    assert chmod(str(tmp_path), "755", ["/dev/dri", "/dev/dri", "/none"]) == ["/dev/dri"]
    assert (tmp_path / "dev/dri").stat().st_mode & 0o777 == 0o755
    assert chmod(str(tmp_path), "755", ["/dev/dri"]) == []


@pytest.mark.parametrize("mode", ["", "8", "rwx", "77777", "0o755"])
def test_modes_that_arent_any(mode: str, tmp_path: Path) -> None:
    with pytest.raises(SpecError, match="isn't a mode"):
        chmod(str(tmp_path), mode, ["/"])


@pytest.mark.parametrize(
    ("fault", "raises"), [(PermissionError(1, "no"), False), (OSError(30, "Read-only file system"), True)]
)
def test_what_the_disk_refuses(fault: OSError, raises: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> bool:
        raise fault

    monkeypatch.setattr(RootFs, "chmod", refuse)
    if raises:
        with pytest.raises(SpecError, match="Read-only"):
            chmod(str(tmp_path), "755", ["/a"])
    else:
        assert chmod(str(tmp_path), "755", ["/a"]) == []


# --- the loader's cache -----------------------------------------------------------------------------------------------
LDCONFIG = shutil.which("ldconfig", path="/sbin:/usr/sbin")


def container(tmp_path: Path) -> Path:
    for folder in ("usr/lib", "opt/nvidia"):
        (tmp_path / folder).mkdir(parents=True)
    machine = platform.machine()
    content = shared_library("libcuda.so.1", machine=machine if machine in {"x86_64", "aarch64"} else "x86_64")
    (tmp_path / "opt/nvidia/libcuda.so.550.1").write_bytes(content)
    (tmp_path / "opt/nvidia/libcuda.so.1").symlink_to("libcuda.so.550.1")
    return tmp_path


@pytest.mark.skipif(LDCONFIG is None or os.geteuid() != 0, reason="needs ldconfig and root")
def test_the_cache_has_the_library(tmp_path: Path) -> None:
    from aliquot.cdi.host.ldcache import cached_paths

    root = container(tmp_path)
    for _ in range(2):
        assert update_ldcache(str(root), ["/opt/nvidia", "/none"]) == ("/opt/nvidia",)
    assert "/opt/nvidia/libcuda.so.1" in cached_paths((root / "etc/ld.so.cache").read_bytes())
    assert (root / "etc/ld.so.conf").read_text() == "include /etc/ld.so.conf.d/*.conf\n"
    (file,) = (root / "etc/ld.so.conf.d").iterdir()
    assert file.read_text() == "/opt/nvidia\n"


def fake_ldconfig(folder: Path, script: str) -> str:
    path = folder / "ldconfig"
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return str(path)


def test_ldconfig_is_confined_to_the_root(tmp_path: Path) -> None:
    root = container(tmp_path / "root")
    program = fake_ldconfig(tmp_path, f'echo "$@" > {tmp_path}/said')
    (root / "etc").mkdir()
    (root / "etc/ld.so.conf").write_text("/mine\n")
    update_ldcache(str(root), ["/opt/nvidia"], program)
    said = (tmp_path / "said").read_text()
    assert said == f"-r {root} -f /etc/ld.so.conf -C /etc/ld.so.cache /opt/nvidia /usr/lib\n"
    assert (root / "etc/ld.so.conf").read_text() == "/mine\n"


def test_an_ldconfig_that_fails_or_isnt_one(tmp_path: Path) -> None:
    root = container(tmp_path / "root")
    with pytest.raises(SpecError, match="broken cache"):
        update_ldcache(str(root), ["/opt/nvidia"], fake_ldconfig(tmp_path, "echo broken cache >&2; exit 3"))
    with pytest.raises(SpecError, match="can't be run"):
        update_ldcache(str(root), ["/opt/nvidia"], str(tmp_path / "none"))


def test_no_ldconfig_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hooks, "LDCONFIG", ())
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(SpecError, match="--ldconfig-path"):
        update_ldcache(str(container(tmp_path / "root")), ["/opt/nvidia"])


def test_nothing_to_add(tmp_path: Path) -> None:
    assert update_ldcache(str(container(tmp_path)), ["/none"]) == ()
    assert not (tmp_path / "etc").exists()


@pytest.mark.parametrize("folder", ["relative", "/a b", "/a\nb"])
def test_folders_that_arent_any(folder: str, tmp_path: Path) -> None:
    with pytest.raises(SpecError, match="isn't an absolute path"):
        update_ldcache(str(tmp_path), [folder])


def test_musl_has_a_path_file_instead(tmp_path: Path) -> None:
    root = container(tmp_path)
    (root / "etc").mkdir()
    (root / "etc/alpine-release").write_text("3.20\n")
    for _ in range(2):
        update_ldcache(str(root), ["/opt/nvidia"])
    path = root / f"etc/ld-musl-{platform.machine()}.path"
    assert path.read_text().split() == ["/lib", "/usr/local/lib", "/usr/lib", "/opt/nvidia"]
    path.write_text("/own\n")
    update_ldcache(str(root), ["/opt/nvidia"])
    assert path.read_text() == "/own\n/opt/nvidia\n"


@pytest.mark.parametrize("release", [True, False])
def test_a_root_that_cant_be_written(release: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = container(tmp_path)
    (root / "etc").mkdir()
    if release:
        (root / "etc/alpine-release").write_text("3.20\n")

    def refuse(*_: object, **__: object) -> bool:
        raise OSError(30, "Read-only file system")

    monkeypatch.setattr(RootFs, "write", refuse)
    with pytest.raises(SpecError, match="Read-only"):
        update_ldcache(str(root), ["/opt/nvidia"])
