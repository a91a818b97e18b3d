"""The work of `aliquot cdi hook`, done by a container runtime at createContainer. An edge.

A runtime hands the container's state to the hook's standard input. Runtimes differ in it: crun adds the root and says
pid 0, runc says pid 1; so only `bundle` is used, and the root is looked up in the bundle's config.json (OCI runtime
spec 1.2, State and Root).
"""

import contextlib
import hashlib
import json
import os
import shutil
import subprocess
from collections.abc import Generator, Sequence
from pathlib import Path
from typing import Any, cast

from aliquot.cdi.machine.rootfs import RootFs
from aliquot.cdi.problems import Problem, SpecError

LDCONFIG = ("/sbin/ldconfig.real", "/sbin/ldconfig", "/usr/sbin/ldconfig")
"""Ubuntu's /sbin/ldconfig is a shell script around the first."""

CONF, CONF_FOLDER, CACHE = "/etc/ld.so.conf", "/etc/ld.so.conf.d", "/etc/ld.so.cache"


def container_root(state: str) -> str:
    """The path of a container's root file system on the host, from the state that the runtime gave.

    Raises:
        SpecError: the state or the bundle's config.json can't be read, or name no root.
    """
    given = _object(state, "the container's state on standard input")
    bundle = given.get("bundle") or given.get("bundlePath")
    if not isinstance(bundle, str) or not bundle.startswith("/"):
        hint = 'a container runtime calls this; by hand, give it {"bundle": "/path/of/the/bundle"}'
        raise SpecError([Problem("io", "the container's state has no absolute `bundle`", hint=hint)])
    config = Path(bundle) / "config.json"
    try:
        text = config.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise SpecError([Problem("io", f"it can't be read: {error}", file=str(config))]) from None
    part = _object(text, str(config)).get("root")
    path = cast("dict[str, Any]", part).get("path") if isinstance(part, dict) else None
    if not isinstance(path, str) or path == "":
        raise SpecError([Problem("io", "it names no root file system", "root.path", file=str(config))])
    root = os.path.normpath(Path(bundle) / path)
    if Path(root).resolve() == Path("/"):
        raise SpecError([Problem("io", "the container's root is the host's: nothing is changed", file=str(config))])
    return root


def create_symlinks(root: str, links: Sequence[str]) -> list[str]:
    """Make links, each given as `target::link`, in place of what is there; those that were made.

    Raises:
        SpecError: a link isn't written so, or can't be made.
    """
    pairs = [text.split("::") for text in dict.fromkeys(links)]
    wrong = ["::".join(pair) for pair in pairs if len(pair) != 2 or not pair[0] or not pair[1].strip("/")]
    if wrong:
        raise SpecError(Problem("syntax", f"{text!r} isn't a link", "--link", "write target::link") for text in wrong)
    made: list[str] = []
    with _opened(root) as rootfs:
        for target, link in pairs:
            try:
                if rootfs.link(target, link):
                    made.append(link)
            except OSError as error:
                raise SpecError([Problem("io", f"the link can't be made: {error.strerror or error}", link)]) from None
    return made


def chmod(root: str, mode: str, paths: Sequence[str]) -> list[str]:
    """Set the mode, in octal, of paths that exist; those that were changed.

    Where that isn't permitted, nothing happens: the host's own /dev may be mounted there.

    Raises:
        SpecError: the mode isn't one, or the disk refuses.
    """
    if not mode or not set(mode) <= set("01234567") or int(mode, 8) > 0o7777:
        raise SpecError([Problem("syntax", f"{mode!r} isn't a mode in octal", "--mode", "for example 755")])
    changed: list[str] = []
    with _opened(root) as rootfs:
        for path in dict.fromkeys(paths):
            try:
                if rootfs.chmod(path, int(mode, 8)):
                    changed.append(path)
            except PermissionError:
                continue
            except OSError as error:
                raise SpecError([Problem("io", f"its mode can't be set: {error.strerror or error}", path)]) from None
    return changed


def update_ldcache(root: str, folders: Sequence[str], ldconfig: str = "") -> tuple[str, ...]:
    """Let the container's loader find libraries in these folders: the folders that were added.

    They are written to a file in /etc/ld.so.conf.d, so that an ldconfig in the container keeps them, and the host's
    ldconfig renews the cache, confined to the root. musl has no cache: its path file gets the folders.

    Raises:
        SpecError: a folder isn't an absolute path, or ldconfig is missing or fails.
    """
    wrong = [folder for folder in folders if not folder.startswith("/") or set(folder) & set("\n\0 ")]
    if wrong:
        raise SpecError(Problem("syntax", f"{folder!r} isn't an absolute path", "--folder") for folder in wrong)
    with _opened(root) as rootfs:
        added = tuple(folder for folder in dict.fromkeys(folders) if rootfs.is_folder(folder))
        if rootfs.read("/etc/alpine-release") is not None:
            _write_musl(rootfs, added)
        elif added:
            _write_conf(rootfs, added)
            _run_ldconfig(root, ldconfig or _found_ldconfig(), (*added, *_system_folders(rootfs, added)))
    return added


def _write_conf(rootfs: RootFs, folders: Sequence[str]) -> None:
    text = "".join(f"{folder}\n" for folder in folders)
    name = f"00-aliquot-{hashlib.sha256(text.encode()).hexdigest()[:8]}.conf"  # the same folders, the same file
    try:
        rootfs.write(CONF, f"include {CONF_FOLDER}/*.conf\n", replace=False)
        rootfs.write(f"{CONF_FOLDER}/{name}", text)
    except OSError as error:
        message = f"the loader's configuration can't be written: {error.strerror or error}"
        raise SpecError([Problem("io", message, CONF_FOLDER, "is the container's root read-only?")]) from None


def _write_musl(rootfs: RootFs, folders: Sequence[str]) -> None:
    path = f"/etc/ld-musl-{os.uname().machine}.path"
    usual = "/lib\n/usr/local/lib\n/usr/lib\n"  # what musl looks at without that file
    before = rootfs.read(path)
    lines = (usual if before is None else before).split()
    missing = [folder for folder in folders if folder not in lines]
    if missing:
        try:
            rootfs.write(path, "".join(f"{line}\n" for line in (*lines, *missing)))
        except OSError as error:
            raise SpecError([Problem("io", f"it can't be written: {error.strerror or error}", path)]) from None


def _system_folders(rootfs: RootFs, taken: Sequence[str]) -> tuple[str, ...]:
    """Where this container may keep its own libraries: the host's ldconfig may have been built for another layout."""
    triplet = f"{os.uname().machine}-linux-gnu"
    usual = [f"{base}{end}" for end in (f"/{triplet}", "") for base in ("/lib", "/usr/lib")]
    usual += ["/lib64", "/usr/lib64"]
    return tuple(folder for folder in usual if folder not in taken and rootfs.is_folder(folder))


def _found_ldconfig() -> str:
    found = next((path for path in LDCONFIG if os.access(path, os.X_OK)), None) or shutil.which("ldconfig")
    if found is None:
        raise SpecError([Problem("host", "this host has no ldconfig", hint="give --ldconfig-path")])
    return found


def _run_ldconfig(root: str, ldconfig: str, folders: Sequence[str]) -> None:
    command = [ldconfig, "-r", root, "-f", CONF, "-C", CACHE, *folders]
    try:
        done = subprocess.run(command, check=False, capture_output=True, text=True, errors="replace", env={})  # noqa: S603 a fixed program
    except OSError as error:
        raise SpecError([Problem("host", f"{ldconfig} can't be run: {error.strerror}")]) from None
    if done.returncode != 0:
        raise SpecError([Problem("host", f"{ldconfig} failed: {done.stderr.strip() or done.returncode}")])


@contextlib.contextmanager
def _opened(root: str) -> Generator[RootFs, None, None]:
    try:
        rootfs = RootFs(root)
    except OSError as error:
        message = f"the container's root {root} can't be opened: {error.strerror}"
        raise SpecError([Problem("io", message)]) from None
    with rootfs:
        yield rootfs


def _object(text: str, name: str) -> dict[str, Any]:
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise SpecError([Problem("syntax", f"{name} isn't JSON: {error}")]) from None
    if not isinstance(data, dict):
        raise SpecError([Problem("syntax", f"{name} isn't an object")])
    return cast("dict[str, Any]", data)
