"""A node with GPUs of every kind of sharing, a kubelet that gave them out, and the agent's pages over HTTP."""

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from aliquot.devices.hosts.simulated.file import read_host
from aliquot.devices.hosts.simulated.host import SimulatedHost
from aliquot.devices.instances import Instance
from aliquot.devices.mig import Placement
from aliquot.sandbox.kubelet.answers import Admitted
from aliquot.sandbox.kubelet.kubelet import Kubelet
from aliquot.sandbox.kubelet.timing import BRISK
from tests.sandbox.device_plugin import DevicePlugin
from tests.sandbox.driver import Driver, ready
from tests.sandbox.objects import Api, asking, claim, pod

SHARED_GPU = "GPU-5ba3ed00-0000-4000-8000-000000000000"
MIG_GPU = "GPU-3160c000-0000-4000-8000-000000000001"
AMPERE = "GPU-a1000000-0000-4000-8000-000000000002"
IDLE = "GPU-1d1e0000-0000-4000-8000-000000000003"
HOST = f"""
name: busy
driver: {{version: 580.65.06}}
gpus:
  - {{model: L4, uuid: {SHARED_GPU}, minor: 3, busyPercent: 70, usedMiB: 5000, temperatureC: 61, powerW: 72}}
  - {{model: H100-SXM-80GB, uuid: {MIG_GPU}, pci: "0000:87:00.0", minor: 1, mig: true, busyPercent: 50}}
  - {{model: A100-40GB, uuid: {AMPERE}, minor: 0, mig: true, instances: [3g.20gb@0]}}
  - {{model: H100-SXM-80GB, uuid: {IDLE}, minor: 2}}
"""


class Node:
    """What runs on it."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.socket = root / "pod-resources/kubelet.sock"
        self.host = SimulatedHost(read_host(HOST, "busy.yaml"))
        made = self.host.create_instance(MIG_GPU, Placement(2, "2g.20gb"))
        assert isinstance(made, Instance)
        self.made = made
        self.api = Api()
        self.api.add(claim(uid="c-1", name="train", pods=("p-1",)))
        self.kubelet = Kubelet(root, "n1", self.api, timing=BRISK)

    def uuid(self, gpu: int) -> str:
        """Of its only instance."""
        uuid = self.host.survey().gpus[gpu].instances[0].uuid
        assert uuid is not None
        return uuid


@pytest.fixture
def node() -> Iterator[Node]:
    """Two pods share a GPU by replicas, one has a standing MIG device, one a MIG device that was made for its claim."""
    root = Path(tempfile.mkdtemp(prefix="k", dir="/tmp"))
    here = Node(root)
    shared = DevicePlugin(
        root, f"{SHARED_GPU}::0", f"{SHARED_GPU}::1", resource="nvidia.com/gpu.shared", socket="s.sock"
    )
    mig = DevicePlugin(root, here.uuid(2), resource="nvidia.com/mig-3g.20gb", socket="m.sock")
    with here.kubelet as kubelet, Driver(root) as _, shared, mig:
        shared.register()
        mig.register()
        ready(kubelet, 3)
        assert kubelet.wait(lambda: len(kubelet.allocatable()) == 2)
        for one in (pod("p-1"), asking("p-2", (), **{"gpu.shared": 1}), asking("p-3", (), **{"gpu.shared": 1})):
            assert isinstance(kubelet.admit(one), Admitted)
        assert isinstance(kubelet.admit(asking("p-4", (), **{"mig-3g.20gb": 1})), Admitted)
        yield here
    shutil.rmtree(root)
