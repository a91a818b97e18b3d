"""The kubelet: its folders and sockets, room for ours, its release and gates."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from aliquot.node.doctor.found import Found, KubeletFound
from aliquot.node.doctor.value import Check, Status
from aliquot.node.neighbours.found import GPU_DRIVER, Socket, Voice
from aliquot.node.serving.sockets import LONGEST_PATH, dra_socket, registration_socket

FIRST_WITH_V1: Final = 34
FIRST_WITH_V1BETA1: Final = 32
_UID: Final = "01234567-89ab-cdef-0123-456789abcdef"
"""As long as a pod's is."""
_PLUGIN_SOCKET: Final = "device-plugins/aliquot-01234567.sock"
_GATES: Final = (
    ("DynamicResourceAllocation", 34, Status.FAIL, "the kubelet prepares no claims: no pod with one starts here"),
    ("KubeletPodResourcesDynamicResources", 34, Status.WARN, "metrics can't tell which pod has a claim's device"),
    ("ResourceHealthStatus", 36, Status.WARN, "pods' status doesn't tell when a device of theirs is unhealthy"),
)
"""A gate, the minor release from which it's on by default, and what it costs where it's off."""


def kubelet_checks(found: Found) -> Iterator[Check]:
    """Of the kubelet."""
    kubelet = found.kubelet
    yield _root(found)
    yield _folders(kubelet)
    yield _lengths(found)
    why = "by it device plugins register, and a restart of the kubelet is seen"
    yield _socket("kubelet's device plugin socket", kubelet.device_plugins, why, Status.FAIL)
    why = "it tells which pod has which device: without it metrics have no pod labels"
    yield _socket("kubelet's pod resources socket", kubelet.pod_resources, why, Status.WARN)
    yield _release(kubelet)
    yield from _gates(kubelet)


def _root(found: Found) -> Check:
    name, kubelet = "kubelet's folder", found.kubelet
    told = f"{kubelet.root}, {kubelet.how}"
    if kubelet.others and kubelet.device_plugins is None:
        places = " and ".join(kubelet.others)
        why = f"no kubelet has its socket there, and one has at {places}: it would never see the agent"
        return Check(name, Status.FAIL, told, why, tuple(f"--kubelet-root {place}" for place in kubelet.others))
    if found.root == "/" and kubelet.told is not None and Path(kubelet.root) != Path(kubelet.told):
        why = (
            f"the kubelet itself has it at {kubelet.told}: it's told our sockets' paths as this process sees them, and "
            "wouldn't find them"
        )
        return Check(
            name, Status.WARN, told, why, (f"mount it at {kubelet.told}, and use --kubelet-root {kubelet.told}",)
        )
    if not any(folder.there for folder in kubelet.folders):
        why = "there's no kubelet here, or its folder is elsewhere: it would never see the agent"
        fix = ("give its folder: --kubelet-root DIR (the kubelet's --root-dir)",)
        return Check(name, Status.FAIL, f"{told}: none of its folders is there", why, fix)
    return Check(name, Status.OK, told)


def _folders(kubelet: KubeletFound) -> Check:
    name = "kubelet's plugin folders"
    bad = [folder for folder in kubelet.folders[:3] if not folder.writable]
    if bad:
        told = "; ".join(f"{folder.path}: {folder.wrong}" for folder in bad)
        why = "the agent's sockets and its checkpoint are made there"
        return Check(name, Status.FAIL, told, why, ("run the agent as root, with these folders mounted writable",))
    return Check(name, Status.OK, "plugins_registry, plugins and device-plugins can be written")


def _lengths(found: Found) -> Check:
    name, root = "room for sockets' paths", Path(found.kubelet_path)
    longest = len(str(root / _PLUGIN_SOCKET).encode())
    try:
        paths = (
            registration_socket(root / "plugins_registry", GPU_DRIVER, _UID),
            dra_socket(root / "plugins", GPU_DRIVER, _UID),
        )
    except ValueError as error:
        return Check(name, Status.FAIL, str(error), "the kernel takes no longer ones", ("use a shorter folder",))
    longest = max(longest, *(len(str(path).encode()) for path in paths))
    if longest > LONGEST_PATH:
        told = f"up to {longest} bytes, and {LONGEST_PATH} is the limit"
        return Check(name, Status.FAIL, told, "the kernel takes no longer ones", ("use a shorter folder",))
    return Check(name, Status.OK, f"up to {longest} bytes of {LONGEST_PATH}")


def _socket(name: str, socket: Socket | None, why: str, bad: Status) -> Check:
    fix = ("start the kubelet, or give its folder: --kubelet-root DIR",)
    if socket is None:
        return Check(name, bad, "it isn't there", why, fix)
    if socket.voice is Voice.SILENT:
        return Check(name, bad, f"nobody listens at {socket.path}: the kubelet isn't running", why, fix)
    if socket.voice is Voice.UNKNOWN:
        return Check(name, Status.UNKNOWN, f"{socket.path}: {socket.why}", why, ("run this as root",))
    return Check(name, Status.OK, f"somebody listens at {socket.path}")


def _minor(kubelet: KubeletFound) -> int | None:
    match = re.match(r"v?1\.(\d+)", kubelet.version or "")
    return int(match.group(1)) if match is not None else None


def _release(kubelet: KubeletFound) -> Check:
    name, minor = "kubelet's release", _minor(kubelet)
    if minor is None:
        why = "DRA is on by itself from 1.34 on"
        fix = ("kubectl get node NODE -o jsonpath={.status.nodeInfo.kubeletVersion}",)
        return Check(name, Status.UNKNOWN, "its program isn't here, or doesn't say", why, fix)
    if minor < FIRST_WITH_V1BETA1:
        why = "it speaks no version of DRA that the agent has: only the device plugin works here"
        return Check(name, Status.WARN, f"{kubelet.version}", why, ("update it to 1.34 or later for claims",))
    if minor < FIRST_WITH_V1:
        why = "DRA is a beta that is off unless its gate and resource.k8s.io/v1beta1 are switched on"
        return Check(name, Status.WARN, f"{kubelet.version}", why, ("update it to 1.34 or later for claims",))
    return Check(name, Status.OK, f"{kubelet.version}: it has DRA")


def _gates(kubelet: KubeletFound) -> Iterator[Check]:
    name = "kubelet's feature gates"
    if kubelet.gates is None:
        why = "gates that are off take features away, without a word"
        yield Check(name, Status.UNKNOWN, "neither its configuration nor its command line can be seen", why)
        return
    minor, told = _minor(kubelet), False
    for gate, since, bad, why in _GATES:
        on = kubelet.gates.get(gate)
        if on is False:
            told = True
            where = " and ".join(kubelet.gates_from)
            yield Check(name, bad, f"{gate} is off ({where})", why, (f"take {gate} out of featureGates, restart it",))
        elif on is None and gate == "DynamicResourceAllocation" and minor is not None and minor < since:
            told = True
            yield Check(name, bad, f"{gate} is off in {kubelet.version} unless it's set", why, (f"set {gate}: true",))
    if not told:
        where = " and ".join(kubelet.gates_from)
        yield Check(name, Status.OK, f"none that the agent needs is switched off ({where})")
