"""Does a spec still fit this host? Pure: the host is asked through `HostFiles`; `host_files` has the real one.

What goes wrong in practice (each was reported by users): the driver was updated and its old files are gone; a device
node moved to another major number, or vanished; a hook isn't installed; the spec was generated before the driver had
made all nodes; users without root can't read the spec, a library or a node.
"""

import posixpath
import re
from collections.abc import Iterator

from aliquot.cdi.host_findings import REGENERATE, Finding, HostFiles, Missing, error, warning
from aliquot.cdi.node_check import RUNTIMES, NodeCheck
from aliquot.cdi.spec import ContainerEdits, Hook, Mount, Spec


def check_host(
    spec: Spec, host: HostFiles, *, file: str = "", runtimes: tuple[str, ...] = RUNTIMES
) -> tuple[Finding, ...]:
    """Everything about a spec that doesn't fit a host, in the order of the document.

    `file` is the spec's own path, `runtimes` are the container runtimes for which ways out are told.
    """
    found = tuple(_findings(spec, host, file, runtimes))
    return tuple(dict.fromkeys(found))


def _findings(spec: Spec, host: HostFiles, file: str, runtimes: tuple[str, ...]) -> Iterator[Finding]:
    own = host.file(file) if file else None
    if own is not None and not (own.mode & 0o004 and own.reachable):
        message = "users without root can't read the spec: for them its devices don't exist"
        yield warning(message, "", f"chmod a+r {file}, and a+x its folder")
    yield from _driver(spec, host)
    named = frozenset(node.host_path or node.path for edits in _blocks(spec) for node in edits.device_nodes)
    nodes = NodeCheck(host, named, runtimes)
    yield from _edits(spec.edits, "containerEdits", host, nodes)
    for i, device in enumerate(spec.devices):
        yield from _edits(device.edits, f"devices[{i}].containerEdits", host, nodes)
    yield from _lacking(spec, host)


def _blocks(spec: Spec) -> tuple[ContainerEdits, ...]:
    return (spec.edits, *(device.edits for device in spec.devices))


def _edits(edits: ContainerEdits, at: str, host: HostFiles, nodes: NodeCheck) -> Iterator[Finding]:
    for i, node in enumerate(edits.device_nodes):
        yield from nodes.check(node, f"{at}.deviceNodes[{i}]", edits.additional_gids)
    for i, mount in enumerate(edits.mounts):
        yield from _mount(mount, f"{at}.mounts[{i}]", host)
    for i, hook in enumerate(edits.hooks):
        yield from _hook(hook, f"{at}.hooks[{i}]", host)


def _mount(mount: Mount, at: str, host: HostFiles) -> Iterator[Finding]:
    if mount.type not in {"", "bind"} and not {"bind", "rbind"} & set(mount.options):
        return  # its source isn't a path
    found = host.file(mount.host_path)
    if found is None:
        newer, path = _successor(mount.host_path, host), mount.host_path
        together = None if newer else Missing("file", path)
        yield error(f"{path} isn't there", f"{at}.hostPath", newer or REGENERATE, together)
    elif not found.reachable or not found.mode & 0o004:
        message = f"users without root can't read {mount.host_path}"
        yield warning(message, f"{at}.hostPath", f"chmod a+r {mount.host_path}, and a+x the folders above")


def _hook(hook: Hook, at: str, host: HostFiles) -> Iterator[Finding]:
    if hook.hook_name == "startContainer":
        return  # its path is one of the container
    found = host.file(hook.path)
    if found is None:
        message = f"the hook {hook.path} isn't there: no container with this spec will start"
        hint = f"install the package that has it, or {REGENERATE}"
        yield error(message, f"{at}.path", hint, Missing("hook", hook.path))
    elif found.folder or not found.mode & 0o111:
        yield error(f"the hook {hook.path} isn't a program", f"{at}.path", f"chmod a+x {hook.path}")
    elif not found.mode & 0o001 or not found.reachable:
        message = f"users without root can't run the hook {hook.path}"
        yield warning(message, f"{at}.path", f"chmod a+x {hook.path} and the folders above")


_VERSIONED = re.compile(r"(?P<stem>.+\.so)\.(?P<version>\d+(?:\.\d+)+)")
_DRIVER_LIBRARY = re.compile(r"(?:libcuda|libnvidia-ml)\.so\.(\d+\.\d+(?:\.\d+)?)")


def _successor(path: str, host: HostFiles) -> str:
    """What to say of a missing versioned file where another version of it is there."""
    folder, name = posixpath.split(path)
    old = _VERSIONED.fullmatch(name)
    if old is None:
        return ""
    others = [match for match in map(_VERSIONED.fullmatch, host.names(folder)) if match is not None]
    newer = sorted(match["version"] for match in others if match["stem"] == old["stem"])
    return f"there is version {', '.join(newer)} of it: {REGENERATE}" if newer else ""


def driver_of(spec: Spec) -> str | None:
    """The version of the NVIDIA driver that a spec was generated for, from its libraries' names."""
    names = [posixpath.basename(mount.host_path) for edits in _blocks(spec) for mount in edits.mounts]
    match = next((match for match in map(_DRIVER_LIBRARY.fullmatch, names) if match is not None), None)
    return match.group(1) if match is not None else None


def _driver(spec: Spec, host: HostFiles) -> Iterator[Finding]:
    was, now = driver_of(spec), host.driver_version()
    if was is None:
        return
    if now is None:
        now = _driver_beside(spec, host)
    if now is not None and now != was:
        message = f"the driver changed from {was} to {now}: libraries of {was} don't work with it"
        yield error(message, "", f"{REGENERATE}, after each update of the driver")


def _driver_beside(spec: Spec, host: HostFiles) -> str | None:
    """The only version of libcuda that lies where the spec's libraries lie."""
    folders = {
        posixpath.dirname(m.host_path) for e in _blocks(spec) for m in e.mounts if _VERSIONED.fullmatch(m.host_path)
    }
    found = {match.group(1) for f in folders for match in map(_DRIVER_LIBRARY.fullmatch, host.names(f)) if match}
    return found.pop() if len(found) == 1 else None


_CONTROL = ("/dev/nvidiactl", "/dev/nvidia-uvm", "/dev/nvidia-uvm-tools", "/dev/nvidia-modeset")
_GPU_NODE = re.compile(r"nvidia\d+")


def _lacking(spec: Spec, host: HostFiles) -> Iterator[Finding]:
    """Nodes of NVIDIA's driver that the host has and a spec of its GPUs doesn't: it was generated too early."""
    nodes = {node.path: node.host_path or node.path for edits in _blocks(spec) for node in edits.device_nodes}
    gpus = [path for path in nodes if _GPU_NODE.fullmatch(posixpath.basename(path))]
    if not gpus:
        return
    first = nodes[gpus[0]]
    root = first.removesuffix(gpus[0])
    present = {f"/dev/{name}" for name in host.names(posixpath.dirname(first)) if _GPU_NODE.fullmatch(name)}
    present |= {path for path in _CONTROL if not isinstance(host.lstat(root + path), str)}
    for path in sorted(present - set(nodes)):
        what = "a program may need it" if path in _CONTROL else "no device of the spec has it"
        message = f"the host has {path}, the spec hasn't: {what}"
        yield warning(message, "", f"{REGENERATE}, once the driver has made all its nodes")
