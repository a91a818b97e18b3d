"""A cluster read from files: dumps, manifests, folders of them, standard input."""

import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import BinaryIO

from aliquot.cluster.admission import admitted
from aliquot.cluster.documents import read_text
from aliquot.cluster.garbage import uncollected
from aliquot.cluster.items import ItemReader, Noun
from aliquot.cluster.problem import Problem
from aliquot.cluster.reading import Reading, keep
from aliquot.cluster.texts import STDIN, texts
from aliquot.cluster.unavailable import UnavailableError
from aliquot.kube.reading.memo import Memo

LOOK_EVERY_SECONDS = 0.4
"""How often `readings` looks at the files, and how long they must keep still before they are read."""


class FileCluster:
    """A cluster as files describe it; read-only.

    Args:
        paths: files, folders (read recursively, in the order of their names), or `-` for standard input.
        stdin: read for `-` instead of the process's own.
        namespace: of objects that name none.
    """

    def __init__(self, paths: Sequence[str | Path], stdin: BinaryIO | None = None, namespace: str = "default") -> None:
        self._paths = paths
        self._stdin = stdin
        self._namespace = namespace

    def read(self) -> Reading:
        """Everything in the files. What can't be read is a warning; nothing is raised."""
        reader = ItemReader(Memo(self._namespace))
        kept: dict[tuple[str, str], Noun] = {}
        warnings = list[Problem]()
        with uncollected():
            for path in self._paths:
                for name, data in texts(str(path), self._stdin, warnings):
                    keep(read_text(name, data, reader), name, kept, warnings)
        return Reading(
            admitted(tuple(kept.values())),
            tuple(warnings),
            dict(sorted(reader.skipped.items())),
            listed=tuple(listed for header in reader.headers for listed in header.listed),
            server=next((header.server for header in reader.headers if header.server), ""),
        )

    def readings(self) -> Iterator[Reading]:
        """A Reading now, and another each time that a file has changed and then kept still for a moment.

        The files are looked at, not waited for by the kernel's means: those don't work on every file system, and a
        dump isn't written more often than twice a second.

        Raises:
            UnavailableError: one of them is standard input, which can be read only once.
        """
        if STDIN in map(str, self._paths):
            raise UnavailableError("standard input can't be watched", "give a file, or watch the cluster itself")
        while True:
            shown = self._stamps()
            yield self.read()
            while (latest := self._after_a_moment()) == shown:
                pass
            while (later := self._after_a_moment()) != latest:
                latest = later

    def _after_a_moment(self) -> list[tuple[str, int, int, int]]:
        time.sleep(LOOK_EVERY_SECONDS)
        return self._stamps()

    def _stamps(self) -> list[tuple[str, int, int, int]]:
        """(path, inode, size, time of change) of every file: equal as long as nobody wrote."""
        found: list[tuple[str, int, int, int]] = []
        for path in map(Path, self._paths):
            for file in sorted(path.rglob("*")) if path.is_dir() else [path]:
                try:
                    status = file.stat()
                except OSError:
                    continue  # reading it tells what is wrong
                found.append((str(file), status.st_ino, status.st_size, status.st_mtime_ns))
        return found
