"""A dump of what files hold."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import BinaryIO

import msgspec

from aliquot.cluster import header
from aliquot.cluster.anonymous.objects import FIRST
from aliquot.cluster.documents import read_documents
from aliquot.cluster.dump.plain import Plain, PlainReader
from aliquot.cluster.dump.prune import pruned
from aliquot.cluster.dump.sources import Change
from aliquot.cluster.problem import Problem
from aliquot.cluster.texts import texts


class FileSource:
    """Objects of files, folders and standard input (`-`).

    Args:
        paths: as those of `FileCluster`.
        stdin: read for `-` instead of the process's own.
    """

    def __init__(self, paths: Sequence[str | Path], stdin: BinaryIO | None = None) -> None:
        self._paths = paths
        self._stdin = stdin
        self._header = header.Header()
        self.warnings: list[Problem] = []

    def lines(self, change: Change) -> Iterator[bytes]:
        """Every object as it's changed, as JSON without line breaks."""
        found: list[Plain] = []
        for path in self._paths:
            for name, data in texts(str(path), self._stdin, self.warnings):
                for thing in read_documents(name, data, PlainReader()):
                    if isinstance(thing, Problem):
                        self.warnings.append(thing)
                    elif (thing.version, thing.kind) == (header.VERSION, header.KIND):
                        self._header = header.read(thing.raw)
                    else:
                        found.append(thing)
        found.sort(key=_rank)
        for thing in found:
            try:
                made = change(pruned(thing.decoded()))
            except (msgspec.MsgspecError, RecursionError) as error:
                self.warnings.append(Problem("", f"a {thing.kind} can't be read: {error}"))
                continue
            if made is not None:
                yield msgspec.json.encode(made)

    def header(self) -> header.Header:
        """Of the last of the files that is a dump of ours; else an empty one."""
        return self._header


def _rank(thing: Plain) -> int:
    return FIRST.index(thing.kind) if thing.kind in FIRST else len(FIRST)
