"""Files changed such that a reader sees the old one or the new one, whenever the machine stops."""

import os
from contextlib import suppress
from pathlib import Path
from typing import Final

DRAFT: Final = ".aliquot-draft-"
"""Files that begin so are drafts; one that's left over is nobody's."""


class Disk:
    """This machine's files. All methods raise `OSError` where the disk refuses."""

    def read(self, path: Path) -> bytes | None:
        """A file's bytes; None: there's none."""
        try:
            return path.read_bytes()
        except FileNotFoundError:
            return None

    def names(self, folder: Path) -> tuple[str, ...]:
        """The names in a folder, sorted; none where there's no such folder."""
        with suppress(FileNotFoundError):
            return tuple(sorted(entry.name for entry in os.scandir(folder)))
        return ()

    def replace(self, path: Path, data: bytes, *, mode: int = 0o600, durable: bool = True) -> None:
        """Write a whole file in one step.

        Args:
            path: its path; the folder is made if it's missing.
            data: what it's to hold.
            mode: its permission bits, whatever the umask.
            durable: whether it outlives a power failure: the file and its folder are synced.
        """
        draft = path.with_name(f"{DRAFT}{path.name}")
        try:
            self.write(draft, data, mode=mode, durable=durable)
            self.rename(draft, path)
        except OSError:
            with suppress(OSError):
                draft.unlink(missing_ok=True)
            raise
        if durable:
            self.sync(path.parent)

    def write(self, path: Path, data: bytes, *, mode: int, durable: bool) -> None:
        """Write a file that nobody reads yet."""
        path.parent.mkdir(mode=0o755, parents=True, exist_ok=True)
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC, mode)
        try:
            left = memoryview(data)
            while left:
                left = left[os.write(descriptor, left) :]
            os.fchmod(descriptor, mode)
            if durable:
                os.fsync(descriptor)
        finally:
            os.close(descriptor)

    def rename(self, path: Path, new: Path) -> None:
        """Rename a file, over one that may be there."""
        path.replace(new)

    def keep_as(self, path: Path, copy: Path) -> None:
        """Have the file under a second name too, over one that may be there. It's never written into."""
        draft = copy.with_name(f"{DRAFT}{copy.name}")
        draft.unlink(missing_ok=True)
        try:
            os.link(path, draft)
        except FileNotFoundError:
            return
        draft.replace(copy)

    def sync(self, folder: Path) -> None:
        """Have a folder's names on the disk."""
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)

    def remove(self, path: Path) -> bool:
        """Remove a file; whether there was one."""
        try:
            path.unlink()
        except FileNotFoundError:
            return False
        return True


def reason(error: OSError) -> str:
    """Why the disk refused, in the system's words."""
    return error.strerror or str(error)
