"""The health of devices, from the drivers' streams to the pods' status."""

import time
from pathlib import Path

import pytest

from aliquot.dra.device import DeviceId
from aliquot.kube.pod import ContainerClaim
from aliquot.node.protos.generated import health_v1_pb2 as pb
from aliquot.node.protos.services import DRA_V1, HEALTH_V1, HEALTH_V1ALPHA1
from aliquot.sandbox.kubelet.answers import Admitted
from aliquot.sandbox.kubelet.dra.health import UNKNOWN, Health
from aliquot.sandbox.kubelet.resource_status import ResourceStatus
from tests.sandbox.driver import GPU, Driver, ready
from tests.sandbox.kubelet.conftest import Start
from tests.sandbox.objects import Api, claim, pod

BOTH = (DRA_V1, HEALTH_V1, HEALTH_V1ALPHA1)
DEVICE = DeviceId(GPU, "n1", "gpu-0")


def told(
    health: pb.HealthStatus, message: str = "", device: str = "gpu-0", seconds: int = 0, ago: int = 0
) -> pb.DeviceHealth:
    return pb.DeviceHealth(
        device=pb.DeviceIdentifier(pool_name="n1", device_name=device),
        health=health,
        message=message,
        last_updated_time=int(time.time()) - ago,
        health_check_timeout_seconds=seconds,
    )


@pytest.mark.parametrize(
    ("minor", "versions", "stream"),
    [
        pytest.param(37, BOTH, HEALTH_V1, id="1.37 prefers v1"),
        pytest.param(37, (DRA_V1, HEALTH_V1ALPHA1), HEALTH_V1ALPHA1, id="1.37 still knows v1alpha1"),
        pytest.param(36, BOTH, HEALTH_V1ALPHA1, id="1.36 knows v1alpha1 alone"),
    ],
)
def test_what_a_driver_tells_is_known(
    root: Path, start: Start, minor: int, versions: tuple[str, ...], stream: str
) -> None:
    kubelet = start(minor)
    with Driver(root, versions=versions) as driver:
        ready(kubelet)
        driver.tell_health(told(pb.HEALTHY), told(pb.UNHEALTHY, "XID 79", "gpu-2"))
        bad = DeviceId(GPU, "n1", "gpu-2")
        assert kubelet.wait(lambda: kubelet.health() == {DEVICE: Health("Healthy"), bad: Health("Unhealthy", "XID 79")})
        driver.tell_health(told(pb.UNKNOWN), told(pb.HEALTHY, "", "gpu-2"))
        assert kubelet.wait(lambda: kubelet.health() == {DEVICE: UNKNOWN, bad: Health("Healthy")})
        assert driver.health_streams == [stream]
    assert kubelet.wait(lambda: kubelet.health() == {}), "its stream has ended"


@pytest.mark.parametrize(
    ("minor", "gates"), [(35, {}), (33, {"ResourceHealthStatus": True}), (37, {"ResourceHealthStatus": False})]
)
def test_kubelets_that_do_not_watch(root: Path, api: Api, start: Start, minor: int, gates: dict[str, bool]) -> None:
    kubelet = start(minor, **gates)
    api.add(claim())
    with Driver(root, versions=("v1beta1.DRAPlugin", *BOTH)) as driver:
        ready(kubelet)
        driver.tell_health(told(pb.HEALTHY))
        assert isinstance(kubelet.admit(pod()), Admitted)
        assert not kubelet.wait(lambda: bool(kubelet.health()), within_s=0.3)
        assert driver.health_streams == []
        assert kubelet.resource_status(pod()) == {}


def test_a_gate_turns_it_on(root: Path, start: Start) -> None:
    kubelet = start(34, ResourceHealthStatus=True)
    with Driver(root, versions=BOTH) as driver:
        driver.tell_health(told(pb.HEALTHY))
        assert kubelet.wait(lambda: kubelet.health() == {DEVICE: Health("Healthy")})
        assert driver.health_streams == [HEALTH_V1ALPHA1]


def test_old_news_is_no_news(root: Path, start: Start) -> None:
    kubelet = start()
    with Driver(root, versions=BOTH) as driver:
        late, long = DeviceId(GPU, "n1", "late"), DeviceId(GPU, "n1", "long")
        driver.tell_health(
            told(pb.HEALTHY),
            told(pb.HEALTHY, "", "late", ago=40),
            told(pb.HEALTHY, "", "long", seconds=60, ago=40),
        )
        good = Health("Healthy")
        assert kubelet.wait(lambda: kubelet.health() == {DEVICE: good, late: UNKNOWN, long: good})
        driver.tell_health(told(pb.HEALTHY, seconds=1))
        assert kubelet.wait(lambda: kubelet.health()[DEVICE] == UNKNOWN), "nothing was told for a second"


def test_long_messages_are_cut(root: Path, start: Start) -> None:
    kubelet = start()
    with Driver(root, versions=BOTH) as driver:
        driver.tell_health(told(pb.UNHEALTHY, "x" * 1024))
        assert kubelet.wait(lambda: kubelet.health().get(DEVICE) == Health("Unhealthy", "x" * 1024))
        driver.tell_health(told(pb.UNHEALTHY, "x" * 1025))
        assert kubelet.wait(lambda: kubelet.health().get(DEVICE) == Health("Unhealthy", "x" * 1021 + "..."))


def test_a_driver_that_comes_back_is_watched_again(root: Path, start: Start) -> None:
    kubelet = start()
    driver = Driver(root, versions=BOTH)
    driver.start()
    driver.tell_health(told(pb.HEALTHY))
    assert kubelet.wait(lambda: bool(kubelet.health()))
    driver.die()
    assert kubelet.wait(lambda: not kubelet.health())
    driver.start()
    assert kubelet.wait(lambda: kubelet.health() == {DEVICE: Health("Healthy")})
    driver.stop()


def test_the_status_of_a_pod(root: Path, api: Api, start: Start) -> None:
    kubelet = start()
    api.add(claim())
    mine = pod(uses=[ContainerClaim("gpu"), ContainerClaim("gpu", "r0")])
    with Driver(root, versions=BOTH) as driver:
        ready(kubelet)
        assert isinstance(kubelet.admit(mine), Admitted)
        cdi = f"{GPU}/claim=c-aaaa"
        unknown = (
            ResourceStatus("claim:gpu", ((cdi, UNKNOWN),)),
            ResourceStatus("claim:gpu/r0", ((cdi, UNKNOWN),)),
        )
        assert kubelet.resource_status(mine) == {"main": unknown}
        driver.tell_health(told(pb.UNHEALTHY, "XID 79"))
        bad = (cdi, Health("Unhealthy", "XID 79"))
        known = (ResourceStatus("claim:gpu", (bad,)), ResourceStatus("claim:gpu/r0", (bad,)))
        assert kubelet.wait(lambda: kubelet.resource_status(mine) == {"main": known})
        assert kubelet.remove(mine) is None
        assert kubelet.resource_status(mine) == {"main": ()}
