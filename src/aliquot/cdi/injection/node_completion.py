"""Completing a device node from the host, as injection does. Source: the Go library's fillMissingInfo at 1.1.0."""

from collections.abc import Iterable

from aliquot.cdi.host_nodes import AskedOnce, HostNodes
from aliquot.cdi.problems import Problem, SpecError
from aliquot.cdi.spec import DeviceNode


def is_complete(node: DeviceNode) -> bool:
    """Tell whether nothing that the host says could change the node, so that it needn't be asked."""
    return node.file_mode is not None and _is_sufficient(node)


def is_elsewhere(node: DeviceNode) -> bool:
    """Tell whether the host has the node at another path than the container."""
    return node.host_path not in {"", node.path}


def _is_sufficient(node: DeviceNode) -> bool:
    return node.type != "" and (node.major != 0 or node.type == "p")


def completed(nodes: Iterable[DeviceNode], host: HostNodes) -> list[DeviceNode]:
    """The nodes, each completed where that is due; the host is asked once for each path.

    Raises:
        SpecError: the host lacks nodes, or has them of another type; all of them.
    """
    asked = AskedOnce(host)
    found: list[DeviceNode] = []
    missing: list[Problem] = []
    for node in nodes:
        try:
            found.append(node if is_complete(node) else complete(node, asked))
        except SpecError as error:
            missing += error.problems
    if missing:
        raise SpecError(missing)
    return found


def complete(node: DeviceNode, host: HostNodes) -> DeviceNode:
    """The node with type, numbers and mode filled in; a new value, so that the spec stays as it was.

    A node with a type and a major number (or a fifo) needs nothing: its numbers are taken as they stand, and only an
    absent mode is read from the host where that has the node. Otherwise the host must have it, of the given type.
    Without a major number both numbers come from the host: a lone minor is lost.

    Raises:
        SpecError: the host has no such node, or one of another type.
    """
    path = node.host_path or node.path
    sufficient = _is_sufficient(node)
    found = host.lstat(path)
    if isinstance(found, str):
        if sufficient:
            return node
        hint = "regenerate the spec, or give the node's type, major and minor"
        raise SpecError([Problem("host", f"the host has no device node {path!r}: {found}", path, hint)])
    mode = found.mode if node.file_mode is None else node.file_mode
    if sufficient:
        return node if node.file_mode is not None else _filled(node, node.type, node.major, node.minor, mode)
    if node.type not in {"", found.type}:
        message = f"the device node {path!r} is of type {found.type!r} on the host, the spec says {node.type!r}"
        raise SpecError([Problem("host", message, path, "leave the type out, or correct it")])
    if found.type != "p" and node.major == 0:
        return _filled(node, found.type, found.major, found.minor, mode)
    return _filled(node, found.type, node.major, node.minor, mode)


def _filled(node: DeviceNode, kind: str, major: int, minor: int, mode: int) -> DeviceNode:
    """A copy with these; by hand, as dataclasses.replace takes twice as long and a container can have many nodes."""
    return DeviceNode(
        path=node.path,
        host_path=node.host_path,
        type=kind,
        major=major,
        minor=minor,
        file_mode=mode,
        permissions=node.permissions,
        uid=node.uid,
        gid=node.gid,
    )
