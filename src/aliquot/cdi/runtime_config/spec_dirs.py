"""Spec folders as a runtime's configuration names them."""

import posixpath
from collections.abc import Iterable, Sequence

from aliquot.cdi.runtime_config.assessment import DEFAULT_DIRS


def normal(folder: str) -> str:
    """The folder that is meant: no slash at the end, and /run for /var/run, which is a link to it (FHS 3.0, 5.13)."""
    path = posixpath.normpath(folder) if folder else ""
    return path.removeprefix("/var") if path == "/var/run" or path.startswith("/var/run/") else path


def usable(folders: Iterable[str]) -> tuple[str, ...]:
    """Those that are a folder at all: the empty string is none."""
    return tuple(folder for folder in folders if folder)


def not_searched(folders: Sequence[str]) -> tuple[str, ...]:
    """Which of the two usual folders aren't among these."""
    searched = {normal(folder) for folder in folders}
    return tuple(folder for folder in DEFAULT_DIRS if normal(folder) not in searched)


def notes_on(folders: Sequence[str], how: str) -> tuple[str, ...]:
    """What to say of the folders that a runtime searches; `how` names the place where more can be listed."""
    missing = not_searched(folders)
    notes: list[str] = []
    if missing:
        there = ", ".join(folders)
        rest = "" if len(missing) > 1 else "; devices whose spec lies there don't exist for it"
        notes.append(f"it doesn't look into {' and '.join(missing)}{rest}; it looks into {there} ({how})")
    relative = [folder for folder in folders if not folder.startswith("/")]
    if relative:
        notes.append(f"{', '.join(map(repr, relative))} is taken from the folder in which it was started")
    return tuple(notes)
