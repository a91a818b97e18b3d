"""A host given as data, for what a spec is held against."""

import posixpath
from collections.abc import Mapping
from dataclasses import dataclass, field

from aliquot.cdi.host_findings import FileFacts
from aliquot.cdi.host_nodes import GivenNodes, HostNode


@dataclass(frozen=True)
class Host:
    """A host given as data."""

    files: Mapping[str, FileFacts] = field(default_factory=dict)
    nodes: Mapping[str, HostNode] = field(default_factory=dict)
    version: str | None = None

    def file(self, path: str) -> FileFacts | None:
        return self.files.get(path)

    def names(self, folder: str) -> tuple[str, ...]:
        known = (*self.files, *self.nodes)
        return tuple(sorted(posixpath.basename(path) for path in known if posixpath.dirname(path) == folder))

    def driver_version(self) -> str | None:
        return self.version

    def lstat(self, path: str) -> HostNode | str:
        return GivenNodes(self.nodes).lstat(path)
