"""A cluster read from files: dumps, manifests, folders of them, standard input."""

import gc
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import BinaryIO

from aliquot.cluster.admission import admitted
from aliquot.cluster.documents import read_text
from aliquot.cluster.folder import manifests
from aliquot.cluster.items import ItemReader, Noun
from aliquot.cluster.problem import Problem
from aliquot.cluster.text import UnreadableError, text_of
from aliquot.kube.workload import Workload
from aliquot.snapshot.snapshot import Snapshot

STDIN = "-"


@dataclass(frozen=True)
class Reading:
    """What the files held."""

    objects: tuple[Noun, ...]
    """In the order of the input; of two with the same kind, namespace and name the later one, in the earlier place."""
    warnings: tuple[Problem, ...] = ()
    """Everything that couldn't be read, in the order of the input. With no objects these are the reasons."""
    skipped: Mapping[str, int] = field(default_factory=dict[str, int])
    """Objects of kinds that no decision needs: kind -> how many."""

    @cached_property
    def snapshot(self) -> Snapshot:
        """The objects as a Snapshot."""
        return Snapshot.of(self.objects)


class FileCluster:
    """A cluster as files describe it; read-only.

    Args:
        paths: files, folders (read recursively, in the order of their names), or `-` for standard input.
        stdin: read for `-` instead of the process's own.
    """

    def __init__(self, paths: Sequence[str | Path], stdin: BinaryIO | None = None) -> None:
        self._paths = paths
        self._stdin = stdin

    def read(self) -> Reading:
        """Everything in the files. What can't be read is a warning; nothing is raised."""
        reader = ItemReader()
        kept: dict[tuple[str, str], Noun] = {}
        warnings: list[Problem] = []
        collecting = gc.isenabled()
        gc.disable()  # nothing that is read has cycles, and scanning hundreds of thousands of values costs a third
        try:
            for path in self._paths:
                for name, data in self._sources(str(path), warnings):
                    _keep(read_text(name, data, reader), name, kept, warnings)
        finally:
            if collecting:
                gc.enable()
        return Reading(admitted(tuple(kept.values())), tuple(warnings), dict(sorted(reader.skipped.items())))

    def _sources(self, path: str, warnings: list[Problem]) -> Iterator[tuple[str, bytes]]:
        """(name, UTF-8 text) of each file."""
        if path == STDIN:
            files: Iterable[Path | None] = (None,)
        elif Path(path).is_dir():
            files, notes = manifests(Path(path))
            warnings.extend(notes)
        else:
            files = (Path(path),)
        for file in files:
            name = STDIN if file is None else str(file)
            try:
                data = (self._stdin or sys.stdin.buffer).read() if file is None else file.read_bytes()
                yield name, text_of(data)
            except OSError as error:
                warnings.append(Problem(name, f"can't be opened: {error.strerror or error}"))
            except UnreadableError as error:
                warnings.append(Problem(name, error.message, line=error.line, hint=error.hint))


def key_of(noun: Noun) -> tuple[str, str]:
    """Two objects with the same key are the same object."""
    kind = noun.kind if isinstance(noun, Workload) else type(noun).__name__
    return kind, noun.meta.key


def _keep(
    read: Iterable[Noun | Problem], file: str, kept: dict[tuple[str, str], Noun], warnings: list[Problem]
) -> None:
    differing: list[str] = []
    for thing in read:
        if isinstance(thing, Problem):
            warnings.append(thing)
            continue
        key = key_of(thing)
        earlier = kept.get(key)
        if earlier is not None and earlier != thing:
            differing.append(f"{key[0]} {key[1]}")
        kept[key] = thing
    if differing:
        more = f" and {len(differing) - 3} more" if len(differing) > 3 else ""
        warnings.append(
            Problem(
                file,
                f"{', '.join(differing[:3])}{more}: described before, differently; the later counts",
                hint="give one dump, taken at one time",
            )
        )
