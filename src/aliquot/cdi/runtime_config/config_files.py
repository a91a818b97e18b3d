"""Configuration files as a runtime finds them: asked by path. `machine.runtimes` has the real ones."""

import fnmatch
import posixpath
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol


class ConfigFiles(Protocol):
    """What reading a configuration asks of a machine. Paths are absolute, or relative to where the asker stands."""

    def read(self, path: str) -> str | None:
        """The text of a file, None where there's none.

        Raises:
            SpecError: it's there and can't be read.
        """
        ...

    def matching(self, pattern: str) -> tuple[str, ...]:
        """The paths that match a pattern with stars, sorted; a star stands for names that start with a dot, too."""
        ...

    def below(self, folder: str) -> tuple[str, ...]:
        """All files in a folder and the folders in it, in the order of their names; none where there's no folder."""
        ...


@dataclass(frozen=True, slots=True)
class GivenFiles:
    """Files given as data: text by path."""

    texts: Mapping[str, str] = field(default_factory=dict[str, str])

    def read(self, path: str) -> str | None:
        """The text of a file, or None."""
        return self.texts.get(path)

    def matching(self, pattern: str) -> tuple[str, ...]:
        """The paths that match a pattern."""
        depth = pattern.count("/")
        found = (path for path in self.texts if path.count("/") == depth and fnmatch.fnmatchcase(path, pattern))
        return tuple(sorted(found))

    def below(self, folder: str) -> tuple[str, ...]:
        """All files below a folder."""
        return tuple(sorted((path for path in self.texts if path.startswith(f"{folder}/")), key=lambda p: p.split("/")))


@dataclass(frozen=True, slots=True)
class ChangedFiles:
    """Other files, with some texts changed: what a change would give, before anything is written."""

    files: ConfigFiles
    changed: Mapping[str, str]

    def read(self, path: str) -> str | None:
        """The changed text of a file, or the one that is there, or None."""
        return self.changed[path] if path in self.changed else self.files.read(path)

    def matching(self, pattern: str) -> tuple[str, ...]:
        """The paths that match a pattern, with those that the change makes."""
        return tuple(sorted({*self.files.matching(pattern), *GivenFiles(self.changed).matching(pattern)}))

    def below(self, folder: str) -> tuple[str, ...]:
        """All files below a folder, with those that the change makes."""
        found = {*self.files.below(folder), *GivenFiles(self.changed).below(folder)}
        return tuple(sorted(found, key=lambda path: path.split("/")))


def beside(path: str, name: str) -> str:
    """A path that is given relative to the folder of another file."""
    return posixpath.normpath(posixpath.join(posixpath.dirname(path), name))
