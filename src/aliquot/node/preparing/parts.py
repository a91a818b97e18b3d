"""What preparing works with: the host, the claims, and what's kept on disk."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

from aliquot.cdi.generate.inventory import Inventory
from aliquot.cdi.host_findings import HostFiles
from aliquot.devices.hosts.protocol import Host, MpsDaemons
from aliquot.devices.mig import Geometry
from aliquot.devices.survey import Survey
from aliquot.node.claims.protocol import Claims
from aliquot.node.claims.spec import SpecOptions
from aliquot.node.keeping.checkpoint_file import CheckpointFile
from aliquot.node.keeping.spec_files import SpecFiles
from aliquot.sharing.publish.pools import GPU_DRIVER
from aliquot.sharing.setup.plan import MPS_ROOT


class NodeFiles(Protocol):
    """The host's files: `keeping.local_files`, or those of a simulated host."""

    def inventory(self, survey: Survey) -> Inventory:
        """What there is just now, without the GPUs; those are the survey's."""
        ...

    def host(self, inventory: Inventory) -> HostFiles:
        """What a spec that was made from the inventory is held against."""
        ...


@dataclass(frozen=True, kw_only=True)
class Parts:
    """One driver on one node."""

    node: str
    """The node's name, which is its pools' too."""
    boot: str
    """The id of this boot."""
    host: Host
    daemons: MpsDaemons
    files: NodeFiles
    claims: Claims
    checkpoint: CheckpointFile
    specs: SpecFiles
    driver: str = GPU_DRIVER
    options: SpecOptions = field(default_factory=SpecOptions)
    mps_root: str = MPS_ROOT
    """The folder for MPS daemons; what lies in it is this agent's."""
    geometries: dict[str, Geometry] = field(default_factory=dict[str, Geometry])
    """What the host said of how its GPUs may be cut: it doesn't change while they're there."""

    def geometries_of(self, gpus: tuple[str, ...]) -> Mapping[str, Geometry]:
        """How MIG may cut these GPUs, by UUID; without those for which the host doesn't say.

        Raises:
            HostFault: a GPU doesn't answer.
        """
        for uuid in gpus:
            if uuid not in self.geometries and isinstance(answer := self.host.geometry(uuid), Geometry):
                self.geometries[uuid] = answer
        return {uuid: self.geometries[uuid] for uuid in gpus if uuid in self.geometries}
