"""The nouns of a CDI spec as frozen values. Field meanings: the CDI specification 1.1.0, SPEC.md.

A value here is whatever was written: whether it's legal is `check`'s question, which version it needs is `versions`'s.
`None` means that a field was absent where that differs from its zero value.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, get_args

HookName = Literal["prestart", "createRuntime", "createContainer", "startContainer", "poststart", "poststop"]
HOOK_NAMES: tuple[HookName, ...] = get_args(HookName)
"""The OCI runtime spec's hook stages, in the order in which they run."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DeviceNode:
    """A device node to make in the container.

    `host_path` defaults to `path` at injection. `type` is "b" block, "c" or "u" character, "p" fifo, or "" to take it
    from the host. `file_mode` holds permission bits (decimal in JSON); `permissions` are cgroup access letters of
    "rwm", "" for all of them, or "none" for none.
    """

    path: str
    host_path: str = ""
    type: str = ""
    major: int = 0
    minor: int = 0
    file_mode: int | None = None
    permissions: str = ""
    uid: int | None = None
    gid: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class NetDevice:
    """A network interface of the host to move into the container under a (new) name. Since 1.1.0."""

    host_interface_name: str
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Mount:
    """A mount. Without a bind option or a type, a runtime can't carry it out, though the specification allows it."""

    host_path: str
    container_path: str
    options: tuple[str, ...] = ()
    type: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Hook:
    """A program to run at a stage of the container's life (`hook_name`, one of HOOK_NAMES); `timeout` in seconds."""

    hook_name: str
    path: str
    args: tuple[str, ...] = ()
    env: tuple[str, ...] = ()
    timeout: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class IntelRdt:
    """Intel Resource Director Technology settings. Since 0.7.0.

    `schemata` None differs from empty: the empty list already needs 1.1.0. `enable_cmt` and `enable_mbm` existed from
    0.7.0 to 1.0.0 and were dropped by 1.1.0; None where a file doesn't carry them.
    """

    clos_id: str = ""
    l3_cache_schema: str = ""
    mem_bw_schema: str = ""
    schemata: tuple[str, ...] | None = None
    enable_monitoring: bool = False
    enable_cmt: bool | None = None
    enable_mbm: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ContainerEdits:
    """What to change in a container."""

    env: tuple[str, ...] = ()
    device_nodes: tuple[DeviceNode, ...] = ()
    net_devices: tuple[NetDevice, ...] = ()
    hooks: tuple[Hook, ...] = ()
    mounts: tuple[Mount, ...] = ()
    intel_rdt: IntelRdt | None = None
    additional_gids: tuple[int, ...] = ()

    def __bool__(self) -> bool:
        """Tell whether there's anything to change (an `intelRdt` without members counts)."""
        return bool(
            self.env
            or self.device_nodes
            or self.net_devices
            or self.hooks
            or self.mounts
            or self.additional_gids
            or self.intel_rdt is not None
        )

    def __add__(self, other: "ContainerEdits") -> "ContainerEdits":
        """Both, this one first; see `merged`."""
        return merged([self, other])


NO_EDITS = ContainerEdits()


def merged(blocks: Sequence[ContainerEdits]) -> ContainerEdits:
    """All edits in order: lists grow, repeats stay, the last `intelRdt` wins as a whole."""
    return ContainerEdits(
        env=tuple(entry for block in blocks for entry in block.env),
        device_nodes=tuple(node for block in blocks for node in block.device_nodes),
        net_devices=tuple(net for block in blocks for net in block.net_devices),
        hooks=tuple(hook for block in blocks for hook in block.hooks),
        mounts=tuple(mount for block in blocks for mount in block.mounts),
        intel_rdt=next((block.intel_rdt for block in reversed(blocks) if block.intel_rdt is not None), None),
        additional_gids=tuple(gid for block in blocks for gid in block.additional_gids),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Device:
    """A device: its name within the spec, and the edits that give it to a container."""

    name: str
    edits: ContainerEdits = NO_EDITS
    annotations: Mapping[str, str] = field(default_factory=dict[str, str])


@dataclass(frozen=True, slots=True, kw_only=True)
class Spec:
    """A CDI spec: devices of one kind (`vendor/class`), and edits that apply once with any of them.

    `annotations` (here and on devices) are metadata for people and tools: they never reach a container.
    """

    version: str
    kind: str
    devices: tuple[Device, ...] = ()
    edits: ContainerEdits = NO_EDITS
    annotations: Mapping[str, str] = field(default_factory=dict[str, str])

    @property
    def vendor(self) -> str:
        """The part of `kind` before the first slash; "" without a slash or with an empty half."""
        vendor, _, class_ = self.kind.partition("/")
        return vendor if class_ else ""

    @property
    def class_(self) -> str:
        """The part of `kind` after the first slash; "" without a slash or with an empty half."""
        vendor, _, class_ = self.kind.partition("/")
        return class_ if vendor else ""

    def device(self, name: str) -> Device | None:
        """The device of that name, or None."""
        return next((device for device in self.devices if device.name == name), None)
