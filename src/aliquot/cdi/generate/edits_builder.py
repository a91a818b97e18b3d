"""Turning what an inventory holds into edits: device nodes with their numbers and groups, and mounts."""

from collections.abc import Iterable
from fnmatch import fnmatchcase

from aliquot.cdi.generate.hook_calls import HookCalls
from aliquot.cdi.generate.inventory import DriverFile, FoundNode, Inventory, Library, under
from aliquot.cdi.problems import Problem
from aliquot.cdi.spec import ContainerEdits, DeviceNode, Mount

READ_ONLY = ("ro", "nosuid", "nodev", "rbind", "rprivate")
SOCKET = ("nosuid", "nodev", "rbind", "rprivate", "noexec")
"""A socket must be writable to be connected to."""


class EditsBuilder:
    """Makes edits from one inventory, and keeps what had to be left out in `warnings`."""

    def __init__(
        self, inventory: Inventory, hooks: HookCalls, *, numbers: bool = True, additional_gids: bool = True
    ) -> None:
        self.inventory = inventory
        self.hooks = hooks
        self.warnings: list[Problem] = []
        self._numbers = numbers
        self._additional_gids = additional_gids

    def warn(self, message: str, hint: str = "") -> None:
        """Note that something was left out."""
        self.warnings.append(Problem("host", message, hint=hint))

    def matching(self, *patterns: str) -> tuple[FoundNode, ...]:
        """The host's device nodes whose whole path matches; a `*` doesn't match a slash."""
        return tuple(
            node
            for pattern in patterns
            for node in self.inventory.nodes
            if node.path.count("/") == pattern.count("/") and fnmatchcase(node.path, pattern)
        )

    def nodes(self, *patterns: str) -> ContainerEdits:
        """Edits for the nodes that match; patterns without a match add nothing."""
        return self.found(self.matching(*patterns))

    def found(self, nodes: Iterable[FoundNode]) -> ContainerEdits:
        """Edits for these nodes: the node itself, and its group for processes of other users that need it."""
        chosen = tuple(nodes)
        gids = tuple(node.gid for node in chosen if self._additional_gids and node.gid and node.mode & 0o006 != 0o006)
        return ContainerEdits(device_nodes=tuple(self._node(node) for node in chosen), additional_gids=gids)

    def _node(self, node: FoundNode) -> DeviceNode:
        host_path = under(self.inventory.dev_root, node.path)
        return DeviceNode(
            path=node.path,
            host_path="" if host_path == node.path else host_path,
            major=node.major if self._numbers else 0,
            minor=node.minor if self._numbers else 0,
            file_mode=node.mode or None,
            permissions="rwm",
            gid=node.gid or None,
        )

    def mounts(self, files: Iterable[Library | DriverFile]) -> ContainerEdits:
        """Mounts of these files of the driver."""
        return ContainerEdits(mounts=tuple(self._mount(file) for file in files))

    def _mount(self, file: Library | DriverFile) -> Mount:
        socket = isinstance(file, DriverFile) and file.kind == "socket"
        return Mount(
            host_path=file.host_path or under(self.inventory.driver_root, file.path),
            container_path=file.path,
            options=SOCKET if socket else READ_ONLY,
        )
