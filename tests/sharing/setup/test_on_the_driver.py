"""The same steps on the real path: NVML by ctypes over the fake library, and MPS daemons as processes."""

import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from aliquot.devices.gpu import ComputeMode, TimeSlice
from aliquot.devices.hosts.mps import MpsDaemon
from aliquot.devices.hosts.mps_processes import MpsProcesses
from aliquot.devices.hosts.nvml.host import NvmlHost
from aliquot.devices.mig import Placement
from aliquot.devices.survey import Survey
from aliquot.sharing.claim_configs.values import ClaimConfig, Mps, Sharing, TimeSlicing
from aliquot.sharing.setup.carry_out import Done, Failed, carry_out, undo
from aliquot.sharing.setup.plan import Request, SetUp, plan
from aliquot.sharing.setup.steps import Target
from tests.devices.hosts import fake as kit

MACHINE = """
name: driver
gpus:
  - {model: A100-40GB, mig: true, minor: 1, pci: "0000:07:00.0", instances: [3g.20gb@0]}
  - {model: H100-SXM-80GB, minor: 0, pci: "0000:0f:00.0"}
"""
CONTROL = Path(kit.__file__).parent / "fake_mps_control.py"


@pytest.fixture
def folder() -> Iterator[Path]:
    """A short one: pytest's own are too long for sockets."""
    made = Path(tempfile.mkdtemp(prefix="mps-"))
    program = made / "control"
    program.write_text(f'#!/bin/sh\nexec {sys.executable} {CONTROL} "$@"\n', encoding="ascii")
    program.chmod(0o755)
    yield made
    for pipe in made.glob("*/pipe"):
        MpsProcesses(program=str(program)).stop_mps(str(pipe), str(pipe.parent / "log"))
    shutil.rmtree(made)


@pytest.fixture
def host(tmp_path: Path) -> Iterator[NvmlHost]:
    fake = kit.Fake(tmp_path, MACHINE)
    smi = fake.root / "usr/bin/nvidia-smi"
    smi.parent.mkdir(parents=True)
    smi.write_text("#!/bin/sh\necho Successfully set\n", encoding="ascii")
    smi.chmod(0o755)
    yield fake.host()
    fake.close()


def daemons(folder: Path, **options: int) -> MpsProcesses:
    return MpsProcesses(program=str(folder / "control"), limit_s=20, **options)


def setup_of(survey: Survey, folder: Path, target: Target, sharing: Sharing | None) -> SetUp:
    config = ClaimConfig(for_mig=target.place is not None, sharing=sharing)
    answer = plan(Request(name="c-1", targets=(target,), config=config), survey, mps_root=str(folder))
    assert isinstance(answer, SetUp), answer
    return answer


def test_mps_on_an_instance_made_for_it(host: NvmlHost, folder: Path) -> None:
    before, keeper = host.survey(), daemons(folder, prove_uid=0)
    target = Target(before.gpus[0].uuid, Placement(4, "2g.10gb"))
    setup = setup_of(before, folder, target, Mps(percent=25, memory_mib_of={"0": 512}))
    assert carry_out(setup.steps, host, keeper) == Done()
    instance = host.survey().gpus[0].instances[1]
    assert instance.placement == target.place
    pipe = folder / "c-1/pipe"
    running = MpsDaemon(pipe, folder / "c-1/log", devices=(), program=str(folder / "control"))
    asked = running.ask("state")
    assert asked == f"devices={instance.uuid}; flags=-d; memory 0=512M; percent=25.0; server=4711"
    assert setup.edits.mounts[0].host_path == str(pipe)
    assert carry_out(setup.steps, host, keeper) == Done()
    assert undo(setup.steps, host, keeper) == ()
    assert host.survey() == before
    assert not running.running()
    assert not pipe.exists()


def test_mps_on_a_whole_gpu_whose_limits_are_refused(host: NvmlHost, folder: Path) -> None:
    before = host.survey()
    setup = setup_of(before, folder, Target(before.gpus[1].uuid), Mps(memory_mib=4096))
    (folder / "c-1").mkdir()
    (folder / "c-1/faults").write_text("refuse-limits", encoding="ascii")
    answer = carry_out(setup.steps, host, daemons(folder))
    assert isinstance(answer, Failed)
    assert "Failed to set the limit" in str(answer)
    assert answer.left == ()
    assert host.survey() == before
    assert not (folder / "c-1/pipe").exists()


def test_a_daemon_whose_servers_die_is_no_daemon(host: NvmlHost, folder: Path) -> None:
    before = host.survey()
    setup = setup_of(before, folder, Target(before.gpus[1].uuid), Mps())
    (folder / "c-1").mkdir()
    (folder / "c-1/faults").write_text("servers-die", encoding="ascii")
    keeper = MpsProcesses(program=str(folder / "control"), limit_s=3, prove_uid=0)
    answer = carry_out(setup.steps, host, keeper)
    assert isinstance(answer, Failed)
    assert "no MPS server became active" in str(answer)
    assert "fatal exception" in str(answer)
    assert host.survey() == before


def test_turns_and_an_instance(host: NvmlHost, folder: Path) -> None:
    before, keeper = host.survey(), daemons(folder)
    turns = setup_of(before, folder, Target(before.gpus[1].uuid), TimeSlicing(TimeSlice.LONG))
    assert carry_out(turns.steps, host, keeper) == Done()
    assert host.survey().gpus[1].time_slice is TimeSlice.LONG
    assert undo(turns.steps, host, keeper) == ()
    assert host.survey().gpus[1].time_slice is TimeSlice.DEFAULT
    divided = setup_of(before, folder, Target(before.gpus[1].uuid, Placement(0, "3g.40gb")), None)
    assert carry_out(divided.steps, host, keeper) == Done()  # MIG is switched on for it, and off again
    assert host.survey().gpus[1].mig_enabled
    assert undo(divided.steps, host, keeper) == ()
    after = host.survey().gpus[1]
    assert (after.mig_enabled, after.instances, after.compute_mode) == (False, (), ComputeMode.DEFAULT)
