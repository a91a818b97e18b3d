"""What every keeper of MPS daemons promises: one table that the simulated host passes, and processes do too."""

import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from aliquot.devices.hosts.mps import MpsDaemon
from aliquot.devices.hosts.mps_processes import MpsProcesses
from aliquot.devices.hosts.protocol import GpuLost, HostFault, MpsDaemons, MpsSettings, Refused, Why
from aliquot.devices.hosts.simulated.file import read_host
from aliquot.devices.hosts.simulated.host import SimulatedHost
from aliquot.devices.hosts.simulated.shape import Fault

CONTROL = Path(__file__).parent / "fake_mps_control.py"
HOST = """
name: keeper
gpus:
  - {model: T4, uuid: GPU-00000000-0000-0000-0000-000000000000}
  - {model: A100-40GB, uuid: GPU-11111111-0000-0000-0000-000000000000, mig: true, instances: [3g.20gb@0]}
"""
PLAIN, DIVIDED = "GPU-00000000-0000-0000-0000-000000000000", "GPU-11111111-0000-0000-0000-000000000000"


class Keeper:
    """Someone who keeps daemons, and a way to see them."""

    def __init__(self, daemons: MpsDaemons, folder: Path, running: Callable[[Path], bool]) -> None:
        self.daemons = daemons
        self.folder = folder
        self._running = running

    def settings(self, name: str, **options: object) -> MpsSettings:
        pipe, log = str(self.folder / name / "pipe"), str(self.folder / name / "log")
        return MpsSettings(devices=(PLAIN,), pipe=pipe, log=log, **options)  # type: ignore[arg-type]

    def running(self, name: str) -> bool:
        return self._running(self.folder / name / "pipe")


@pytest.fixture(params=["simulated", "processes"])
def keeper(request: pytest.FixtureRequest) -> Iterator[Keeper]:
    folder = Path(tempfile.mkdtemp(prefix="mps-"))  # pytest's own are too long for sockets
    if request.param == "simulated":
        host = SimulatedHost(read_host(HOST, "keeper"))
        yield Keeper(host, folder, lambda pipe: any(each.pipe == str(pipe) for each in host.mps_daemons()))
    else:
        program = folder / "control"
        program.write_text(f'#!/bin/sh\nexec {sys.executable} {CONTROL} "$@"\n', encoding="ascii")
        program.chmod(0o755)

        def running(pipe: Path) -> bool:
            return MpsDaemon(pipe, folder / "log", devices=(), program=str(program), limit_s=20).running()

        processes = MpsProcesses(program=str(program), limit_s=20)
        yield Keeper(processes, folder, running)
        for pipe in folder.glob("*/pipe"):
            processes.stop_mps(str(pipe), str(folder / "log"))
    shutil.rmtree(folder)


def test_a_daemon_starts_and_ends(keeper: Keeper) -> None:
    settings = keeper.settings("a", percent=50, memory=("10240M",), multi_user=True)
    assert not keeper.running("a")
    assert keeper.daemons.start_mps(settings) is None
    assert keeper.running("a")
    assert keeper.daemons.start_mps(settings) is None  # it runs already
    assert keeper.daemons.stop_mps(settings.pipe, settings.log) is None
    assert not keeper.running("a")
    assert keeper.daemons.stop_mps(settings.pipe, settings.log) is None
    assert not Path(settings.pipe).exists()


def test_two_daemons_are_two(keeper: Keeper) -> None:
    one, other = keeper.settings("a"), keeper.settings("b")
    assert keeper.daemons.start_mps(one) is None
    assert keeper.daemons.start_mps(other) is None
    assert keeper.daemons.stop_mps(one.pipe, one.log) is None
    assert (keeper.running("a"), keeper.running("b")) == (False, True)


def test_daemons_are_found_by_their_folder(keeper: Keeper) -> None:
    one, other = keeper.settings("a"), keeper.settings("b")
    assert keeper.daemons.daemons_below(str(keeper.folder)) == ()
    assert keeper.daemons.start_mps(other) is None
    assert keeper.daemons.start_mps(one) is None
    assert keeper.daemons.daemons_below(str(keeper.folder)) == (one.pipe, other.pipe)
    assert keeper.daemons.daemons_below(str(keeper.folder / "elsewhere")) == ()
    assert keeper.daemons.stop_mps(one.pipe, one.log) is None
    assert keeper.daemons.daemons_below(str(keeper.folder)) == (other.pipe,)
    assert not (keeper.folder / "a").exists()


# --- what only a host that knows its GPUs can refuse -------------------------------------------------------------
def simulated() -> SimulatedHost:
    return SimulatedHost(read_host(HOST, "keeper"))


def settings(*devices: str) -> MpsSettings:
    return MpsSettings(devices=devices, pipe="/run/a/pipe", log="/run/a/log")


def test_mig_and_devices_that_are_not_there() -> None:
    host = simulated()
    refused = host.start_mps(settings(DIVIDED))
    assert isinstance(refused, Refused)
    assert (refused.why, refused.message) == (
        Why.NOT_SUPPORTED,
        f"{DIVIDED} is in MIG mode: MPS runs on its instances",
    )
    instance = host.survey().gpus[1].instances[0].uuid
    assert instance is not None
    assert host.start_mps(settings(instance)) is None
    with pytest.raises(GpuLost, match="no such GPU"):
        host.start_mps(settings("MIG-00000000-0000-0000-0000-000000000000"))
    assert [each.devices for each in host.mps_daemons()] == [(instance,)]
    host.reboot()
    assert host.mps_daemons() == ()


def test_faults_on_demand_and_a_lost_gpu() -> None:
    host = simulated()
    host.inject(Fault(call="startMps", nth=1, refused="in use"))
    refused = host.start_mps(settings(PLAIN))
    assert isinstance(refused, Refused)
    assert refused.why is Why.IN_USE
    assert host.start_mps(settings(PLAIN)) is None
    host.inject(Fault(call="stopMps", nth=1, refused="in use"))
    assert isinstance(host.stop_mps("/run/a/pipe", "/run/a/log"), Refused)
    host.inject(Fault(gpu=0, lost=True))
    assert host.stop_mps("/run/a/pipe", "/run/a/log") is None  # its daemon can be ended
    with pytest.raises(HostFault, match="lost"):
        host.start_mps(settings(PLAIN))


def test_daemons_outlive_the_object(tmp_path: Path) -> None:
    file, state = read_host(HOST, "keeper"), tmp_path / "state"
    assert SimulatedHost(file, state=state).start_mps(settings(PLAIN)) is None
    again = SimulatedHost(file, state=state)
    assert [each.devices for each in again.mps_daemons()] == [(PLAIN,)]
    assert again.stop_mps("/run/a/pipe", "/run/a/log") is None
    assert SimulatedHost(file, state=state).mps_daemons() == ()
