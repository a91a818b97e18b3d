"""Does a spec's device node still fit this host? Missing, moved, another kind of file, or closed to most users."""

import posixpath
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from aliquot.cdi.host_findings import REGENERATE, Finding, HostFiles, Missing, error, warning
from aliquot.cdi.host_nodes import HostNode, OtherFile
from aliquot.cdi.node_makers import how_made
from aliquot.cdi.spec import DeviceNode

RUNTIMES: Final = ("podman", "docker", "containerd", "crio")

_ROOTLESS: Final[Mapping[str, str]] = {
    "podman": "rootless podman with crun: --group-add keep-groups, the user in group {gid}",
    "docker": "rootless docker can't keep groups: a udev rule with MODE=0666, or setfacl -m u:USER:rw {path}",
    "containerd": "pods: supplementalGroups: [{gid}], or additionalGids: [{gid}] in the spec (0.7.0)",
    "crio": "pods: supplementalGroups: [{gid}], or additionalGids: [{gid}] in the spec (0.7.0)",
}
"""The way that works for each runtime. In a user namespace only the user's own groups count; only crun keeps them."""

_IN_A_NAMESPACE: Final = frozenset({"podman", "docker"})
"""Those whose rootless form drops the groups that a spec adds."""

_NUMBERED: Final = re.compile(r"(?P<stem>.*?\D)(?P<number>\d+)")


@dataclass(frozen=True, slots=True)
class NodeCheck:
    """Checks nodes of one spec. `named` are all nodes that the spec names, `runtimes` those whose ways are told."""

    host: HostFiles
    named: frozenset[str]
    runtimes: tuple[str, ...] = RUNTIMES

    def check(self, node: DeviceNode, at: str, gids: tuple[int, ...]) -> Iterator[Finding]:
        """What is wrong with a node that stands at the field `at`; `gids` are the additional groups beside it."""
        path = node.host_path or node.path
        found = self.host.lstat(path)
        if isinstance(found, str):
            yield self._missing(node, path, found, at)
            return
        if node.type and found.type != ("c" if node.type == "u" else node.type):
            yield error(f"{path} is of type {found.type!r}, the spec says {node.type!r}", f"{at}.type", REGENERATE)
        elif node.major and (node.major, node.minor) != (found.major, found.minor):
            message = f"{path} has moved: it is {found.major}:{found.minor}, the spec says {node.major}:{node.minor}"
            yield error(message, f"{at}.major", f"{REGENERATE} (with --no-numbers it can't happen again)")
        yield from self._closed(node, path, found, at, gids)

    def _missing(self, node: DeviceNode, path: str, found: str, at: str) -> Finding:
        made_anyway = bool(node.type and (node.major or node.type == "p"))
        tell, tail = (warning, "; the container gets one all the same") if made_anyway else (error, "")
        if isinstance(found, OtherFile):
            what = found if "regular file" in found or "folder" in found or "link" in found else "another file is there"
            hint = f"take it away (rm {path}), then {how_made(path)}"
            if "link" in found:
                hint = f"name in the spec what it points at, or {REGENERATE}"
            return tell(f"{path} isn't a device node: {what}{tail}", at, hint)
        renumbered = self._renumbered(path)
        if renumbered:
            message = f"the device node {path} isn't there: {found}; {', '.join(renumbered)} is{tail}"
            hint = f"it was probably renumbered: {REGENERATE}; after each boot, in a unit that runs before the runtime"
            return tell(message, at, hint)
        message, hint = f"the device node {path} isn't there: {found}{tail}", f"{how_made(path)}; or {REGENERATE}"
        return tell(message, at, hint, Missing("device node", path, f"{found}{tail}"))

    def _renumbered(self, path: str) -> tuple[str, ...]:
        """Nodes of the same name with another number, which the spec doesn't have: it was written for their old one."""
        folder, name = posixpath.split(path)
        own = _NUMBERED.fullmatch(name)
        if own is None:
            return ()
        others = [match for match in map(_NUMBERED.fullmatch, self.host.names(folder)) if match is not None]
        alike = sorted(
            (match for match in others if match["stem"] == own["stem"]), key=lambda match: int(match["number"])
        )
        paths = (posixpath.join(folder, match[0]) for match in alike)
        return tuple(one for one in paths if one not in self.named)

    def _closed(
        self, node: DeviceNode, path: str, found: HostNode, at: str, gids: tuple[int, ...]
    ) -> Iterator[Finding]:
        """Users other than root reach it only through a group: in the container, or on the host without root."""
        if node.permissions == "none":
            return
        mode = node.file_mode if node.file_mode is not None else found.mode
        if mode & 0o006 != 0o006 and not gids and node.gid not in {None, 0}:
            hint = f"run as group {node.gid}, or let the spec add it: additionalGids (0.7.0)"
            yield warning(f"only root and group {node.gid} may open {path} in the container", at, hint)
        elif found.mode & 0o006 != 0o006 and found.mode & 0o060 and found.gid:
            message = f"only root and group {found.gid} may open {path} on this host (mode {found.mode & 0o777:04o})"
            told = [runtime for runtime in self.runtimes if found.gid not in gids or runtime in _IN_A_NAMESPACE]
            ways = [_ROOTLESS[runtime].format(gid=found.gid, path=path) for runtime in told if runtime in _ROOTLESS]
            if ways:
                yield warning(message, at, "; ".join(dict.fromkeys(ways)))
