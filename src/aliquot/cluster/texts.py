"""The texts of files, folders and standard input."""

import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import BinaryIO

from aliquot.cluster.folder import manifests
from aliquot.cluster.problem import Problem
from aliquot.cluster.text import UnreadableError, text_of

STDIN = "-"


def texts(path: str, stdin: BinaryIO | None, warnings: list[Problem]) -> Iterator[tuple[str, bytes]]:
    """(name, UTF-8 text) of each file of a path; what can't be read is added to `warnings`."""
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
            data = (stdin or sys.stdin.buffer).read() if file is None else file.read_bytes()
            yield name, text_of(data)
        except OSError as error:
            warnings.append(Problem(name, f"can't be opened: {error.strerror or error}"))
        except UnreadableError as error:
            warnings.append(Problem(name, error.message, line=error.line, hint=error.hint))
