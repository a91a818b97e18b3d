"""A container's root file system, changed from the host without ever leaving it. An edge.

What a container's image holds is hostile: a folder may be a symbolic link to `/`, or become one while we look. So each
folder is opened from the one above it, links are followed by hand and start again at the container's root, and all that
is done is done relative to an open folder.
"""

import contextlib
import os
import stat
from collections.abc import Generator
from pathlib import Path
from typing import Self

_FOLDER = os.O_PATH | os.O_NOFOLLOW | os.O_DIRECTORY | os.O_CLOEXEC
_MAX_LINKS = 40


class RootFs:
    """A root file system below a folder of the host; use it in a `with` statement.

    Raises:
        OSError: by all methods, where the disk refuses.
    """

    def __init__(self, root: str | Path) -> None:
        self._root = os.open(root, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._root)

    def link(self, target: str, path: str) -> bool:
        """Put a symbolic link at a path, in place of what is there; whether anything had to be done.

        Folders above are made. What the link holds isn't looked at: only the container follows it.

        Raises:
            OSError: there's a folder, or the disk refuses.
        """
        with self._parent(path, make=True) as (folder, name):
            with contextlib.suppress(OSError):
                if os.readlink(name, dir_fd=folder) == target:
                    return False
            with _in_place_of(name, folder) as temporary:
                os.symlink(target, temporary, dir_fd=folder)
            return True

    def write(self, path: str, text: str, *, replace: bool = True) -> bool:
        """Write a file that everybody may read (0644); whether it was written. Without `replace` only where none is."""
        with self._parent(path, make=True) as (folder, name):
            if not replace and _exists(name, folder):
                return False
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
            with (
                _in_place_of(name, folder) as temporary,
                os.fdopen(os.open(temporary, flags, 0o644, dir_fd=folder), "w", encoding="utf-8") as stream,
            ):
                stream.write(text)
                os.fchmod(stream.fileno(), 0o644)
            return True

    def read(self, path: str) -> str | None:
        """A regular file's text; None where there's none."""
        try:
            handle = self._open(path)
        except OSError:
            return None
        try:
            if not stat.S_ISREG(os.fstat(handle).st_mode):
                return None
            # opened anew by its handle: an O_PATH handle can't be read
            with Path(f"/proc/self/fd/{handle}").open(encoding="utf-8", errors="replace") as stream:
                return stream.read()
        finally:
            os.close(handle)

    def is_folder(self, path: str) -> bool:
        """Whether there's a folder."""
        try:
            handle = self._open(path)
        except OSError:
            return False
        try:
            return stat.S_ISDIR(os.fstat(handle).st_mode)
        finally:
            os.close(handle)

    def chmod(self, path: str, mode: int) -> bool:
        """Set permission bits; whether that was needed. Nothing happens where there's no such path."""
        try:
            handle = self._open(path)
        except FileNotFoundError:
            return False
        try:
            if stat.S_IMODE(os.fstat(handle).st_mode) == mode:
                return False
            Path(f"/proc/self/fd/{handle}").chmod(mode)  # fchmod refuses an O_PATH handle
        finally:
            os.close(handle)
        return True

    def _open(self, path: str) -> int:
        """A handle of what is at a path, links followed within the root; the caller closes it."""
        for _ in range(_MAX_LINKS):
            with self._parent(path) as (folder, name):
                if name == "":
                    return os.dup(folder)
                handle = os.open(name, os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=folder)
                if not stat.S_ISLNK(os.fstat(handle).st_mode):
                    return handle
                os.close(handle)
                target = os.readlink(name, dir_fd=folder)
            path = target if target.startswith("/") else f"{path.rstrip('/').rpartition('/')[0]}/{target}"
        raise OSError(f"too many symbolic links at {path}")

    @contextlib.contextmanager
    def _parent(self, path: str, *, make: bool = False) -> Generator[tuple[int, str], None, None]:
        """The open folder above a path, and the last part of the path ("" for the root)."""
        parts = [part for part in path.split("/") if part not in {"", "."}]
        if parts and parts[-1] == "..":
            raise OSError(f"{path!r} names no file")
        folder = self._walk(parts[:-1], make=make)
        try:
            yield folder, parts[-1] if parts else ""
        finally:
            os.close(folder)

    def _walk(self, parts: list[str], *, make: bool) -> int:
        """A handle of the folder that the parts lead to, from the root. `..` never leads above the root."""
        rest = list(reversed(parts))
        above = [os.dup(self._root)]
        links = 0
        try:
            while rest:
                part = rest.pop()
                if part in {"", "."}:
                    continue
                if part == "..":
                    if len(above) > 1:
                        os.close(above.pop())
                    continue
                try:
                    above.append(os.open(part, _FOLDER, dir_fd=above[-1]))
                except FileNotFoundError:
                    if not make:
                        raise
                    with contextlib.suppress(FileExistsError):
                        os.mkdir(part, 0o755, dir_fd=above[-1])
                    above.append(os.open(part, _FOLDER, dir_fd=above[-1]))
                except OSError:  # a link, or no folder: only a link can be read as one
                    target = os.readlink(part, dir_fd=above[-1])
                    links += 1
                    if links > _MAX_LINKS:
                        raise
                    if target.startswith("/"):
                        while len(above) > 1:
                            os.close(above.pop())
                    rest += reversed(target.split("/"))
            return above.pop()
        finally:
            for handle in above:
                os.close(handle)


@contextlib.contextmanager
def _in_place_of(name: str, folder: int) -> Generator[str, None, None]:
    """A new name in the folder, for something that then replaces what is at `name`, in one step."""
    temporary = f".{name[:200]}.{os.getpid()}.aliquot"
    _remove(temporary, folder)  # a process of this number was killed here
    try:
        yield temporary
        os.rename(temporary, name, src_dir_fd=folder, dst_dir_fd=folder)
    except OSError:
        _remove(temporary, folder)
        raise


def _remove(name: str, folder: int) -> None:
    with contextlib.suppress(FileNotFoundError):
        os.unlink(name, dir_fd=folder)


def _exists(name: str, folder: int) -> bool:
    try:
        os.stat(name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        return False
    return True
