"""A machine to prepare claims on: a simulated host with its state file, real folders, and claims."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

from aliquot.devices.hosts.simulated.file import read_host
from aliquot.devices.hosts.simulated.host import SimulatedHost
from aliquot.devices.hosts.simulated.shape import HostFile
from aliquot.node.claims.claim_ref import ClaimRef
from aliquot.node.claims.protocol import ClaimsUnavailable
from aliquot.node.claims.spec import SpecOptions
from aliquot.node.keeping.checkpoint_file import CheckpointFile
from aliquot.node.keeping.disk import Disk
from aliquot.node.keeping.simulated_files import SimulatedFiles
from aliquot.node.keeping.spec_files import SpecFiles
from aliquot.node.preparing.parts import Parts
from aliquot.node.preparing.preparer import Preparer

Json = dict[str, Any]
NODE: Final = "n1"
GPU, NIC = "gpu.nvidia.com", "nic.aliquot.dev"
API: Final = "resource.nvidia.com/v1beta1"

HOST: Final = """
name: n1
migUuids: fresh
gpus:
  - {model: A100-40GB, uuid: GPU-00000000-0000-0000-0000-000000000000, mig: true, instances: [3g.20gb@0]}
  - {model: A100-40GB, uuid: GPU-11111111-0000-0000-0000-000000000000}
  - {model: T4, uuid: GPU-22222222-0000-0000-0000-000000000000}
  - {model: H100-SXM-80GB, uuid: GPU-33333333-0000-0000-0000-000000000000}
nics:
  - {pci: "0000:9a:00.0", kind: infiniband, rdma: [mlx5_0], interfaces: [ib0]}
  - {pci: "0000:9b:00.0", interfaces: [eth0]}
"""
DIVIDED, WHOLE, T4, H100 = (f"GPU-{digit * 8}-0000-0000-0000-000000000000" for digit in "0123")


@dataclass
class ApiServer:
    """Claims by namespace and name; it may be down."""

    claims: dict[tuple[str, str], Json] = field(default_factory=dict)
    down: bool = False
    reads: int = 0

    def get(self, namespace: str, name: str) -> Mapping[str, Any] | None:
        """See `Claims`."""
        self.reads += 1
        if self.down:
            raise ClaimsUnavailable("no route to host")
        return self.claims.get((namespace, name))

    def all(self) -> tuple[Mapping[str, Any], ...]:
        """See `Claims`."""
        if self.down:
            raise ClaimsUnavailable("no route to host")
        return tuple(self.claims.values())

    def allocate(
        self,
        uid: str,
        *devices: str | Json,
        config: Json | list[Json] | None = None,
        name: str = "",
        driver: str = GPU,
        pool: str = NODE,
        version: str = "v1",
    ) -> ClaimRef:
        """A claim with these devices (a name, or a whole result), reserved for a pod."""
        name = name or uid
        results = [
            {"request": f"r{number}", "driver": driver, "pool": pool,
             **({"device": each} if isinstance(each, str) else each)}
            for number, each in enumerate(devices)
        ]  # fmt: skip
        configs = [] if config is None else config if isinstance(config, list) else [config]
        self.claims["ml", name] = {
            "apiVersion": f"resource.k8s.io/{version}",
            "kind": "ResourceClaim",
            "metadata": {"namespace": "ml", "name": name, "uid": uid},
            "spec": {"devices": {}},
            "status": {
                "reservedFor": [{"resource": "pods", "name": "p", "uid": f"pod-of-{uid}"}],
                "allocation": {"devices": {"results": results, "config": configs}},
            },
        }
        return ClaimRef("ml", name, uid)

    def delete(self, name: str) -> None:
        """Delete a claim."""
        del self.claims["ml", name]


def opaque(strategy: str | None, more: Json | None = None, *, mig: bool = False, source: str = "FromClaim") -> Json:
    """A configuration for NVIDIA's driver name."""
    sharing = None if strategy is None else {"strategy": strategy, **(more or {})}
    kind = "MigDeviceConfig" if mig else "GpuConfig"
    parameters = {"apiVersion": API, "kind": kind, **({} if sharing is None else {"sharing": sharing})}
    return {"source": source, "requests": [], "opaque": {"driver": GPU, "parameters": parameters}}


@lru_cache
def _file(text: str) -> HostFile:
    return read_host(text, "host")


@dataclass
class Machine:
    """A machine: what's on it outlives the agents that run on it."""

    folder: Path
    text: str = HOST
    boot: str = "boot-1"
    driver: str = GPU
    api: ApiServer = field(default_factory=ApiServer)
    options: SpecOptions = field(default_factory=SpecOptions)

    def __post_init__(self) -> None:
        """Start it, or come back to it."""
        self.host = SimulatedHost(_file(self.text), state=self.folder / "host.state")
        self.files = SimulatedFiles()
        self.cdi = self.folder / "cdi"
        self.state = self.folder / "plugin" / "checkpoint.json"

    def agent(self, *, disk: Disk | None = None, host: Any = None, driver: str = "", limit_s: float = 5.0) -> Preparer:
        """A new agent, as after a start; not started yet."""
        driver = driver or self.driver
        path = self.state if driver == GPU else self.state.with_name(f"{driver}.json")
        host = host or self.host
        parts = Parts(
            node=NODE,
            boot=self.boot,
            driver=driver,
            host=host,
            daemons=host,
            files=self.files,
            claims=self.api,
            checkpoint=CheckpointFile(path, disk),
            specs=SpecFiles(self.cdi, driver, disk),
            options=self.options,
            mps_root="/run/aliquot/mps",
        )
        return Preparer(parts, limit_s=limit_s)

    def limited(self, limit_s: float) -> SimulatedHost:
        """The same host for somebody whose calls may take only so long."""
        return SimulatedHost(_file(self.text), state=self.folder / "host.state", limit_s=limit_s)

    def spec_of(self, uid: str) -> str:
        """The name of a claim's spec."""
        return f"k8s.{self.driver}-claim_{uid}.json"

    def started(self) -> Preparer:
        """A new agent, started."""
        agent = self.agent()
        agent.start()
        return agent

    def reboot(self) -> None:
        """Start the machine again: its run folders are empty."""
        self.host.reboot()
        self.boot = f"boot-{int(self.boot.removeprefix('boot-')) + 1}"
        for path in self.cdi.glob("*"):
            path.unlink()

    def specs(self) -> list[str]:
        """The files in the CDI folder."""
        return sorted(path.name for path in self.cdi.glob("*")) if self.cdi.is_dir() else []
