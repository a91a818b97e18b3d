"""A folder of this machine seen as the root of a file system, whose links lead to places within it. An edge."""

import os
import stat
from collections.abc import Iterator
from fnmatch import fnmatchcase
from pathlib import Path

from aliquot.cdi.generate.inventory import FoundNode, under

_MAX_LINKS = 40
"""As many links as Linux follows in one path."""


class Tree:
    """Files below a root. Paths given and returned are those below it: `/usr/lib`."""

    def __init__(self, root: str | Path = "/") -> None:
        self.root = os.path.normpath(root)

    def host_path(self, path: str) -> str:
        """Where that is on this machine."""
        return under(self.root, path)

    def resolve(self, path: str) -> str | None:
        """The path without symbolic links; None where there's nothing."""
        parts, done, links = [part for part in reversed(path.split("/")) if part], "", 0
        while parts:
            part = parts.pop()
            if part in {".", ".."}:
                done = done if part == "." else done.rpartition("/")[0]
                continue
            here = f"{done}/{part}"
            try:
                mode = os.lstat(self.host_path(here)).st_mode
                if not stat.S_ISLNK(mode):
                    done = here
                    continue
                target = str(Path(self.host_path(here)).readlink())
            except OSError:
                return None
            links += 1
            if links > _MAX_LINKS:
                return None
            done = "" if target.startswith("/") else done
            parts += [piece for piece in reversed(target.split("/")) if piece]
        return done or "/"

    def glob(self, pattern: str) -> Iterator[str]:
        """Paths that match, sorted within each folder; `*` and `?` stand for no slash. Hidden names need a dot."""
        yield from self._glob("", [part for part in pattern.split("/") if part])

    def _glob(self, folder: str, parts: list[str]) -> Iterator[str]:
        if not parts:
            yield folder or "/"
            return
        part, rest = parts[0], parts[1:]
        if not any(sign in part for sign in "*?["):
            here = f"{folder}/{part}"
            if rest or os.path.lexists(self._real(here)):
                yield from self._glob(here, rest)
            return
        for name in self.names(folder or "/"):
            if fnmatchcase(name, part) and (part[0] == "." or name[0] != "."):
                yield from self._glob(f"{folder}/{name}", rest)

    def names(self, folder: str) -> list[str]:
        """The names in a folder, sorted; none where it can't be read."""
        target = self.resolve(folder)
        try:
            return [] if target is None else sorted(entry.name for entry in Path(self.host_path(target)).iterdir())
        except OSError:
            return []

    def is_file(self, path: str) -> bool:
        """Whether there's something that isn't a folder (a file, a socket), also by way of links."""
        target = self.resolve(path)
        return target is not None and not Path(self.host_path(target)).is_dir()

    def is_folder(self, path: str) -> bool:
        """Whether there's a folder, also by way of links."""
        target = self.resolve(path)
        return target is not None and Path(self.host_path(target)).is_dir()

    def is_program(self, path: str) -> bool:
        """Whether there's a file that somebody may execute."""
        target = self.resolve(path)
        if target is None:
            return False
        mode = os.lstat(self.host_path(target)).st_mode
        return stat.S_ISREG(mode) and bool(mode & 0o111)

    def link_text(self, path: str) -> str | None:
        """What a symbolic link holds; None where there's none."""
        try:
            return str(Path(self._real(path)).readlink())
        except OSError:
            return None

    def content(self, path: str) -> bytes | None:
        """A file's bytes; None where it can't be read."""
        target = self.resolve(path)
        try:
            return None if target is None else Path(self.host_path(target)).read_bytes()
        except OSError:
            return None

    def text(self, path: str) -> str | None:
        """A file's text without blanks around it; None where it can't be read."""
        content = self.content(path)
        return None if content is None else content.decode(errors="replace").strip()

    def character_device(self, path: str) -> FoundNode | None:
        """The character device at a path, links not followed; None where there's none."""
        try:
            found = os.lstat(self._real(path))
        except OSError:
            return None
        if not stat.S_ISCHR(found.st_mode):
            return None
        major, minor = os.major(found.st_rdev), os.minor(found.st_rdev)
        return FoundNode(path=path, major=major, minor=minor, mode=stat.S_IMODE(found.st_mode), gid=found.st_gid)

    def _real(self, path: str) -> str:
        """This machine's path: links in the folders above are followed within the root, the last part isn't."""
        folder, _, name = path.rstrip("/").rpartition("/")
        above = self.resolve(folder or "/")
        return self.host_path(path if above is None else f"{above.rstrip('/')}/{name}")
