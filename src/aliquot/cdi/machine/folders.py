"""Spec folders on disk: read, refreshed, written. An edge.

Rules (the Go library's cache.go and spec-dirs.go at 1.1.0): files end in `.json` or `.yaml`, also hidden ones; folders
inside aren't entered; symbolic links are followed; a later folder has priority over an earlier one.
"""

import errno
import os
import stat
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from aliquot.cdi.check import Strength
from aliquot.cdi.documents.read import SUFFIXES, inspect
from aliquot.cdi.machine.files import remove_spec, write_spec
from aliquot.cdi.problems import Problem, SpecError
from aliquot.cdi.registry import Registry, SpecFile, registry_of
from aliquot.cdi.spec import Spec

DEFAULT_FOLDERS = ("/etc/cdi", "/var/run/cdi")
"""Specs that stay, and specs that don't outlive a boot. The second has priority."""

MAX_FILE_BYTES = 16 * 1024 * 1024
"""Larger files aren't read: a spec of a full node has a few hundred kilobytes."""

SETTLED_NS = 50_000_000
"""A file that changed this shortly before it was read is read again: clocks of file systems tick in up to 10 ms."""

_Signature = tuple[int, int, int, int, int]


@dataclass(frozen=True, slots=True)
class _Cached:
    signature: _Signature
    settled: bool
    file: SpecFile


class Folders:
    """Several spec folders, from low to high priority. `registry()` is always up to date; it reads what changed."""

    def __init__(
        self,
        folders: Sequence[str | Path] = DEFAULT_FOLDERS,
        *,
        strength: Strength = "faithful",
        older_fields: bool = True,
    ) -> None:
        self.folders = tuple(os.path.normpath(folder) for folder in folders)
        self.strength: Strength = strength
        self.older_fields = older_fields
        self._files: dict[tuple[int, str], _Cached] = {}
        self._errors: dict[str, Problem] = {}
        self._registry = Registry()

    @property
    def missing(self) -> tuple[str, ...]:
        """The folders that don't exist (yet), which is no error."""
        return tuple(folder for folder in self.folders if not Path(folder).exists())

    @property
    def top(self) -> str:
        """The folder of the highest priority, where specs are written.

        Raises:
            SpecError: there are no folders.
        """
        if not self.folders:
            raise SpecError([Problem("io", "no spec folder is configured")])
        return self.folders[-1]

    def registry(self) -> Registry:
        """What the folders hold now; the same object as before when nothing changed."""
        errors: dict[str, Problem] = {}
        files: dict[tuple[int, str], _Cached] = {}
        for priority, folder in enumerate(self.folders):
            try:
                entries = _spec_entries(folder)
            except OSError as error:
                if error.errno != errno.ENOENT:
                    errors[folder] = Problem("io", f"the folder can't be read: {error.strerror}", file=folder)
                continue
            for entry in entries:
                file = self._file(priority, entry)
                if file is not None:
                    files[priority, entry.path] = file
        known = {key: cached.file for key, cached in self._files.items()}
        if errors != self._errors or known != {key: cached.file for key, cached in files.items()}:
            self._registry = registry_of([cached.file for cached in files.values()], errors)
        self._files, self._errors = files, errors
        return self._registry

    def watched(self) -> frozenset[str]:
        """The directories in which a change may alter the registry: the folders, their parents, and links' targets."""
        places: set[str] = set()
        for folder in self.folders:
            places |= {folder, _existing(Path(folder).parent)}
        for _, path in self._files:
            if Path(path).is_symlink():
                places.add(_existing(Path(os.path.realpath(path)).parent))  # not Path.resolve: it raises on loops
        return frozenset(place for place in places if Path(place).is_dir())

    def write(self, name: str, spec: Spec, *, overwrite: bool = True) -> str:
        """Write a spec into the highest folder; see `write_spec`."""
        return write_spec(self.top, name, spec, overwrite=overwrite)

    def remove(self, name: str) -> bool:
        """Remove a spec from the highest folder; see `remove_spec`."""
        return remove_spec(self.top, name)

    def _file(self, priority: int, entry: os.DirEntry[str]) -> _Cached | None:
        path = entry.path
        cached = self._files.get((priority, path))
        try:
            found = entry.stat()
            signature = (found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns)
            if cached is not None and cached.settled and cached.signature == signature:
                return cached
            settled = found.st_ctime_ns < time.time_ns() - SETTLED_NS
            read = self._read(priority, path, found)
        except OSError as error:
            if error.errno == errno.ENOENT and not entry.is_symlink():
                return None  # it was removed since the folder was listed
            signature, settled = (0, 0, 0, 0, 0), False
            read = SpecFile(path, priority, None, (Problem("io", f"it can't be read: {error.strerror}", file=path),))
        return _Cached(signature, settled, cached.file if cached is not None and cached.file == read else read)

    def _read(self, priority: int, path: str, found: os.stat_result) -> SpecFile:
        fault = None
        if not stat.S_ISREG(found.st_mode):  # opening a fifo would wait for ever
            fault = "it isn't a regular file"
        elif found.st_size > MAX_FILE_BYTES:
            fault = f"it has more than {MAX_FILE_BYTES} bytes"
        if fault:
            return SpecFile(path, priority, None, (Problem("io", fault, file=path),))
        with Path(path).open("rb") as stream:
            text = stream.read(MAX_FILE_BYTES + 1)
        reading = inspect(text, file=path, strength=self.strength, older_fields=self.older_fields)
        return SpecFile(path, priority, reading.spec, reading.problems)


def _spec_entries(folder: str) -> list[os.DirEntry[str]]:
    with os.scandir(folder) as entries:
        named = [entry for entry in entries if entry.name.endswith(SUFFIXES)]
    return [entry for entry in named if not entry.is_dir(follow_symlinks=False)]


def _existing(path: Path) -> str:
    """The path, or the nearest directory above it that exists."""
    while not path.is_dir() and path != path.parent:
        path = path.parent
    return str(path)
