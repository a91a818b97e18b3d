"""What an agent stands on: the devices of a machine, its files, and its place in a cluster."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from aliquot.cluster.objects.protocol import Objects
from aliquot.devices.hosts.protocol import Host, MpsDaemons
from aliquot.node.keeping.disk import Disk
from aliquot.node.preparing.parts import NodeFiles


@dataclass(frozen=True, slots=True, kw_only=True)
class Machine:
    """One machine."""

    node: str
    """The name of its Node."""
    boot: str
    """The id of this boot."""
    host: Host
    another: Callable[[], Host]
    """One more object of the same host: a driver's session is for one thread."""
    daemons: MpsDaemons
    files: NodeFiles
    objects: Objects
    """The API server."""
    state: Path
    """The folder of MPS daemons: short, and gone with a boot."""
    disk: Disk = field(default_factory=Disk)
    """Where the checkpoint and CDI specs are written."""
    pod_uid: str = ""
    """Of the agent's own pod, where its successor may run beside it for a while."""
