"""Rewriting a spec for an older version: what older container engines can't read is taken out, and said.

Podman 4.3 reads up to 0.5.0, podman 5.4 up to 0.8.0 (tried with files of each version). A loss changes what the
container gets; what an older version says in another way isn't one.
"""

from dataclasses import dataclass, replace

from aliquot.cdi.problems import Problem, SpecError
from aliquot.cdi.spec import NO_EDITS, ContainerEdits, Device, DeviceNode, IntelRdt, Mount, Spec
from aliquot.cdi.versions import LAST_WITH_CMT, NEWEST, OLDEST, normal, rank


@dataclass(frozen=True, slots=True)
class Lowered:
    """The spec for the older version; `losses` say what is gone, by device and field. `spec` is None if all is."""

    spec: Spec | None
    losses: tuple[Problem, ...] = ()


def lower(spec: Spec, to: str) -> Lowered:
    """The spec as a reader of version `to` can read it. It declares that version.

    Raises:
        SpecError: `to` isn't a version that any reader accepts.
    """
    version = normal(to)
    if version is None or rank(version) < rank(OLDEST):
        raise SpecError([Problem("version", f"{to!r} isn't a version to write", hint=f"{OLDEST} to {NEWEST}")])
    work = _Lowering(version)
    if "." in spec.class_ and work.before("0.6.0"):
        work.lose("", "kind", f"the class {spec.class_!r} has a dot, so none of the devices can be asked for")
        return Lowered(None, tuple(work.losses))
    devices = tuple(kept for i, device in enumerate(spec.devices) if (kept := work.device(device, i)) is not None)
    if not devices:
        work.lose("", "devices", "no device is left")
        return Lowered(None, tuple(work.losses))
    annotations = spec.annotations
    if annotations and work.before("0.6.0"):
        work.lose("", "annotations", "the annotations are left out")
        annotations = {}
    edits = work.edits(spec.edits, "", "containerEdits")
    lowered = replace(spec, version=version, devices=devices, edits=edits, annotations=annotations)
    return Lowered(lowered, tuple(work.losses))


class _Lowering:
    def __init__(self, version: str) -> None:
        self.version = version
        self.losses: list[Problem] = []

    def before(self, version: str) -> bool:
        return rank(self.version) < rank(version)

    def lose(self, device: str, path: str, message: str) -> None:
        owner = f"device {device!r}: " if device else ""
        self.losses.append(Problem("version", f"{owner}{message}", path))

    def device(self, device: Device, index: int) -> Device | None:
        at = f"devices[{index}]"
        if device.name[:1].isdigit() and self.before("0.5.0"):
            self.lose(device.name, f"{at}.name", "a name that starts with a digit needs 0.5.0; the device is left out")
            return None
        annotations = device.annotations
        if annotations and self.before("0.6.0"):
            self.lose(device.name, f"{at}.annotations", "the annotations are left out")
            annotations = {}
        edits = self.edits(device.edits, device.name, f"{at}.containerEdits")
        if not edits and device.edits:
            self.lose(device.name, at, "nothing of it is left, so it's left out")
            return None
        return replace(device, edits=edits, annotations=annotations)

    def edits(self, edits: ContainerEdits, device: str, at: str) -> ContainerEdits:
        if edits == NO_EDITS:
            return edits
        nodes = [self.node(node, device, f"{at}.deviceNodes[{i}]") for i, node in enumerate(edits.device_nodes)]
        mounts = [self.mount(mount, device, f"{at}.mounts[{i}]") for i, mount in enumerate(edits.mounts)]
        lowered = replace(
            edits,
            device_nodes=tuple(node for node in nodes if node is not None),
            mounts=tuple(mount for mount in mounts if mount is not None),
            intel_rdt=self.rdt(edits.intel_rdt, device, f"{at}.intelRdt"),
        )
        if lowered.net_devices and self.before("1.1.0"):
            names = ", ".join(net.host_interface_name for net in edits.net_devices)
            self.lose(device, f"{at}.netDevices", f"the network interfaces {names} aren't moved into the container")
            lowered = replace(lowered, net_devices=())
        if lowered.additional_gids and self.before("0.7.0"):
            gids = ", ".join(str(gid) for gid in edits.additional_gids)
            message = f"additionalGids {gids} are left out: users other than root may not open the device"
            self.lose(device, f"{at}.additionalGids", message)
            lowered = replace(lowered, additional_gids=())
        return lowered

    def node(self, node: DeviceNode, device: str, at: str) -> DeviceNode | None:
        if not node.host_path or not self.before("0.5.0"):
            return node
        if node.host_path != node.path and (node.type == "" or (node.major == 0 and node.type != "p")):
            message = f"the node {node.path!r} is left out: without hostPath its numbers can't be found"
            self.lose(device, f"{at}.hostPath", message)
            return None
        return replace(node, host_path="")  # the same path, or type and numbers say which node it is

    def mount(self, mount: Mount, device: str, at: str) -> Mount | None:
        if not mount.type or not self.before("0.4.0"):
            return mount
        if {"bind", "rbind"} & set(mount.options):
            return replace(mount, type="")  # beside these options a type means nothing
        if mount.type == "bind":
            return replace(mount, type="", options=(*mount.options, "bind"))
        message = f"the mount on {mount.container_path!r} is left out: its type {mount.type!r} can't be said"
        self.lose(device, f"{at}.type", message)
        return None

    def rdt(self, rdt: IntelRdt | None, device: str, at: str) -> IntelRdt | None:
        if rdt is None:
            return None
        if self.before("0.7.0"):
            self.lose(device, at, "the settings of intelRdt are left out")
            return None
        lowered = rdt
        if self.before("1.1.0"):
            if rdt.schemata:
                self.lose(device, f"{at}.schemata", "schemata of intelRdt are left out")
            if rdt.enable_monitoring:
                self.lose(device, f"{at}.enableMonitoring", "enableMonitoring of intelRdt is left out")
            lowered = replace(rdt, schemata=None, enable_monitoring=False)
        elif rdt.enable_cmt is not None or rdt.enable_mbm is not None:
            if rdt.enable_cmt or rdt.enable_mbm:
                self.lose(device, at, f"enableCMT and enableMBM are left out: they ended with {LAST_WITH_CMT}")
            lowered = replace(rdt, enable_cmt=None, enable_mbm=None)
        return lowered
