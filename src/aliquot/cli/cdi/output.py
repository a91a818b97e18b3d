"""What the verbs of `aliquot cdi` share: exit statuses, reading files, and telling problems."""

import sys
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import Parameter

from aliquot.cdi.documents.read import inspect
from aliquot.cdi.machine.folders import DEFAULT_FOLDERS, Folders
from aliquot.cdi.problems import Problem, SpecError
from aliquot.cdi.registry import Registry
from aliquot.cli.output import fail, warn

if TYPE_CHECKING:
    from aliquot.cdi.check import Strength
    from aliquot.cdi.spec import Spec

YES, NO, UNUSABLE = 0, 1, 2

Dirs = Annotated[tuple[Path, ...], Parameter(name=["--dir", "-d"], negative=())]
TextFormat = Literal["yaml", "json"]
OutputFormat = Literal["table", "json", "yaml"]


def folders_of(dirs: tuple[Path, ...]) -> Folders:
    """The folders that were asked for, else the usual ones."""
    return Folders(dirs or DEFAULT_FOLDERS)


def tell(problems: Iterable[Problem]) -> None:
    """Each problem, with its hint."""
    for problem in problems:
        fail(str(replace(problem, hint="")), problem.hint)


def warn_of_errors(registry: Registry) -> None:
    """What is wrong with the files of a registry."""
    for problems in registry.errors.values():
        for problem in problems:
            warn(problem)


def read_text(path: Path) -> bytes:
    """A file's bytes; `-` is standard input.

    Raises:
        SpecError: it can't be read.
    """
    if str(path) == "-":
        return sys.stdin.buffer.read()
    try:
        return path.read_bytes()
    except OSError as error:
        raise SpecError([Problem("io", f"it can't be read: {error.strerror}", file=str(path))]) from None


def read_spec(path: Path, strength: "Strength" = "faithful") -> "Spec":
    """The spec in a file.

    Raises:
        SpecError: it can't be read, or isn't a good spec.
    """
    return inspect(read_text(path), file=str(path), strength=strength, older_fields=True).value()
