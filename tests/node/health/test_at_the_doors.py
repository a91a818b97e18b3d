"""T12 where it arrives: slices on the API server, health at the kubelet."""

import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from aliquot.cluster.memory.cluster import MemoryCluster
from aliquot.cluster.objects.protocol import MANAGER, Json, Subresource
from aliquot.cluster.objects.resources import NODES, SLICES, Resource
from aliquot.cluster.objects.status import StatusError
from aliquot.devices.hosts.simulated.shape import Fault
from aliquot.dra.device import DeviceId
from aliquot.dra.slices.pool import Pool
from aliquot.kube.release import Kubernetes
from aliquot.node.claims.claim_ref import ClaimRef
from aliquot.node.health.picture import NOTHING, Picture
from aliquot.node.health.telling import statuses, taints_of
from aliquot.node.preparing.answers import Prepared
from aliquot.node.publishing.publisher import Publisher
from aliquot.node.serving.driver import DraDriver, KubeletFolders
from aliquot.node.serving.health_board import Health
from aliquot.sandbox.kubelet.kubelet import Kubelet
from aliquot.sandbox.kubelet.timing import BRISK
from aliquot.sharing.publish.options import Options
from aliquot.sharing.publish.pools import GPU_DRIVER, published
from tests.node.health.conftest import Clock, Watching, preset, soon
from tests.sandbox.driver import ready
from tests.sandbox.objects import Api


class Contended(MemoryCluster):
    """Somebody else is faster so many times."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.faster = 0
        self.refused = 0
        self.create(NODES, {"metadata": {"name": "n1"}})

    def update(self, resource: Resource, thing: Json, *, subresource: Subresource = "", manager: str = MANAGER) -> Json:
        if self.faster and resource == SLICES:
            self.faster, self.refused = self.faster - 1, self.refused + 1
            raise StatusError(409, "the object has been modified; please apply your changes to the latest version")
        return super().update(resource, thing, subresource=subresource, manager=manager)

    def taints(self) -> dict[str, list[str]]:
        devices = [one for each in self._gpus() for one in each["spec"].get("devices", ())]
        return {
            one["name"]: [f"{taint['key']}={taint['value']}:{taint['effect']} {taint['timeAdded']}" for taint in taints]
            for one in devices
            if (taints := one.get("taints"))
        }

    def _gpus(self) -> list[Json]:
        return [each for each in self.list(SLICES).items if each["spec"]["driver"] == GPU_DRIVER]

    def names(self) -> list[str]:
        return sorted(one["name"] for each in self._gpus() for one in each["spec"].get("devices", ()))


class Nobody:
    """Prepares nothing."""

    def prepare(self, claim: ClaimRef) -> Prepared:
        return Prepared(claim, ())

    def unprepare(self, claim: ClaimRef) -> None:
        """Nothing is held."""


class Agent:
    """A picture told at both doors."""

    def __init__(self, api: Contended, root: Path, minor: int) -> None:
        self.picture = NOTHING
        self.driver = DraDriver(GPU_DRIVER, Nobody(), KubeletFolders(root))
        self.publisher = Publisher(api, "n1", self.pools, Kubernetes(minor))

    def pools(self, kubernetes: Kubernetes) -> Sequence[Pool]:
        options = Options(node="n1", kubernetes=kubernetes, mig="static", taints=taints_of(self.picture.told))
        return published(self.picture.published, {}, options).pools

    def changed(self, picture: Picture) -> None:
        self.picture = picture
        devices = self.pools(Kubernetes(36))[0].devices
        told = statuses(devices, picture.told)
        self.driver.health.tell({("n1", one.device): (Health[one.verdict.value], one.message) for one in told})
        self.publisher.changed()


@pytest.fixture
def root() -> Iterator[Path]:
    folder = Path(tempfile.mkdtemp(prefix="h", dir="/tmp"))
    yield folder
    shutil.rmtree(folder)


def test_t12(root: Path, clock: Clock, watching: Watching) -> None:
    host, api = preset("hgx-h100"), Contended()
    with ExitStack() as stack:
        kubelet = stack.enter_context(Kubelet(root, "n1", Api(), timing=BRISK))
        agent = Agent(api, root, 36)
        stack.enter_context(agent.driver)
        ready(kubelet)
        watching(host, agent.changed)
        soon(lambda: agent.picture is not NOTHING)
        stack.enter_context(agent.publisher)
        soon(lambda: len(api.names()) == 8)

        def health(gpu: int) -> tuple[str, str]:
            found = kubelet.health().get(DeviceId(GPU_DRIVER, "n1", f"gpu-{gpu}"))
            return (found.status, found.message) if found is not None else ("", "")

        assert kubelet.wait(lambda: health(7) == ("Healthy", ""))
        host.inject(Fault(gpu=0, xid=13))
        first = {"gpu-0": ["gpu.nvidia.com/xid=13:None 2026-05-28T20:26:40Z"]}
        soon(lambda: api.taints() == first)

        clock.later(60)
        api.faster = 1
        host.inject(Fault(gpu=2, xid=79))
        wrong = ("xid=79", "recovery=reboot")
        second = {**first, "gpu-2": [f"gpu.nvidia.com/{one}:NoSchedule 2026-05-28T20:27:40Z" for one in wrong]}
        soon(lambda: api.taints() == second)
        assert api.refused == 1
        assert kubelet.wait(lambda: health(2)[0] == "Unhealthy")
        assert health(2)[1].startswith("XID 79: the GPU fell off the bus: reboot the machine, a reset doesn't help")
        assert {health(gpu)[0] for gpu in (0, 1, 3, 4, 5, 6, 7)} == {"Healthy"}

        clock.later(60)
        host.inject(Fault(gpu=2, lost=True))
        lost = "gpu.nvidia.com/gpu-lost=lost:NoSchedule 2026-05-28T20:28:40Z"
        soon(lambda: api.taints() == {**first, "gpu-2": [*second["gpu-2"], lost]})
        assert len(api.names()) == 8

        host.reset(host.survey().unreadable[0].uuid or "")
        soon(lambda: api.taints() == second)
        clock.rebooted()
        host.reboot()
        soon(lambda: api.taints() == {})
        assert kubelet.wait(lambda: health(2) == ("Healthy", ""))


@pytest.mark.parametrize("minor", [34, 36])
def test_where_taints_are_dropped_the_device_is_withdrawn(root: Path, watching: Watching, minor: int) -> None:
    """Known beforehand (1.34), or found out when the server has dropped them; the kubelet is told all the same."""
    host, api = preset("hgx-h100"), Contended(unknown={"ResourceSlice": ["spec.devices.taints"]})
    with ExitStack() as stack:
        kubelet = stack.enter_context(Kubelet(root, "n1", Api(), timing=BRISK))
        agent = Agent(api, root, minor)
        stack.enter_context(agent.driver)
        ready(kubelet)
        watching(host, agent.changed)
        soon(lambda: agent.picture is not NOTHING)
        stack.enter_context(agent.publisher)
        soon(lambda: len(api.names()) == 8)
        host.inject(Fault(gpu=2, xid=79))
        soon(lambda: api.names() == ["gpu-0", "gpu-1", "gpu-3", "gpu-4", "gpu-5", "gpu-6", "gpu-7"])
        gone = DeviceId(GPU_DRIVER, "n1", "gpu-2")
        assert kubelet.wait(lambda: kubelet.health()[gone].status == "Unhealthy")
