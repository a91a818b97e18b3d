"""What injection asks the host: which device node stands at a path. Given as data here; `folders` has the real one."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, Protocol


@dataclass(frozen=True, slots=True)
class HostNode:
    """A device node: type, numbers, permission bits (with setuid, setgid and sticky, without the type), and group."""

    type: Literal["b", "c", "p"]
    major: int = 0
    minor: int = 0
    mode: int = 0o666
    gid: int = 0


class OtherFile(str):
    """Why there's no device node at a path: something else stands there."""

    __slots__ = ()


class HostNodes(Protocol):
    """The host's device nodes."""

    def lstat(self, path: str) -> HostNode | str:
        """The node at that path, symbolic links not followed; or why there's none, as a short sentence."""
        ...


@dataclass(frozen=True, slots=True)
class GivenNodes:
    """Nodes given as data; `others` are paths with something that isn't a device node."""

    nodes: Mapping[str, HostNode] = field(default_factory=dict[str, HostNode])
    others: frozenset[str] = frozenset()

    def lstat(self, path: str) -> HostNode | str:
        """The node at that path, or why there's none."""
        if path in self.others:
            return OtherFile("it isn't a device node")
        return self.nodes.get(path, "there's no such file")


@dataclass(frozen=True, slots=True)
class AskedOnce:
    """Other nodes, each looked up once: one injection sees one state of the host, and devices share many nodes."""

    nodes: HostNodes
    known: dict[str, HostNode | str] = field(default_factory=dict[str, HostNode | str])

    def lstat(self, path: str) -> HostNode | str:
        """The node at that path, or why there's none."""
        found = self.known.get(path)
        if found is None:
            found = self.known[path] = self.nodes.lstat(path)
        return found
