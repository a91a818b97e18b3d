"""What every host promises: one table that the simulated host passes, and NVML over the fake library too."""

from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from aliquot.devices.activity import Activity
from aliquot.devices.gpu import ComputeMode, Gpu, TimeSlice
from aliquot.devices.hosts.protocol import GpuLost, Host, Refused, Why
from aliquot.devices.hosts.simulated.file import read_host
from aliquot.devices.hosts.simulated.host import SimulatedHost
from aliquot.devices.instances import Instance, MigMode, placements_of
from aliquot.devices.mig import Geometry, Placement
from aliquot.devices.survey import Silence
from tests.devices.hosts.fake import Fake

MACHINE = """
name: table
gpus:
  - {model: A100-40GB, mig: true, minor: 5, pci: "0000:07:00.0"}
  - model: A100-40GB
    mig: true
    minor: 2
    pci: "0000:0f:00.0"
    instances: [3g.20gb@0, 1g.5gb@4]
    processes: [{pid: 77, start: 0, memoryMiB: 1024}]
  - {model: A100-80GB, minor: 0, pci: "0000:47:00.0"}
  - {model: A100-80GB, minor: 1, pci: "0000:4e:00.0", processes: [{pid: 88, memoryMiB: 512}, {pid: 89}]}
  - {model: H100-SXM-80GB, minor: 4, pci: "0000:87:00.0", links: 18, ecc: true}
  - {model: H100-SXM-80GB, minor: 6, pci: "0000:90:00.0", mig: true, processes: [{pid: 99}]}
  - {model: T4, minor: 3, pci: "0000:b7:00.0", computeMode: exclusive-process}
  - {model: A30, minor: 7, pci: "0000:bd:00.0", mig: true}
"""
EMPTY, DIVIDED, IDLE, BUSY, HOPPER, WORKING, PLAIN, SMALL = range(8)


@pytest.fixture(params=["simulated", "nvml"])
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


class Machine:
    def __init__(self, kind: str, folder: Path, text: str) -> None:
        self.fake = Fake(folder, text) if kind == "nvml" else None
        self.file = read_host(text, "table")
        if self.fake:
            self.fake.smi()
        self.host: Host = self.fake.host() if self.fake else SimulatedHost(self.file)

    def gpu(self, number: int) -> Gpu:
        return self.host.survey().gpus[number]

    def uuid(self, number: int) -> str:
        return self.gpu(number).uuid

    def places(self, number: int) -> tuple[Placement, ...]:
        return placements_of(self.gpu(number).instances)


@pytest.fixture
def machine(kind: str, tmp_path: Path) -> Iterator[Machine]:
    made = Machine(kind, tmp_path, MACHINE)
    yield made
    if made.fake:
        made.fake.close()


def why(answer: object) -> Why | None:
    return answer.why if isinstance(answer, Refused) else None


# --- looking -------------------------------------------------------------------------------------------------------
def test_who_is_there(machine: Machine) -> None:
    survey = machine.host.survey()
    assert survey.driver is not None
    assert (survey.driver.version, survey.driver.cuda) == ("580.65.06", "13.0")
    assert [gpu.index for gpu in survey.gpus] == list(range(8))
    assert [gpu.minor for gpu in survey.gpus] == [5, 2, 0, 1, 4, 6, 3, 7]
    assert [gpu.pci for gpu in survey.gpus][:2] == ["0000:07:00.0", "0000:0f:00.0"]
    assert [gpu.model.key for gpu in survey.gpus if gpu.model] == [
        "A100-40GB", "A100-40GB", "A100-80GB", "A100-80GB", "H100-SXM-80GB", "H100-SXM-80GB", "T4", "A30",
    ]  # fmt: skip
    assert len({gpu.uuid for gpu in survey.gpus}) == 8
    assert (survey.unreadable, survey.troubles) == ((), ())


def test_what_they_are(machine: Machine) -> None:
    gpu = machine.gpu(HOPPER)
    assert (gpu.architecture, gpu.compute_capability, gpu.pci_id) == ("Hopper", "9.0", "10de:2330")
    assert gpu.memory is not None
    assert (gpu.memory.total >> 20, gpu.memory.used) == (81559, 0)
    assert (gpu.ecc, gpu.persistence, gpu.compute_mode, gpu.recovery) == (True, True, "default", "none")
    assert (gpu.temperature_c, gpu.power_w) == (35, 60.0)
    assert [(link.active, link.remote) for link in gpu.links] == [(True, "switch")] * 18
    assert machine.gpu(PLAIN).compute_mode == "exclusive-process"
    assert machine.gpu(PLAIN).mig is None
    assert machine.gpu(IDLE).mig == MigMode(current=False, pending=False)


def test_what_runs_on_them(machine: Machine) -> None:
    on_instance, whole = machine.gpu(DIVIDED).processes, machine.gpu(BUSY).processes
    assert [(each.pid, each.memory, each.gi, each.ci) for each in on_instance] == [(77, 1 << 30, 1, 0)]
    assert [(each.pid, each.memory, each.gi, each.ci) for each in whole] == [
        (88, 512 << 20, None, None),
        (89, None, None, None),
    ]


def test_instances_are_listed(machine: Machine) -> None:
    assert [
        (each.id, each.profile, each.profile_id, each.start, each.size, each.memory_mib, len(each.compute))
        for each in machine.gpu(DIVIDED).instances
    ] == [(1, "3g.20gb", 9, 0, 4, 19968, 1), (11, "1g.5gb", 19, 4, 1, 4864, 1)]
    uuids = [each.uuid for each in machine.gpu(DIVIDED).instances]
    assert all(uuid is not None and uuid.startswith("MIG-") for uuid in uuids)
    assert len(set(uuids)) == 2


@pytest.mark.parametrize(("number", "key"), [(EMPTY, "A100-40GB"), (HOPPER, "H100-80GB"), (SMALL, "A30")])
def test_geometry(machine: Machine, number: int, key: str) -> None:
    geometry = machine.host.geometry(machine.uuid(number))
    assert isinstance(geometry, Geometry)
    assert geometry.placement_certainty == "node"
    table = {
        profile.name: (profile.kind, profile.profile_id, profile.starts, profile.memory_slices, profile.memory_mib)
        for profile in geometry.profiles
    }
    if key == "A100-40GB":
        assert table["3g.20gb"] == ("3g", 9, (0, 4), 4, 19968)
        assert table["1g.10gb"] == ("1g2", 15, (0, 2, 4, 6), 2, 9856)
        assert table["1g.5gb+me"] == ("1g+me", 20, (0, 1, 2, 3, 4, 5, 6), 1, 4864)
    if key == "H100-80GB":
        assert table["1g.10gb"] == ("1g", 19, (0, 1, 2, 3, 4, 5, 6), 1, 9984)
    if key == "A30":
        assert table["2g.12gb"][:4] == ("2g", 5, (0, 2), 2)
    if key == "A100-40GB":
        engines = {p.name: (p.copy_engines, p.decoders, p.jpegs, p.ofas, p.sm_count) for p in geometry.profiles}
        assert engines["7g.40gb"] == (7, 5, 1, 1, 98)
        assert engines["1g.5gb"] == (1, 0, 0, 0, 14)
    assert (geometry.memory_units, geometry.compute_units) == ((4, 4) if key == "A30" else (8, 7))
    assert why(machine.host.geometry(machine.uuid(PLAIN))) is Why.NOT_SUPPORTED


# --- instances -----------------------------------------------------------------------------------------------------
def test_create_and_destroy(machine: Machine) -> None:
    gpu = machine.uuid(EMPTY)
    made = machine.host.create_instance(gpu, Placement(4, "2g.10gb"))
    assert isinstance(made, Instance)
    assert (made.id, made.profile, made.start, made.size, made.memory_mib) == (5, "2g.10gb", 4, 2, 9856)
    assert [(each.id, each.slices) for each in made.compute] == [(0, 2)]
    assert machine.gpu(EMPTY).instances == (made,)
    assert machine.host.destroy_instance(gpu, made.id) is None
    assert machine.gpu(EMPTY).instances == ()
    assert why(machine.host.destroy_instance(gpu, made.id)) is Why.NOT_FOUND


@pytest.mark.parametrize(
    ("number", "place", "reason"),
    [
        (DIVIDED, Placement(0, "1g.5gb"), Why.NO_ROOM),
        (DIVIDED, Placement(4, "1g.5gb"), Why.NO_ROOM),
        (DIVIDED, Placement(0, "4g.20gb"), Why.NO_ROOM),
        (DIVIDED, Placement(0, "7g.40gb"), Why.NO_ROOM),
        (DIVIDED, Placement(4, "3g.20gb"), Why.NO_ROOM),
        (DIVIDED, Placement(2, "3g.20gb"), Why.BAD_PLACEMENT),
        (DIVIDED, Placement(7, "1g.5gb"), Why.BAD_PLACEMENT),
        (DIVIDED, Placement(0, "1g.18gb"), Why.BAD_PLACEMENT),
        (IDLE, Placement(0, "1g.10gb"), Why.MIG_OFF),
        (WORKING, Placement(0, "1g.10gb"), Why.IN_USE),
        (PLAIN, Placement(0, "1g.5gb"), Why.NOT_SUPPORTED),
    ],
)
def test_creations_refused(machine: Machine, number: int, place: Placement, reason: Why) -> None:
    before = machine.gpu(number)
    answer = machine.host.create_instance(before.uuid, place)
    assert why(answer) is reason, answer
    assert machine.gpu(number).instances == before.instances


def test_compute_slices_and_the_media_extension_run_out(machine: Machine) -> None:
    gpu = machine.uuid(EMPTY)
    for start in (0, 2, 4):
        assert isinstance(machine.host.create_instance(gpu, Placement(start, "2g.10gb")), Instance)
    assert why(machine.host.create_instance(gpu, Placement(6, "1g.10gb"))) is None
    assert why(machine.host.create_instance(gpu, Placement(6, "1g.5gb"))) is Why.NO_ROOM
    small = machine.uuid(SMALL)
    assert isinstance(machine.host.create_instance(small, Placement(0, "1g.6gb+me")), Instance)
    assert why(machine.host.create_instance(small, Placement(2, "1g.6gb+me"))) is Why.NO_ROOM
    assert isinstance(machine.host.create_instance(small, Placement(2, "2g.12gb")), Instance)


def test_a_used_instance_stays(machine: Machine) -> None:
    gpu = machine.gpu(DIVIDED)
    assert why(machine.host.destroy_instance(gpu.uuid, 1)) is Why.IN_USE
    assert machine.host.destroy_instance(gpu.uuid, 11) is None
    assert machine.places(DIVIDED) == (Placement(0, "3g.20gb"),)
    assert machine.gpu(DIVIDED).instances[0].compute


# --- modes ---------------------------------------------------------------------------------------------------------
def test_mig_on_and_off(machine: Machine) -> None:
    for number in (IDLE, HOPPER):
        gpu = machine.uuid(number)
        assert machine.host.set_mig_mode(gpu, enabled=True) == MigMode(current=True, pending=True)
        assert machine.gpu(number).mig_enabled
        assert isinstance(machine.host.create_instance(gpu, Placement(0, "1g.10gb")), Instance)
        assert why(machine.host.set_mig_mode(gpu, enabled=False)) is Why.IN_USE
        assert machine.host.destroy_instance(gpu, machine.gpu(number).instances[0].id) is None
        assert machine.host.set_mig_mode(gpu, enabled=False) == MigMode(current=False, pending=False)


def test_mig_stays_pending_on_ampere_while_somebody_holds_it(machine: Machine) -> None:
    assert why(machine.host.set_mig_mode(machine.uuid(BUSY), enabled=True)) is Why.IN_USE
    assert machine.gpu(BUSY).mig == MigMode(current=False, pending=True)
    assert why(machine.host.create_instance(machine.uuid(BUSY), Placement(0, "1g.10gb"))) is Why.MIG_OFF


def test_mig_where_there_is_none(machine: Machine) -> None:
    assert why(machine.host.set_mig_mode(machine.uuid(PLAIN), enabled=True)) is Why.NOT_SUPPORTED


def test_compute_mode(machine: Machine) -> None:
    gpu = machine.uuid(IDLE)
    for mode in (ComputeMode.EXCLUSIVE_PROCESS, ComputeMode.PROHIBITED, ComputeMode.DEFAULT):
        assert machine.host.set_compute_mode(gpu, mode) is None
        assert machine.gpu(IDLE).compute_mode is mode
    refused = machine.host.set_compute_mode(machine.uuid(DIVIDED), ComputeMode.EXCLUSIVE_PROCESS)
    assert why(refused) is Why.NOT_SUPPORTED


def test_time_slices(machine: Machine) -> None:
    gpu = machine.uuid(IDLE)
    for length in (TimeSlice.LONG, TimeSlice.DEFAULT):
        assert machine.host.set_time_slice(gpu, length) is None
        assert machine.gpu(IDLE).time_slice is length
    assert why(machine.host.set_time_slice(machine.uuid(DIVIDED), TimeSlice.LONG)) is Why.NOT_SUPPORTED


def test_a_reset_takes_the_instances_and_brings_the_pending_mode(kind: str, tmp_path: Path) -> None:
    text = """
name: reset
gpus:
  - {model: A100-40GB, mig: true, instances: [3g.20gb@0, 1g.5gb@4]}
  - {model: A100-40GB, processes: [{pid: 5}]}
"""
    machine = Machine(kind, tmp_path, text)
    divided, busy = (gpu.uuid for gpu in machine.host.survey().gpus)
    assert machine.host.reset(divided) is None
    assert machine.gpu(0).instances == ()
    assert machine.gpu(0).mig == MigMode(current=True, pending=True)
    assert why(machine.host.set_mig_mode(busy, enabled=True)) is Why.IN_USE
    assert why(machine.host.reset(busy)) is Why.IN_USE
    assert machine.gpu(1).mig == MigMode(current=False, pending=True)
    if machine.fake:
        machine.fake.drop("g1.proc.")
        machine.fake.close()
    else:
        assert isinstance(machine.host, SimulatedHost)
        with machine.host._store.change() as box:
            states = {uuid: state.replaced(processes=()) for uuid, state in box[0].gpus.items()}
            box[0] = msgspec.structs.replace(box[0], gpus=states)
    assert machine.host.reset(busy) is None
    assert machine.gpu(1).mig == MigMode(current=True, pending=True)
    machine.host.release()


def test_how_busy_they_are(kind: str, tmp_path: Path) -> None:
    text = """
name: busy
gpus:
  - {model: T4, busyPercent: 40}
  - {model: H100-SXM-80GB, busyPercent: 70}
  - {model: A100-40GB, mig: true, busyPercent: 70, instances: [3g.20gb@0]}
  - model: H200-SXM-141GB
    mig: true
    busyPercent: 90
    instances: [3g.71gb@0, 3g.71gb@4]
    processes: [{pid: 5, start: 4}]
  - {model: H200-SXM-141GB, mig: true}
"""
    machine = Machine(kind, tmp_path, text)
    answers = [machine.host.activity(gpu.uuid) for gpu in machine.host.survey().gpus]
    assert answers == [
        (Activity(busy=0.4),),
        (Activity(busy=0.7, sm=0.7),),
        (),
        (Activity(gi=1, busy=0.0, sm=0.0), Activity(gi=2, busy=0.9, sm=0.9)),
        (),
    ]
    assert machine.host.activity(machine.uuid(1)) == answers[1]
    if machine.fake:
        machine.fake.close()


# --- what is wrong -------------------------------------------------------------------------------------------------
def test_a_gpu_that_is_not_there(machine: Machine) -> None:
    with pytest.raises(GpuLost, match="no such GPU"):
        machine.host.create_instance("GPU-00000000-0000-0000-0000-000000000000", Placement(0, "1g.5gb"))


def test_a_lost_gpu_does_not_hide_the_others(kind: str, tmp_path: Path) -> None:
    lost = Machine(kind, tmp_path, MACHINE + "faults: [{gpu: 2, lost: true}]")
    survey = lost.host.survey()
    assert [gpu.index for gpu in survey.gpus] == [0, 1, 3, 4, 5, 6, 7]
    assert [(each.index, each.silence) for each in survey.unreadable] == [(2, Silence.LOST)]
    assert "lost" in str(survey.unreadable[0].trouble)
    assert isinstance(lost.host.create_instance(survey.gpus[0].uuid, Placement(0, "1g.5gb")), Instance)
    if lost.fake:
        lost.fake.close()


def test_without_privilege_nothing_is_changed(kind: str, tmp_path: Path) -> None:
    weak = Machine(kind, tmp_path, MACHINE + "privileged: false")
    host, empty, divided = weak.host, weak.uuid(EMPTY), weak.gpu(DIVIDED)
    assert why(host.create_instance(empty, Placement(0, "1g.5gb"))) is Why.NO_PERMISSION
    assert why(host.destroy_instance(divided.uuid, 11)) is Why.NO_PERMISSION
    assert why(host.set_mig_mode(empty, enabled=False)) is Why.NO_PERMISSION
    assert why(host.set_compute_mode(empty, ComputeMode.PROHIBITED)) is Why.NO_PERMISSION
    assert sorted(each.profile for each in divided.instances) == ["1g.5gb", "3g.20gb"]
    assert all(each.uuid for each in divided.instances)
    if weak.fake:
        weak.fake.close()


@pytest.mark.parametrize("uuids", ["stable", "fresh"])
def test_an_instance_made_anew(kind: str, tmp_path: Path, uuids: str) -> None:
    made = Machine(kind, tmp_path, f"{MACHINE}migUuids: {uuids}")
    gpu, place = made.uuid(EMPTY), Placement(2, "2g.10gb")
    first = made.host.create_instance(gpu, place)
    assert isinstance(first, Instance)
    assert made.host.destroy_instance(gpu, first.id) is None
    again = made.host.create_instance(gpu, place)
    assert isinstance(again, Instance)
    assert again.id == first.id
    assert (again.uuid == first.uuid) == (uuids == "stable")
    if made.fake:
        made.fake.close()


def test_another_host_object_sees_the_change(kind: str, tmp_path: Path) -> None:
    if kind == "nvml":
        fake = Fake(tmp_path, MACHINE)
        one: Host = fake.host()
        other: Host = fake.host()
    else:
        file, state = read_host(MACHINE, "table"), tmp_path / "state.json"
        one, other = SimulatedHost(file, state=state), SimulatedHost(file, state=state)
    gpu = one.survey().gpus[EMPTY].uuid
    assert other.survey().gpus[EMPTY].instances == ()
    made = one.create_instance(gpu, Placement(0, "4g.20gb"))
    assert other.survey().gpus[EMPTY].instances == (made,)
    for host in (one, other):
        host.release()


def test_events_are_told_once(machine: Machine) -> None:
    gpu = machine.uuid(HOPPER)
    assert machine.host.events(0) == ()
    if machine.fake:
        machine.fake.put({"event.0": f"{HOPPER} 94 {2**32 - 1} {2**32 - 1}"})
    else:
        assert isinstance(machine.host, SimulatedHost)
        from aliquot.devices.hosts.simulated.shape import Fault

        machine.host.inject(Fault(gpu=HOPPER, xid=94))
    told = machine.host.events(2)
    assert [(each.gpu, each.number, each.gi) for each in told] == [(gpu, 94, None)]
    assert machine.host.events(0) == ()
    assert [each.number for each in machine.host.survey().xids] == [94]
