"""Writing a dump: all of it, or nothing at its place."""

import contextlib
import gzip
import os
import tempfile
from collections.abc import Generator, Iterable
from pathlib import Path
from typing import BinaryIO

LEVEL = 6
"""Of gzip: more takes twice the time for a twentieth of the size."""


@contextlib.contextmanager
def in_place_of(path: Path) -> Generator[BinaryIO, None, None]:
    """A file that takes the place of `path` when the block ends well; else there's no trace of it.

    Nobody but its owner may read it. A name that ends in .gz makes it gzip.

    Raises:
        OSError: the folder isn't there or can't be written, the disk is full.
    """
    number, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".part", dir=path.parent)
    done = False
    try:
        with os.fdopen(number, "wb") as plain:
            if path.suffix == ".gz":
                with gzip.GzipFile(filename="", fileobj=plain, mode="wb", compresslevel=LEVEL, mtime=0) as packed:
                    yield packed  # type: ignore[misc]  # a GzipFile is no BinaryIO by name, but by what it does
            else:
                yield plain
            plain.flush()
            os.fsync(plain.fileno())
        os.replace(name, path)  # noqa: PTH105 - a plain name, not a Path
        done = True
    finally:
        if not done:
            with contextlib.suppress(OSError):
                os.unlink(name)  # noqa: PTH108


def write_list(out: BinaryIO, lines: Iterable[bytes]) -> int:
    """Write objects as one Kubernetes List, one object a line. Returns how many."""
    out.write(b'{"apiVersion":"v1","kind":"List","items":[')
    count = 0
    for line in lines:
        out.write((b",\n" if count else b"\n") + line)
        count += 1
    out.write(b"\n]}\n")
    return count
