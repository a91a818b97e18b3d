"""From devices and a configuration: which steps, which edits, or why not."""

from dataclasses import replace

import pytest

from aliquot.cdi.spec import Mount
from aliquot.devices.gpu import ComputeMode, Process, Recovery, TimeSlice
from aliquot.devices.hosts.simulated.file import read_host
from aliquot.devices.hosts.simulated.host import SimulatedHost
from aliquot.devices.instances import MigMode
from aliquot.devices.mig import Geometry, Placement
from aliquot.sharing.claim_configs.values import ClaimConfig, Mps, Sharing, TimeSlicing
from aliquot.sharing.legal import Use
from aliquot.sharing.setup.plan import CannotSetUp, Request, SetUp, plan
from aliquot.sharing.setup.steps import (
    CreateInstance,
    Daemon,
    SetComputeMode,
    SetMigMode,
    SetTimeSlice,
    StartMps,
    Target,
)

HOST = """
name: plan
driver: {version: 580.65.06, cuda: "13.0"}
gpus:
  - {model: A100-40GB, uuid: GPU-00000000-0000-0000-0000-000000000000, mig: true, instances: [3g.20gb@0]}
  - {model: A100-40GB, uuid: GPU-11111111-0000-0000-0000-000000000000}
  - {model: T4, uuid: GPU-22222222-0000-0000-0000-000000000000, computeMode: exclusive-process}
"""
DIVIDED, WHOLE, PLAIN = (f"GPU-{digit * 8}-0000-0000-0000-000000000000" for digit in "012")


def planned(targets: list[Target], sharing: Sharing | None = None, **options: object) -> SetUp | CannotSetUp:
    survey = SimulatedHost(read_host(HOST, "plan")).survey()
    for_mig = bool(targets) and targets[0].place is not None
    beside = {name: options.pop(name) for name in ("in_use", "mps_root") if name in options}
    config = ClaimConfig(for_mig, sharing)
    return plan(Request(name="c-1", targets=tuple(targets), config=config, **options), survey, **beside)  # type: ignore[arg-type]


def refused(answer: SetUp | CannotSetUp) -> list[tuple[str, str]]:
    assert isinstance(answer, CannotSetUp), answer
    return [(fault.path, fault.message) for fault in answer.faults]


def test_nothing_asked_nothing_done() -> None:
    answer = planned([Target(WHOLE)])
    assert isinstance(answer, SetUp)
    assert (answer.steps, bool(answer.edits), answer.notes) == ((), False, ())


def test_turns() -> None:
    answer = planned([Target(PLAIN)], TimeSlicing(TimeSlice.LONG))
    assert isinstance(answer, SetUp)
    assert answer.steps == (
        SetComputeMode(PLAIN, ComputeMode.DEFAULT, ComputeMode.EXCLUSIVE_PROCESS),
        SetTimeSlice(PLAIN, TimeSlice.LONG, TimeSlice.DEFAULT),
    )
    assert not answer.edits


def test_mps() -> None:
    mps = Mps(percent=50, memory_mib=10240, memory_mib_of={"1": 512}, multi_user=True)
    answer = planned([Target(WHOLE), Target(PLAIN)], mps)
    assert isinstance(answer, SetUp)
    daemon = Daemon(
        name="c-1", targets=(Target(WHOLE), Target(PLAIN)), pipe="/run/aliquot/mps/c-1/pipe",
        log="/run/aliquot/mps/c-1/log", percent=50, memory=("10240M", "512M"), multi_user=True,
    )  # fmt: skip
    exclusive = SetComputeMode(WHOLE, ComputeMode.EXCLUSIVE_PROCESS, ComputeMode.DEFAULT)
    assert answer.steps == (exclusive, StartMps(daemon))  # the other one is exclusive already
    assert answer.edits.env == ("CUDA_MPS_PIPE_DIRECTORY=/tmp/nvidia-mps",)
    options = ("rw", "nosuid", "nodev", "bind")
    assert answer.edits.mounts == (
        Mount(host_path="/run/aliquot/mps/c-1/pipe", container_path="/tmp/nvidia-mps", options=options),
        Mount(host_path="/dev/shm", container_path="/dev/shm", options=options),
    )


def test_an_instance_is_created_where_it_is_not() -> None:
    place = Placement(4, "3g.20gb")
    answer = planned([Target(DIVIDED, place)])
    assert isinstance(answer, SetUp)
    assert answer.steps == (CreateInstance(DIVIDED, place),)
    there = planned([Target(DIVIDED, Placement(0, "3g.20gb"))])
    assert isinstance(there, SetUp)
    assert there.steps == ()
    two = planned([Target(WHOLE, Placement(0, "1g.5gb")), Target(WHOLE, Placement(1, "1g.5gb"))], TimeSlicing())
    assert isinstance(two, SetUp)
    assert two.steps == (
        SetMigMode(WHOLE, enabled=True),
        CreateInstance(WHOLE, Placement(0, "1g.5gb")),
        CreateInstance(WHOLE, Placement(1, "1g.5gb")),
    )
    assert two.notes[2] == "MIG instances have no peer-to-peer traffic with each other, neither by NVLink nor by PCIe"
    assert two.notes[3] == "time-slicing needs no set-up on a MIG instance: its programs take turns anyway"


def test_mps_on_an_instance_takes_no_compute_mode() -> None:
    answer = planned([Target(DIVIDED, Placement(0, "3g.20gb"))], Mps())
    assert isinstance(answer, SetUp)
    assert [type(step) for step in answer.steps] == [StartMps]
    by_uuid = planned([Target(DIVIDED, Placement(4, "3g.20gb"))], Mps(memory_mib_of={"0": 100}))
    assert isinstance(by_uuid, SetUp)
    assert [str(step) for step in by_uuid.steps] == [
        f"create 3g.20gb at 4 on {DIVIDED}",
        f"start MPS daemon c-1 for 3g.20gb at 4 of {DIVIDED}",
    ]


def test_admin_access_changes_nothing() -> None:
    answer = planned([Target(WHOLE)], Mps(), admin=True, in_use=[Use(WHOLE, None, Mps())])
    assert isinstance(answer, SetUp)
    assert (answer.steps, bool(answer.edits)) == ((), False)
    assert answer.notes == ("admin access changes nothing on the devices",)
    quiet = planned([Target(WHOLE)], admin=True)
    assert isinstance(quiet, SetUp)
    assert quiet.notes == ()


def test_every_reason_at_once() -> None:
    mps = Mps(memory_mib_of={"7": 1})
    answer = planned([Target(DIVIDED), Target("GPU-x")], mps, clients=49, mps_root=f"/{'x' * 120}")
    assert refused(answer) == [
        ("", f"{DIVIDED}: MIG is on: only its instances can be used"),
        ("", f"{DIVIDED}: 49 MPS clients are too many: 48 at most"),
        ("", "GPU-x: no such GPU on this host"),
        ("sharing.mpsConfig.defaultPerDevicePinnedMemoryLimit.7", "the configuration has no device 7"),
        ("", f"/{'x' * 120}/c-1/pipe/control is longer than the 107 bytes of a socket's address"),
    ]


@pytest.mark.parametrize(
    ("targets", "sharing", "words"),
    [
        ([], None, ["there is no device to set up"]),
        ([Target(DIVIDED, Placement(0, "4g.20gb"))], None,
         ["4g.20gb at 0 and 3g.20gb at 0 overlap in memory slice 0", "7 compute slices"]),
        ([Target(DIVIDED, Placement(2, "3g.20gb"))], None, ["3g.20gb may start at 0, 4 only"]),
        ([Target(DIVIDED, Placement(4, "1g.99gb"))], None, ["it has no MIG profile 1g.99gb, it has 1g.5gb"]),
        ([Target(DIVIDED, Placement(4, "1g.5gb")), Target(DIVIDED, Placement(4, "2g.10gb"))], None, ["overlap"]),
        ([Target(PLAIN, Placement(0, "1g.5gb"))], None, ["Tesla T4 has no MIG"]),
        ([Target(DIVIDED, Placement(0, "3g.20gb")), Target(DIVIDED, Placement(4, "3g.20gb"))], Mps(),
         ["MPS over 2 MIG instances"]),
        ([Target(WHOLE), Target(DIVIDED, Placement(0, "3g.20gb"))], None,
         ["a MIG instance can't be set up by a GpuConfig"]),
    ],
)  # fmt: skip
def test_refused(targets: list[Target], sharing: Sharing | None, words: list[str]) -> None:
    said = [message for _, message in refused(planned(targets, sharing))]
    for part in words[:1]:
        assert any(part in message for message in said), said


def test_names_that_are_none() -> None:
    survey = SimulatedHost(read_host(HOST, "plan")).survey()
    config = ClaimConfig(for_mig=False, sharing=Mps())
    answer = plan(Request(name="../../etc", targets=(Target(WHOLE), Target(WHOLE)), config=config), survey)
    assert refused(answer) == [
        ("", f"{WHOLE}: named 2 times"),
        ("", "'../../etc' can't name an MPS daemon's folder"),
    ]


def test_an_old_drivers_time_slice_is_the_default_one() -> None:
    file = read_host(HOST.replace("580.65.06", "450.80.02"), "plan")
    config = ClaimConfig(for_mig=False, sharing=TimeSlicing())
    answer = plan(Request(name="c", targets=(Target(WHOLE),), config=config), SimulatedHost(file).survey())
    assert isinstance(answer, SetUp)
    assert answer.steps == ()


def test_a_gpu_that_others_use() -> None:
    answer = planned([Target(WHOLE)], TimeSlicing(TimeSlice.LONG), in_use=[Use(WHOLE, None, Mps()), Use(PLAIN)])
    assert refused(answer) == [("", f"{WHOLE}: MPS takes the GPU for its own clients (compute mode exclusive-process)")]


def test_a_lost_gpu() -> None:
    file = read_host(HOST + "faults: [{gpu: 1, lost: true}]", "plan")
    request = Request(name="c", targets=(Target(WHOLE),), config=ClaimConfig(for_mig=False))
    assert refused(plan(request, SimulatedHost(file).survey())) == [("", f"{WHOLE}: the GPU is lost")]


def test_a_part_whose_places_nobody_has_published() -> None:
    host = SimulatedHost(read_host("gpus: [{model: RTX-PRO-5000, memoryMiB: 48935, mig: true}]", "plan"))
    survey = host.survey()
    target = Target(survey.gpus[0].uuid, Placement(0, "1g.24gb"))
    answer = plan(Request(name="c", targets=(target,), config=ClaimConfig(for_mig=True)), survey)
    assert refused(answer) == [("", f"{target.gpu}: where MIG instances lie and may lie on it isn't known")]


def test_the_undo_of_an_undo_is_the_step() -> None:
    place = Placement(0, "3g.20gb")
    setup = planned([Target(WHOLE, place)], Mps())
    turns = planned([Target(PLAIN)], TimeSlicing(TimeSlice.LONG))
    assert isinstance(setup, SetUp)
    assert isinstance(turns, SetUp)
    for step in (*setup.steps, *turns.steps):
        assert step.undo.undo == step
        assert str(step.undo) != str(step)


def test_what_the_driver_does_not_tell() -> None:
    host = SimulatedHost(read_host(HOST, "plan"))
    survey, geometry = host.survey(), host.geometry(WHOLE)
    assert isinstance(geometry, Geometry)
    silent = replace(
        survey.gpus[1], name="a GPU of tomorrow", pci_id=None, architecture=None, compute_capability=None,
        compute_mode=None, memory=None, recovery=Recovery.RESET, partial=("compute processes: timeout",),
    )  # fmt: skip
    survey = replace(survey, gpus=(silent,))
    instance = Request(name="c", targets=(Target(WHOLE, Placement(0, "1g.5gb")),), config=ClaimConfig(for_mig=True))
    answer = plan(instance, survey, geometries={WHOLE: geometry})
    assert isinstance(answer, SetUp)
    assert answer.notes[:3] == (
        f"1g.5gb at 0 of {WHOLE}: the driver wants: reset the GPU",
        f"1g.5gb at 0 of {WHOLE}: compute processes: timeout",
        (
            f"{WHOLE}: whether switching MIG on resets the GPU isn't known: it does on Ampere, and doesn't on Hopper "
            "and newer"
        ),
    )
    mps = Request(name="c", targets=(Target(WHOLE),), config=ClaimConfig(for_mig=False, sharing=Mps(memory_mib=999999)))
    answer = plan(mps, survey)
    assert isinstance(answer, SetUp)
    assert f"{WHOLE}: its compute mode now isn't known: the undo sets default" in answer.notes
    assert not any("999999" in note for note in answer.notes)  # beside what?
    busy = replace(survey, gpus=(replace(silent, processes=(Process(pid=7),)),))
    assert refused(plan(instance, busy, geometries={WHOLE: geometry})) == [
        ("", f"1g.5gb at 0 of {WHOLE}: MIG needs a GPU that no program uses, and these must end first: pid 7")
    ]


def test_mig_that_will_be_off() -> None:
    survey = SimulatedHost(read_host(HOST, "plan")).survey()
    survey = replace(survey, gpus=(replace(survey.gpus[0], mig=MigMode(current=True, pending=False)),))
    place = Placement(0, "3g.20gb")
    answer = plan(Request(name="c", targets=(Target(DIVIDED, place),), config=ClaimConfig(for_mig=True)), survey)
    assert isinstance(answer, SetUp)
    assert answer.notes == (f"3g.20gb at 0 of {DIVIDED}: MIG will be off after the next reset of the GPU",)
