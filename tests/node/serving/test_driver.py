"""A DRA driver's sockets, with a kubelet at their other end."""

import stat
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from aliquot.dra.device import DeviceId
from aliquot.kube.release import Kubernetes
from aliquot.node.claims.claim_ref import ClaimRef
from aliquot.node.claims.refusal import Refusal
from aliquot.node.preparing.answers import Prepared, PreparedDevice
from aliquot.node.protos.generated import dra_v1_pb2 as dra
from aliquot.node.protos.rpc import dial
from aliquot.node.protos.services import DRA_V1, DRA_V1BETA1, PREPARE_V1, PREPARE_V1BETA1
from aliquot.node.serving.driver import DraDriver, KubeletFolders
from aliquot.node.serving.health_board import Health, HealthBoard
from aliquot.sandbox.kubelet.answers import Admitted, NotAdmitted
from aliquot.sandbox.kubelet.dra.health import Health as Heard
from aliquot.sandbox.kubelet.kubelet import Kubelet
from aliquot.sandbox.kubelet.timing import BRISK
from tests.sandbox.objects import Api, claim, pod

if TYPE_CHECKING:
    import grpc

GPU = "gpu.nvidia.com"
CDI = "k8s.gpu.nvidia.com/claim=c-aaaa-gpu-0"


class Door:
    """Gives gpu-0, or does as it's told."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, str]] = []
        self.refusals: dict[str, Refusal] = {}
        self.broken: set[str] = set()
        self.slow: dict[str, threading.Event] = {}

    def prepare(self, claim: ClaimRef) -> Prepared | Refusal:
        self.asked.append(("prepare", claim.uid))
        if claim.uid in self.slow:
            self.slow[claim.uid].wait(10)
        if claim.uid in self.broken:
            raise KeyError("gpu-0")
        given = PreparedDevice(requests=("r0",), pool="n1", device="gpu-0", cdi_ids=(CDI,), share_id="s1")
        return self.refusals.get(claim.uid) or Prepared(claim, (given,))

    def unprepare(self, claim: ClaimRef) -> Refusal | None:
        self.asked.append(("unprepare", claim.uid))
        return self.refusals.get(claim.uid)


@pytest.fixture
def door() -> Door:
    return Door()


@pytest.fixture
def api() -> Api:
    return Api()


@pytest.fixture
def kubelet(root: Path, api: Api) -> Iterator[Kubelet]:
    with Kubelet(root, "n1", api, kubernetes=Kubernetes(37), timing=BRISK) as one:
        yield one


def registered(kubelet: Kubelet) -> None:
    assert kubelet.wait(lambda: any(plugin.connected for plugin in kubelet.plugins())), kubelet.refused()


def test_a_pod_gets_its_devices_and_lets_go_of_them(root: Path, api: Api, kubelet: Kubelet, door: Door) -> None:
    api.add(claim(drivers=[GPU], request="r0"))
    with DraDriver(GPU, door, KubeletFolders(root)) as driver:
        registered(kubelet)
        assert driver.registration.wait(5)
        assert driver.registration.registered
        assert [plugin.service for plugin in kubelet.plugins()] == [DRA_V1]
        admitted = kubelet.admit(pod(), within_s=5)
        assert isinstance(admitted, Admitted)
        assert admitted.containers["main"].cdi_devices == (CDI,)
        assert kubelet.remove(pod(), within_s=5) is None
    assert door.asked == [("prepare", "c-aaaa"), ("unprepare", "c-aaaa")]
    assert kubelet.wait(lambda: not kubelet.plugins()), "its socket is gone"


def test_a_refusal_is_the_pods_to_read(root: Path, api: Api, kubelet: Kubelet, door: Door) -> None:
    api.add(claim(drivers=[GPU], request="r0"))
    door.refusals["c-aaaa"] = Refusal("gpu-0 is held by claim ml/other (c-bbbb)")
    with DraDriver(GPU, door, KubeletFolders(root)):
        registered(kubelet)
        answer = kubelet.admit(pod(), within_s=0.5)
    assert isinstance(answer, NotAdmitted)
    assert "gpu-0 is held by claim ml/other (c-bbbb)" in answer.message


def test_every_claim_of_a_call_is_answered(root: Path, door: Door) -> None:
    door.refusals["c-bad"] = Refusal("no", hint="retry", retry=True)
    door.broken.add("c-odd")
    door.slow["c-slow"] = threading.Event()
    asked = [dra.Claim(namespace="ml", name=uid, uid=uid) for uid in ("c-good", "c-bad", "c-odd", "c-slow", "c-good")]
    with DraDriver(GPU, door, KubeletFolders(root)), dial(str(root / "plugins" / GPU / "dra.sock")) as channel:
        threading.Timer(0.1, door.slow["c-slow"].set).start()
        answer = PREPARE_V1.on(channel)(dra.NodePrepareResourcesRequest(claims=asked), timeout=10)
    assert sorted(answer.claims) == ["c-bad", "c-good", "c-odd", "c-slow"]
    assert [one.share_id for one in answer.claims["c-good"].devices] == ["s1"]
    assert answer.claims["c-bad"].error == "no (retry)"
    assert "defect of the agent" in answer.claims["c-odd"].error
    assert "KeyError" in answer.claims["c-odd"].error
    assert [one.device_name for one in answer.claims["c-slow"].devices] == ["gpu-0"]
    assert door.asked.count(("prepare", "c-good")) == 1, "named twice, worked on once"


def test_the_older_version_has_no_shares(root: Path, door: Door) -> None:
    asked = dra.NodePrepareResourcesRequest(claims=[dra.Claim(namespace="ml", name="train", uid="c-aaaa")])
    with DraDriver(GPU, door, KubeletFolders(root)), dial(str(root / "plugins" / GPU / "dra.sock")) as channel:
        call: grpc.UnaryUnaryMultiCallable[bytes, bytes] = channel.unary_unary(PREPARE_V1BETA1.wire)
        raw = call(asked.SerializeToString(), timeout=10)
    answer = PREPARE_V1BETA1.answer.FromString(raw)
    (device,) = answer.claims["c-aaaa"].devices
    assert (device.pool_name, device.device_name, list(device.cdi_device_ids)) == ("n1", "gpu-0", [CDI])
    assert dra.NodePrepareResourcesResponse.FromString(raw).claims["c-aaaa"].devices[0].share_id == ""


def test_an_old_kubelet_takes_the_older_version(root: Path, api: Api, door: Door) -> None:
    kubelet = Kubelet(root, "n1", api, kubernetes=Kubernetes(33), timing=BRISK)
    with kubelet, DraDriver(GPU, door, KubeletFolders(root)):
        registered(kubelet)
        assert [plugin.service for plugin in kubelet.plugins()] == [DRA_V1BETA1]


def test_sockets_are_roots_alone_and_come_back(root: Path, kubelet: Kubelet, door: Door) -> None:
    with DraDriver(GPU, door, KubeletFolders(root)) as driver:
        registered(kubelet)
        sockets = [root / "plugins" / GPU / "dra.sock", root / "plugins_registry" / f"{GPU}-reg.sock"]
        assert [stat.S_IMODE(each.stat().st_mode) for each in sockets] == [0o600, 0o600]
        assert stat.S_IMODE((root / "plugins" / GPU).stat().st_mode) == 0o700
        assert sorted(each.name for each in (root / "plugins_registry").iterdir()) == [f"{GPU}-reg.sock"]
        assert driver.restore() is False
        for each in sockets:
            each.unlink()
        assert driver.restore() is True
        registered(kubelet)
        assert driver.restore() is False
    assert not any(each.exists() for each in sockets)


def test_a_socket_that_a_dead_agent_left_is_replaced(root: Path, kubelet: Kubelet, door: Door) -> None:
    left = root / "plugins" / GPU / "dra.sock"
    left.parent.mkdir(parents=True)
    left.touch()
    with DraDriver(GPU, door, KubeletFolders(root)):
        registered(kubelet)


def test_a_rolling_update_has_two_at_a_time(root: Path, api: Api, kubelet: Kubelet) -> None:
    older, newer = Door(), Door()
    api.add(claim(drivers=[GPU], request="r0"))
    with DraDriver(GPU, newer, KubeletFolders(root), pod_uid="uid-2") as second:
        with DraDriver(GPU, older, KubeletFolders(root), pod_uid="uid-1"):
            assert kubelet.wait(lambda: sum(plugin.connected for plugin in kubelet.plugins()) == 2)
        assert kubelet.wait(lambda: len(kubelet.plugins()) == 1)
        assert isinstance(kubelet.admit(pod(), within_s=5), Admitted)
        assert second.registration.registered
    assert newer.asked == [("prepare", "c-aaaa")]


def test_health_is_heard_at_once_and_again(root: Path, kubelet: Kubelet, door: Door) -> None:
    with DraDriver(GPU, door, KubeletFolders(root)) as driver:
        registered(kubelet)
        driver.health.tell({("n1", "gpu-0"): (Health.HEALTHY, ""), ("n1", "gpu-2"): (Health.UNHEALTHY, "XID 79")})
        good, bad = DeviceId(GPU, "n1", "gpu-0"), DeviceId(GPU, "n1", "gpu-2")
        assert kubelet.wait(lambda: kubelet.health() == {good: Heard("Healthy"), bad: Heard("Unhealthy", "XID 79")})
        driver.health.tell({("n1", "gpu-0"): (Health.HEALTHY, ""), ("n1", "gpu-2"): (Health.HEALTHY, "")})
        assert kubelet.wait(lambda: kubelet.health()[bad] == Heard("Healthy"))


def test_a_health_that_stays_keeps_its_time() -> None:
    clock = iter((100.0, 200.0, 300.0))
    board = HealthBoard(now=lambda: next(clock))
    for message in ("XID 79", "XID 79, again"):
        board.tell({("n1", "gpu-0"): (Health.UNHEALTHY, message)})
    assert (board.devices["n1", "gpu-0"].since, board.devices["n1", "gpu-0"].message) == (100, "XID 79, again")
    board.tell({("n1", "gpu-0"): (Health.HEALTHY, "")})
    assert board.devices["n1", "gpu-0"].since == 300
