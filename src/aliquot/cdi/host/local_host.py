"""This host as `host_check` asks it. An edge."""

import os
import stat
from pathlib import Path

from aliquot.cdi.host.discover import driver_version
from aliquot.cdi.host.local_nodes import LocalNodes
from aliquot.cdi.host.tree import Tree
from aliquot.cdi.host_findings import FileFacts


class LocalHost(LocalNodes):
    """This host."""

    def file(self, path: str) -> FileFacts | None:
        """The file or folder at a path, links followed, or None."""
        try:
            found = Path(path).stat()
        except (OSError, ValueError):
            return None
        return FileFacts(stat.S_IMODE(found.st_mode), stat.S_ISDIR(found.st_mode), _reachable(os.path.realpath(path)))

    def names(self, folder: str) -> tuple[str, ...]:
        """The names in a folder, sorted; none where it can't be read."""
        return tuple(Tree().names(folder))

    def driver_version(self) -> str | None:
        """The version of the NVIDIA kernel module that is loaded, or None."""
        return driver_version(Tree())


def _reachable(path: str) -> bool:
    """Whether everybody may search all folders above."""
    try:
        return all(folder.stat().st_mode & 0o001 for folder in Path(path).parents)
    except OSError:
        return False
