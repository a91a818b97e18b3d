"""A simulated host keeps its state over restarts, and lets go wrong what its file says."""

from pathlib import Path

import pytest

from aliquot.devices.gpu import ComputeMode, TimeSlice
from aliquot.devices.hosts.protocol import GpuLost, Hung, Refused, Why
from aliquot.devices.hosts.simulated.file import read_host
from aliquot.devices.hosts.simulated.host import SimulatedHost
from aliquot.devices.hosts.simulated.shape import Fault
from aliquot.devices.instances import Instance, MigMode
from aliquot.devices.mig import Placement

MACHINE = """
name: sim
gpus:
  - {model: A100-40GB, mig: true}
  - {model: H100-SXM-80GB, mig: true}
  - {model: L4}
"""


def host(extra: str = "", **options: float) -> SimulatedHost:
    return SimulatedHost(read_host(MACHINE + extra, "sim"), limit_s=options.get("limit_s", 0.2))


def uuids(made: SimulatedHost) -> list[str]:
    survey = made.survey()
    return [gpu.uuid for gpu in survey.gpus]


def test_state_outlives_the_process(tmp_path: Path) -> None:
    file, state = read_host(MACHINE, "sim"), tmp_path / "deep" / "state.json"
    first = SimulatedHost(file, state=state)
    assert not state.exists()
    ampere, hopper, plain = uuids(first)
    assert isinstance(first.create_instance(ampere, Placement(0, "3g.20gb")), Instance)
    assert first.set_compute_mode(plain, ComputeMode.EXCLUSIVE_PROCESS) is None
    assert first.set_time_slice(plain, TimeSlice.LONG) is None
    after = SimulatedHost(file, state=state).survey()
    assert [each.placement for each in after.gpus[0].instances] == [Placement(0, "3g.20gb")]
    assert (after.gpus[2].compute_mode, after.gpus[2].time_slice) == (ComputeMode.EXCLUSIVE_PROCESS, TimeSlice.LONG)
    assert after == first.survey()
    assert hopper == after.gpus[1].uuid


def test_a_reboot(tmp_path: Path) -> None:
    made = SimulatedHost(read_host(MACHINE, "sim"), state=tmp_path / "state")
    ampere, hopper, plain = uuids(made)
    for gpu, place in ((ampere, Placement(0, "3g.20gb")), (hopper, Placement(0, "3g.40gb"))):
        assert isinstance(made.create_instance(gpu, place), Instance)
    assert made.set_compute_mode(plain, ComputeMode.PROHIBITED) is None
    made.reboot()
    gpus = made.survey().gpus
    assert [gpu.instances for gpu in gpus] == [(), (), ()]
    assert gpus[0].mig == MigMode(current=True, pending=True)  # Ampere keeps it in the board
    assert gpus[1].mig == MigMode(current=False, pending=False)
    assert gpus[2].compute_mode is ComputeMode.DEFAULT


def test_a_state_file_that_is_none(tmp_path: Path) -> None:
    state = tmp_path / "state"
    state.write_text("{", encoding="ascii")
    with pytest.raises(ValueError, match="holds no state of a simulated host"):
        SimulatedHost(read_host(MACHINE, "sim"), state=state).survey()


def test_clients_block_a_mode_change_and_a_reset() -> None:
    made = host("clients: [nvidia-persistenced]")
    ampere, hopper, _ = uuids(made)
    refused = made.set_mig_mode(ampere, enabled=False)
    assert isinstance(refused, Refused)
    assert "nvidia-persistenced" in refused.message
    assert made.survey().gpus[0].mig == MigMode(current=True, pending=False)
    assert made.set_mig_mode(hopper, enabled=False) == MigMode(current=False, pending=False)
    assert isinstance(made.reset(ampere), Refused)
    made.file.clients.clear()
    assert made.reset(ampere) is None
    assert made.survey().gpus[0].mig == MigMode(current=False, pending=False)


def test_no_time_slice_with_mig() -> None:
    made = host()
    refused = made.set_time_slice(uuids(made)[0], TimeSlice.SHORT)
    assert isinstance(refused, Refused)
    assert refused.why is Why.NOT_SUPPORTED


def test_the_kth_call_fails() -> None:
    made = host("faults: [{call: createInstance, nth: 2, refused: in use}]")
    gpu = uuids(made)[0]
    answers = [made.create_instance(gpu, Placement(start, "1g.5gb")) for start in (0, 1, 1)]
    assert [type(each) for each in answers] == [Instance, Refused, Instance]
    assert isinstance(answers[1], Refused)
    assert answers[1].why is Why.IN_USE


def test_calls_are_counted_for_the_faults_gpu() -> None:
    made = host("faults: [{call: createInstance, gpu: 1, nth: 1, refused: no room}]")
    ampere, hopper, _ = uuids(made)
    assert isinstance(made.create_instance(ampere, Placement(0, "1g.5gb")), Instance)
    assert isinstance(made.create_instance(hopper, Placement(0, "1g.10gb")), Refused)
    assert isinstance(made.create_instance(hopper, Placement(0, "1g.10gb")), Instance)


def test_every_call_fails() -> None:
    made = host("faults: [{call: destroyInstance, refused: in use}]")
    gpu = uuids(made)[0]
    instance = made.create_instance(gpu, Placement(0, "1g.5gb"))
    assert isinstance(instance, Instance)
    assert [isinstance(made.destroy_instance(gpu, instance.id), Refused) for _ in range(3)] == [True] * 3


def test_a_slow_call_and_one_that_hangs() -> None:
    slow = host("faults: [{call: geometry, slowMs: 20}]")
    assert not isinstance(slow.geometry(uuids(slow)[0]), Refused)
    stuck = host("faults: [{call: survey, gpu: 1, slowMs: 60000}]", limit_s=0.05)
    survey = stuck.survey()
    assert [gpu.index for gpu in survey.gpus] == [0, 2]
    assert "didn't return within 0.05 s" in str(survey.unreadable[0].trouble)
    gpu = survey.unreadable[0].uuid
    assert gpu is not None
    with pytest.raises(Hung, match="a call before"):
        stuck.create_instance(gpu, Placement(0, "1g.10gb"))
    stuck.release()
    assert isinstance(stuck.create_instance(gpu, Placement(0, "1g.10gb")), Instance)


def test_lost_at_once_and_back_after_a_reset() -> None:
    made = host()
    gpu = uuids(made)[2]
    made.inject(Fault(gpu=2, lost=True))
    with pytest.raises(GpuLost):
        made.set_compute_mode(gpu, ComputeMode.PROHIBITED)
    assert len(made.survey().gpus) == 2
    assert made.reset(gpu) is None
    assert len(made.survey().gpus) == 3


def test_injected_calls_count_from_now() -> None:
    made = host()
    gpu = uuids(made)[0]
    assert isinstance(made.create_instance(gpu, Placement(0, "1g.5gb")), Instance)
    made.inject(Fault(call="createInstance", nth=1, refused="not supported"))
    assert isinstance(made.create_instance(gpu, Placement(1, "1g.5gb")), Refused)
    assert isinstance(made.create_instance(gpu, Placement(1, "1g.5gb")), Instance)


def test_xids_of_the_file_are_told_once(tmp_path: Path) -> None:
    file = read_host(MACHINE + "faults: [{gpu: 2, xid: 79}]", "sim")
    made = SimulatedHost(file, state=tmp_path / "state")
    assert [(each.gpu, each.number) for each in made.events(0)] == [(uuids(made)[2], 79)]
    assert made.events(0) == ()
    assert SimulatedHost(file, state=tmp_path / "state").events(0) == ()
    assert [each.number for each in made.survey().xids] == [79]


def test_a_wait_ends_with_its_time() -> None:
    assert host().events(0.02) == ()
