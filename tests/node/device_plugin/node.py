"""A node in a test: a simulated host, the kubelet stand-in, and the device plugin between them, over real sockets."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import grpc
import pytest
import yaml

from aliquot.devices.gpu import TimeSlice
from aliquot.devices.hosts.protocol import MpsDaemons
from aliquot.devices.hosts.simulated.file import read_host
from aliquot.devices.hosts.simulated.host import SimulatedHost
from aliquot.node.device_plugin.at_kubelet.timing import Timing
from aliquot.node.device_plugin.offering.division import By, Offering
from aliquot.node.device_plugin.offering.settings import Settings
from aliquot.node.device_plugin.plugins import DevicePlugins, ResourceStatus
from aliquot.node.device_plugin.shared_gpus import SharedGpus
from aliquot.node.protos.generated import device_plugin_v1beta1_pb2 as pb
from aliquot.node.protos.rpc import dial
from aliquot.node.protos.services import ALLOCATE, PREFERRED
from aliquot.sandbox.kubelet.answers import ContainerGets, NotAdmitted
from aliquot.sharing.plugin_config.read import read_plugin_config
from tests.sandbox.objects import asking

if TYPE_CHECKING:
    from aliquot.cdi.generate.inventory import Inventory
    from aliquot.sandbox.kubelet.kubelet import Kubelet

BRISK = Timing(look_s=0.02, retry_first_s=0.02, retry_most_s=0.1, register_s=5.0, alone_s=0.5, hear_s=1.0)
TWO = """
name: two
gpus:
  - {model: A100-40GB, uuid: GPU-00000000-0000-0000-0000-000000000000, numa: 0}
  - {model: A100-40GB, uuid: GPU-11111111-1111-1111-1111-111111111111, numa: 1}
"""
G0 = "GPU-00000000-0000-0000-0000-000000000000"
G1 = "GPU-11111111-1111-1111-1111-111111111111"


class Memory:
    """`Kept`, in memory; it may refuse."""

    def __init__(self) -> None:
        self.data: bytes | None = None
        self.fault: OSError | None = None

    def read(self) -> bytes | None:
        self._check()
        return self.data

    def write(self, data: bytes) -> None:
        self._check()
        self.data = data

    def _check(self) -> None:
        if self.fault is not None:
            raise self.fault


def host_of(text: str) -> SimulatedHost:
    return SimulatedHost(read_host(text, "host.yaml"), limit_s=0.2)


def settings(config: str = "", offering: Offering | None = None, interval: TimeSlice = TimeSlice.DEFAULT) -> Settings:
    """Of NVIDIA's file, as a user writes it."""
    plugin, _ = read_plugin_config(yaml.safe_load(config) or {})
    return Settings(plugin=plugin, offering=offering or Offering(others=By.DEVICE_PLUGIN), interval=interval)


def replicas(count: int, key: str = "timeSlicing", name: str = "gpu", **more: Any) -> str:
    """A file that shares one resource."""
    block = {**more, "resources": [{"name": name, "replicas": count}]}
    return yaml.safe_dump({"version": "v1", "sharing": {key: block}})


class Node:
    """Use `plugins` in the end's `stop`; the fixture does."""

    def __init__(
        self,
        root: Path,
        host: SimulatedHost,
        config: Settings,
        kept: Memory | None = None,
        daemons: MpsDaemons | None = None,
        mps_root: str = "/run/mps",
    ) -> None:
        self.root = root
        self.folder = root / "device-plugins"
        self.host = host
        self.kept = kept or Memory()
        self.told: list[str] = []
        self.shared = SharedGpus(host, daemons or host, self.kept, mps_root=mps_root)
        self.plugins = DevicePlugins(config, self.shared, folder=self.folder, timing=BRISK, tell=self.told.append)
        self.kubelet: Kubelet
        self.files: Inventory | None = None
        self.cdi_names: frozenset[str] | None = None

    def update(self) -> None:
        """A look at the host."""
        self.plugins.update(self.host.survey(), self.files, self.cdi_names)

    def until(self, **allocatable: int) -> None:
        """Wait until the kubelet counts just these healthy devices, by the last part of `nvidia.com/…`."""
        expected = {f"nvidia.com/{name.replace('_', '.')}": amount for name, amount in allocatable.items()}
        self.until_all(expected)

    def until_all(self, expected: Mapping[str, int]) -> None:
        def now() -> Mapping[str, int]:
            return {name: count for name, count in self.kubelet.allocatable().items() if count or name in expected}

        assert self.kubelet.wait(lambda: now() == expected), (now(), self.plugins.status(), self.told)

    def status(self, resource: str = "nvidia.com/gpu") -> ResourceStatus:
        (found,) = (each for each in self.plugins.status().resources if each.resource.name == resource)
        return found

    # --- as the kubelet asks ------------------------------------------------------------------------------------------
    def allocate(self, *ids: str, resource: str = "nvidia.com/gpu") -> pb.ContainerAllocateResponse:
        """A call of Allocate."""
        asked = pb.AllocateRequest(container_requests=[pb.ContainerAllocateRequest(devices_ids=ids)])
        with dial(self.status(resource).socket) as channel:
            (answer,) = ALLOCATE.on(channel)(asked, timeout=10).container_responses
        return answer

    def refused(self, *ids: str, resource: str = "nvidia.com/gpu") -> str:
        """What it says of a container that gets nothing."""
        with pytest.raises(grpc.RpcError) as refused:
            self.allocate(*ids, resource=resource)
        call = cast("grpc.Call", refused.value)
        assert call.code() is grpc.StatusCode.FAILED_PRECONDITION
        return call.details() or ""

    def preferred(
        self, available: Sequence[str], size: int, must: Sequence[str] = (), resource: str = "nvidia.com/gpu"
    ) -> list[str]:
        """A call of GetPreferredAllocation."""
        one = pb.ContainerPreferredAllocationRequest(
            available_deviceIDs=available, must_include_deviceIDs=must, allocation_size=size
        )
        with dial(self.status(resource).socket) as channel:
            answer = PREFERRED.on(channel)(pb.PreferredAllocationRequest(container_requests=[one]), timeout=10)
        (found,) = answer.container_responses
        return list(found.deviceIDs)

    # --- as pods meet it ----------------------------------------------------------------------------------------------
    def gets(self, uid: str = "p-1", **limits: int) -> ContainerGets:
        """What a pod's container gets."""
        answer = self.kubelet.admit(asking(uid, (), **limits))
        assert not isinstance(answer, NotAdmitted), answer
        return answer.containers["main"]

    def event(self, uid: str = "p-1", **limits: int) -> str:
        """Why a pod doesn't start."""
        answer = self.kubelet.admit(asking(uid, (), **limits))
        assert isinstance(answer, NotAdmitted), answer
        return answer.message
