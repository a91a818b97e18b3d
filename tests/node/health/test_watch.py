"""T12 and what goes wrong around it: the watcher over simulated hosts, and a publisher that's refused."""

import threading
import time
from dataclasses import dataclass, field, replace

import pytest

from aliquot.devices.hosts.protocol import HostFault
from aliquot.devices.hosts.simulated.host import SimulatedHost
from aliquot.devices.hosts.simulated.shape import Fault
from aliquot.devices.survey import Survey, Xid
from aliquot.dra.device import Device
from aliquot.kube.release import Kubernetes
from aliquot.node.health.picture import Picture
from aliquot.node.health.states import decode
from aliquot.node.health.telling import statuses, taints_of
from aliquot.sharing.plugin_config.values import Replicated
from aliquot.sharing.publish.options import LeftOut, Options
from aliquot.sharing.publish.pools import published
from tests.node.health.conftest import BRISK, Clock, Watching, preset, soon

OFF_THE_BUS = ["gpu.nvidia.com/xid=79:NoSchedule", "gpu.nvidia.com/recovery=reboot:NoSchedule"]


@dataclass
class Publisher:
    """Publishes every picture; the server may refuse (409) some times, and has no taints before 1.36."""

    kubernetes: Kubernetes = field(default_factory=lambda: Kubernetes(36))
    refuses: int = 0
    tried: int = 0
    shown: list[tuple[Device, ...]] = field(default_factory=list[tuple[Device, ...]])
    left_out: tuple[LeftOut, ...] = ()
    pictures: list[Picture] = field(default_factory=list[Picture])

    def __call__(self, picture: Picture) -> None:
        self.tried += 1
        if self.refuses:
            self.refuses -= 1
            raise ConnectionError("409 Conflict")
        options = Options(node="n1", kubernetes=self.kubernetes, mig="static", taints=taints_of(picture.told))
        found = published(picture.published, {}, options)
        self.left_out = found.left_out
        self.pictures.append(picture)
        self.shown.append(found.gpus.devices)

    def taints(self) -> dict[str, list[str]]:
        last = self.shown[-1] if self.shown else ()
        return {one.name: [f"{t.key}={t.value}:{t.effect}" for t in one.taints] for one in last if one.taints}

    def times(self) -> list[list[str | None]]:
        return [[taint.time_added for one in devices for taint in one.taints] for devices in self.shown]

    def stream(self) -> dict[str, tuple[str, str]]:
        return {
            one.device: (one.verdict.value, one.message) for one in statuses(self.shown[-1], self.pictures[-1].told)
        }


def test_t12(clock: Clock, watching: Watching) -> None:
    host, publisher = preset("hgx-h100"), Publisher()
    gpus = [gpu.uuid for gpu in host.survey().gpus]
    watch = watching(host, publisher)
    soon(lambda: len(publisher.shown) == 1)
    assert (publisher.taints(), len(publisher.shown[0])) == ({}, 8)
    assert set(publisher.stream().values()) == {("HEALTHY", "")}

    # t0: the program's own fault; the GPU goes on being given out
    host.inject(Fault(gpu=0, xid=13))
    soon(lambda: publisher.taints() == {"gpu-0": ["gpu.nvidia.com/xid=13:None"]})
    assert publisher.stream()["gpu-0"] == (
        "HEALTHY",
        "XID 13: graphics engine exception: the program's fault, unless many programs meet it",
    )

    # t1: gpu-2 falls off the bus, and the server refuses once
    clock.later(60)
    publisher.refuses, tried = 1, publisher.tried
    host.inject(Fault(gpu=2, xid=79))
    expected = {"gpu-0": ["gpu.nvidia.com/xid=13:None"], "gpu-2": OFF_THE_BUS}
    soon(lambda: publisher.taints() == expected)
    assert publisher.tried >= tried + 2
    host.inject(Fault(gpu=2, lost=True))
    soon(lambda: publisher.taints()["gpu-2"] == [*expected["gpu-2"], "gpu.nvidia.com/gpu-lost=lost:NoSchedule"])
    assert len(publisher.shown[-1]) == 8  # it stays published, tainted
    stream = publisher.stream()
    assert [name for name, (verdict, _) in stream.items() if verdict == "UNHEALTHY"] == ["gpu-2"]
    assert stream["gpu-2"][1] == (
        "XID 79: the GPU fell off the bus: reboot the machine, a reset doesn't help; "
        "the driver wants: reboot the machine; the GPU is lost"
    )
    # the device plugin's replicas of gpu-2, and no others
    replicas = [f"{uuid}::{number}" for uuid in gpus for number in range(Replicated("nvidia.com/gpu", 4).replicas)]
    bad = [one for one in replicas if not watch.picture.told[one.partition("::")[0]].healthy]
    assert bad == [f"{gpus[2]}::{number}" for number in range(4)]

    # timeAdded doesn't move, whatever comes later
    clock.later(60)
    host.inject(Fault(gpu=5, xid=31))
    soon(lambda: "gpu-5" in publisher.taints())
    last, before = publisher.times()[-1], publisher.times()[-2]
    assert last[:4] == before == ["2026-05-28T20:26:40Z", *["2026-05-28T20:27:40Z"] * 3]

    # t2: it answers after a reset, and its driver wants more; after that it's good again
    assert host.reset(gpus[2]) is None
    soon(lambda: publisher.taints()["gpu-2"] == OFF_THE_BUS)
    host.reboot()
    soon(lambda: "gpu-2" not in publisher.taints())
    assert publisher.stream()["gpu-2"] == ("HEALTHY", "")
    told = [(one.message, one.good) for picture in publisher.pictures for one in picture.news if one.gpu == gpus[2]]
    assert ("the GPU is lost", False) in told
    assert ("over: the GPU is lost", True) in told
    assert [xid.number for xid in watch.picture.survey.xids if xid.gpu == gpus[2]][-1] == 79


def test_where_the_server_drops_taints_the_device_is_withdrawn(watching: Watching) -> None:
    host, publisher = preset("hgx-h100"), Publisher(Kubernetes(34))
    watching(host, publisher)
    host.inject(Fault(gpu=2, xid=79))
    why = "gpu-2 isn't published: gpu.nvidia.com/xid=79, and Kubernetes 1.34 drops taints (DRADeviceTaints is off)"
    soon(lambda: [str(one) for one in publisher.left_out] == [why])
    assert (len(publisher.shown[-1]), publisher.taints()) == (7, {})


def test_a_lost_gpu_that_nobody_names(watching: Watching) -> None:
    """The wait says only that one is lost: each is asked, and the loop doesn't burn a core."""
    host, publisher = preset("hgx-h100"), Publisher()
    waits: list[float] = []

    class Blind:
        """Listened to: it says that a GPU is lost, again and again."""

        def events(self, timeout_s: float) -> tuple[Xid, ...]:  # noqa: ARG002 - a host's signature
            waits.append(time.monotonic())
            raise HostFault("a GPU is lost", code=15)

    watch = watching(host, publisher, events=Blind(), timing=replace(BRISK, look=3600.0))
    soon(lambda: bool(publisher.shown))
    host.inject(Fault(gpu=6, lost=True))
    soon(lambda: publisher.taints() == {"gpu-6": ["gpu.nvidia.com/gpu-lost=lost:NoSchedule"]})
    assert watch.trouble["events"] == "a GPU is lost"
    soon(lambda: len(waits) >= 6)
    assert waits[5] - waits[0] >= 0.02 + 0.04 + 3 * 0.05


class Stuck:
    """A host whose answers are held back."""

    def __init__(self, host: SimulatedHost) -> None:
        self.host = host
        self.go_on = threading.Event()
        self.go_on.set()
        self.asked = 0

    def survey(self) -> Survey:
        self.asked += 1
        self.go_on.wait(30)
        return self.host.survey()

    def events(self, timeout_s: float) -> tuple[Xid, ...]:
        return self.host.events(timeout_s)


def test_a_call_that_never_returns(watching: Watching) -> None:
    """It's let be, nothing more is asked behind it, XIDs are heard meanwhile, and what comes back is taken."""
    stuck, publisher = Stuck(preset("hgx-h100")), Publisher()
    watch = watching(stuck, publisher, timing=replace(BRISK, answer=0.05))
    soon(lambda: bool(publisher.shown))
    stuck.go_on.clear()
    soon(lambda: len(publisher.taints()) == 8)
    asked = stuck.asked
    stuck.host.inject(Fault(gpu=2, xid=79))
    soon(lambda: "gpu.nvidia.com/xid=79:NoSchedule" in publisher.taints()["gpu-2"])
    assert publisher.taints()["gpu-7"] == ["gpu.nvidia.com/gpu-lost=hung:NoSchedule"]
    assert watch.trouble["survey"].startswith("a look at the GPUs: ")
    assert stuck.asked == asked
    stuck.go_on.set()
    soon(lambda: publisher.taints() == {"gpu-2": OFF_THE_BUS})
    assert "survey" not in watch.trouble


def test_a_storm_of_xids(watching: Watching) -> None:
    """Each is heard at once; the host isn't asked for every one of them."""
    stuck, publisher = Stuck(preset("hgx-h100")), Publisher()
    watch = watching(stuck, publisher, timing=replace(BRISK, soonest=0.5, look=3600.0))
    soon(lambda: bool(publisher.shown))
    for number in range(40):
        stuck.host.inject(Fault(gpu=number % 8, xid=13))
        time.sleep(0.01)
    soon(lambda: len(publisher.taints()) == 8)
    assert stuck.asked <= 4
    asked = stuck.asked
    watch.look()
    soon(lambda: stuck.asked > asked)
    assert watch.alive


def test_nothing_is_told_before_anything_was_asked(watching: Watching) -> None:
    stuck, publisher = Stuck(preset("hgx-h100")), Publisher()
    stuck.go_on.clear()
    watch = watching(stuck, publisher, timing=replace(BRISK, answer=0.05))
    stuck.host.inject(Fault(gpu=1, xid=79))
    soon(lambda: "survey" in watch.trouble)
    assert (publisher.tried, watch.picture.told) == (0, {})
    stuck.go_on.set()
    soon(lambda: publisher.taints() == {"gpu-1": OFF_THE_BUS})


def test_our_own_restart(clock: Clock, watching: Watching) -> None:
    """What was heard stays, with its time; a damaged state is said to be one."""
    host, kept, publisher = preset("hgx-h100"), list[bytes](), Publisher()
    first = watching(host, publisher, save=kept.append)
    soon(lambda: bool(publisher.shown))
    host.inject(Fault(gpu=2, xid=79))
    soon(lambda: publisher.taints() == {"gpu-2": OFF_THE_BUS})
    first.stop()
    assert [len(one.faults) for one in decode(kept[-1]).gpus.values()] == [0, 0, 2, 0, 0, 0, 0, 0]
    clock.later(3600)
    again = Publisher()
    watching(host, again, saved=kept[-1], save=kept.append)
    soon(lambda: bool(again.shown))
    assert again.taints() == {"gpu-2": OFF_THE_BUS}
    assert again.times() == [["2026-05-28T20:26:40Z"] * 2]
    anew = watching(preset("l4-node"), Publisher(), saved=b"\0")
    assert anew.trouble["saved"].endswith("it's begun anew")


def test_the_state_cannot_be_saved(watching: Watching) -> None:
    host, publisher, kept = preset("hgx-h100"), Publisher(), list[bytes]()
    fails = [OSError(28, "No space left on device")]

    def save(data: bytes) -> None:
        if fails:
            raise fails.pop()
        kept.append(data)

    watch = watching(host, publisher, save=save)
    soon(lambda: bool(kept))
    assert (watch.trouble, len(decode(kept[-1]).gpus)) == ({}, 8)


def test_reset_by_the_agent_itself(watching: Watching) -> None:
    host, publisher = preset("hgx-h100"), Publisher()
    watch = watching(host, publisher)
    host.inject(Fault(gpu=2, xid=95))
    soon(lambda: bool(publisher.taints()))
    gpu = host.survey().gpus[2].uuid
    host.reset(gpu)
    watch.was_reset(gpu)
    soon(lambda: not publisher.taints())


def test_others_change_mig(watching: Watching) -> None:
    host, publisher = preset("mixed"), Publisher()
    watching(host, publisher)
    soon(lambda: bool(publisher.shown))
    names = {one.name for one in publisher.shown[-1]}
    gpu = host.survey().gpus[0]
    host.destroy_instance(gpu.uuid, gpu.instances[1].id)
    soon(lambda: len(publisher.shown[-1]) == len(names) - 1)
    assert names - {one.name for one in publisher.shown[-1]} == {"gpu-1-mig-1g5gb-19-4"}


@pytest.mark.parametrize("fails", [False, True])
def test_the_driver_is_let_go_of_while_a_gpu_hangs(watching: Watching, fails: bool) -> None:
    """Only then a GPU that hung is asked again."""
    host, publisher, released = preset("hgx-h100"), Publisher(), list[int]()
    quick = SimulatedHost(host.file, limit_s=0.01)

    def release() -> None:
        released.append(1)
        quick.release()
        if fails:
            raise HostFault("somebody is in the middle of something")

    watching(quick, publisher, release=release)
    soon(lambda: bool(publisher.shown))
    assert not released
    quick.inject(Fault(gpu=3, call="survey", slow_ms=100, nth=1))
    soon(lambda: bool(released) and not publisher.taints())
    hung = [one for picture in publisher.pictures for one in picture.news if not one.good]
    assert [one.message for one in hung] == ["survey didn't return within 0.01 s"]
