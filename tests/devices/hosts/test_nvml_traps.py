"""What real NVML does that a naive fake wouldn't: the fake is switched to it, and the host lives with it."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from aliquot.devices.gpu import ComputeMode, Recovery
from aliquot.devices.hosts.protocol import GpuLost, HostFault, Refused, Why
from aliquot.devices.instances import Instance, MigMode, placements_of
from aliquot.devices.mig import Geometry, Placement
from tests.devices.hosts.fake import Fake

MACHINE = """
name: traps
gpus:
  - {model: A100-40GB, mig: true, minor: 5, pci: "0000:07:00.0"}
  - {model: H100-SXM-80GB, minor: 2, pci: "0001:0f:00.0", links: 6, ecc: true}
  - {model: A100-80GB, minor: 0, pci: "0000:47:00.0"}
"""
NONE_32 = 2**32 - 1


@pytest.fixture
def fake(tmp_path: Path) -> Iterator[Fake]:
    made = Fake(tmp_path, MACHINE)
    yield made
    made.close()


def old(tmp_path: Path, *missing: str) -> Fake:
    return Fake(tmp_path, MACHINE, missing=missing)


# --- symbols and versions ------------------------------------------------------------------------------------------
def test_an_old_driver_lacks_functions(tmp_path: Path) -> None:
    fake = old(
        tmp_path,
        "nvmlDeviceGetMemoryInfo_v2",
        "nvmlDeviceGetCurrentClocksEventReasons",
        "nvmlDeviceGetComputeRunningProcesses_v3",
        "nvmlDeviceGetMPSComputeRunningProcesses_v3",
        "nvmlDeviceGetRemappedRows",
        "nvmlDeviceGetFieldValues",
        "nvmlDeviceGetArchitecture",
    )
    gpu = fake.host().survey().gpus[1]
    assert gpu.memory is not None
    assert (gpu.memory.total >> 20, gpu.memory.reserved) == (81559, None)
    assert (gpu.processes, gpu.recovery, gpu.architecture, gpu.partial) == ((), None, None, ())
    fake.close()


def test_profiles_by_the_old_call_have_no_names(tmp_path: Path) -> None:
    fake = old(tmp_path, "nvmlDeviceGetGpuInstanceProfileInfoV", "nvmlGpuInstanceGetComputeInstanceProfileInfoV")
    host = fake.host()
    gpu = host.survey().gpus[0].uuid
    geometry = host.geometry(gpu)
    assert isinstance(geometry, Geometry)
    assert [profile.name for profile in geometry.profiles] == [
        "1g.5gb", "1g.5gb+me", "1g.10gb", "2g.10gb", "3g.20gb", "4g.20gb", "7g.40gb",
    ]  # fmt: skip
    assert isinstance(host.create_instance(gpu, Placement(4, "3g.20gb")), Instance)
    fake.close()


def test_a_library_that_knows_fewer_profiles(fake: Fake) -> None:
    fake.put({"profile_count": 8})
    host = fake.host()
    geometry = host.geometry(host.survey().gpus[0].uuid)
    assert isinstance(geometry, Geometry)
    assert "1g.10gb" not in {profile.name for profile in geometry.profiles}
    assert "1g.5gb+me" in {profile.name for profile in geometry.profiles}


def test_memory_with_and_without_the_drivers_share(tmp_path: Path) -> None:
    fake = Fake(tmp_path, MACHINE)
    fake.put({"g1.reserved": 600 << 20, "g1.used": 100 << 20})
    memory = fake.host().survey().gpus[1].memory
    assert memory is not None
    assert (memory.used >> 20, (memory.reserved or 0) >> 20) == (100, 600)
    fake.close()
    elsewhere = tmp_path / "old"
    elsewhere.mkdir()
    before = old(elsewhere, "nvmlDeviceGetMemoryInfo_v2")
    before.put({"g1.reserved": 600 << 20, "g1.used": 100 << 20})
    memory = before.host().survey().gpus[1].memory
    assert memory is not None
    assert (memory.used >> 20, memory.reserved) == (700, None)
    before.close()


# --- sizes, codes, ends of lists -----------------------------------------------------------------------------------
@pytest.mark.parametrize("growing", [0, 1, 2])
def test_the_process_list_grows_between_the_calls(fake: Fake, growing: int) -> None:
    fake.put({f"g2.proc.{n}": f"0 {100 + n} {2**64 - 1} {NONE_32} {NONE_32}" for n in range(9)})
    fake.put({"processes_grow": growing})
    processes = fake.host().survey().gpus[2].processes
    assert [(each.pid, each.memory, each.gi) for each in processes] == [(100 + n, None, None) for n in range(9)]


@pytest.mark.parametrize("code", [2, 3])
def test_both_codes_end_the_links(fake: Fake, code: int) -> None:
    fake.put({"link_end": code, "g1.link.2": 0})
    gpu = fake.host().survey().gpus[1]
    assert [link.active for link in gpu.links] == [True, True, False, True, True, True]
    assert gpu.links[0].remote_pci == "0000:c6:00.0"
    assert gpu.links[2].remote_pci is None
    assert gpu.partial == ()


@pytest.mark.parametrize("count", [0, 4])
def test_links_that_are_counted_end_there(fake: Fake, count: int) -> None:
    fake.put({"g1.field.91": count})  # the driver has states for more than are wired
    assert len(fake.host().survey().gpus[1].links) == count


def test_a_field_fails_though_the_call_succeeds(fake: Fake) -> None:
    fake.drop("g1.field.230")
    fake.put({"g0.field.230": 2, "g2.field.230": 17})
    assert [gpu.recovery for gpu in fake.host().survey().gpus] == [Recovery.REBOOT, None, Recovery.UNKNOWN]


def test_one_question_that_fails_spoils_nothing(fake: Fake) -> None:
    fake.put({"g1.ret.nvmlDeviceGetTemperature": 999, "g1.ret.nvmlDeviceGetPowerUsage": 3})
    gpu = fake.host().survey().gpus[1]
    assert (gpu.temperature_c, gpu.power_w) == (None, None)
    assert len(gpu.partial) == 1
    assert gpu.partial[0].startswith("temperature: ")


# --- identity ------------------------------------------------------------------------------------------------------
def test_addresses_minors_and_indexes(fake: Fake) -> None:
    gpus = fake.host().survey().gpus
    assert [(gpu.index, gpu.minor, gpu.pci) for gpu in gpus] == [
        (0, 5, "0000:07:00.0"),
        (1, 2, "0001:0f:00.0"),
        (2, 0, "0000:47:00.0"),
    ]


def test_a_domain_beyond_four_digits(fake: Fake) -> None:
    fake.put({"g1.pci": "00010000:0F:00.0"})
    assert fake.host().survey().gpus[1].pci == "10000:0f:00.0"


def test_names_drift_and_ids_do_not(fake: Fake) -> None:
    fake.put({"g0.name": "A100-SXM4-40GB", "g1.name": "Something Else"})
    assert [gpu.model.key for gpu in fake.host().survey().gpus if gpu.model] == [
        "A100-40GB", "H100-SXM-80GB", "A100-80GB",
    ]  # fmt: skip


def test_a_gpu_that_no_catalogue_knows(fake: Fake) -> None:
    fake.put({"g0.name": "NVIDIA X900", "g0.pciid": "0xfffe10de"})
    host = fake.host()
    gpu = host.survey().gpus[0]
    assert gpu.model is None
    geometry = host.geometry(gpu.uuid)
    assert isinstance(geometry, Geometry)
    assert (geometry.key, geometry.memory_units, len(geometry.profiles)) == ("NVIDIA X900", 8, 7)
    assert isinstance(host.create_instance(gpu.uuid, Placement(0, "3g.20gb")), Instance)


def test_a_mig_toggle_may_renumber(fake: Fake) -> None:
    fake.put({"g1.minor_after_mig": 9})
    host = fake.host()
    gpu = host.survey().gpus[1].uuid
    assert host.set_mig_mode(gpu, enabled=True) == MigMode(current=True, pending=True)
    assert host.survey().gpus[1].minor == 9


# --- MIG -----------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(("status", "why"), [(16, Why.NEEDS_RESET), (3, Why.NEEDS_RESET), (19, Why.IN_USE)])
def test_success_with_the_truth_elsewhere(fake: Fake, status: int, why: Why) -> None:
    fake.put({"activation": status})
    host = fake.host()
    answer = host.set_mig_mode(host.survey().gpus[2].uuid, enabled=True)
    assert isinstance(answer, Refused)
    assert (answer.why, answer.code) == (why, status)
    assert host.survey().gpus[2].mig == MigMode(current=False, pending=True)


def test_an_event_session_of_our_own_is_let_go_before_a_mode_change(fake: Fake) -> None:
    fake.put({"sessions_hold": 1})
    host = fake.host()
    gpu = host.survey().gpus[2].uuid
    assert host.events(0) == ()
    assert host.set_mig_mode(gpu, enabled=True) == MigMode(current=True, pending=True)


def test_another_session_holds_the_gpu(fake: Fake) -> None:
    fake.put({"sessions_hold": 1})
    host, other = fake.host(), fake.host()
    gpu = host.survey().gpus[2].uuid
    other.survey()
    answer = host.set_mig_mode(gpu, enabled=True)
    assert isinstance(answer, Refused)
    assert answer.why is Why.IN_USE
    other.release()
    assert host.set_mig_mode(gpu, enabled=True) == MigMode(current=True, pending=True)


@pytest.mark.parametrize("code", [2, 3, 23])
def test_the_code_for_a_bad_place_does_not_matter(fake: Fake, code: int) -> None:
    fake.put({"bad_place": code})
    host = fake.host()
    answer = host.create_instance(host.survey().gpus[0].uuid, Placement(3, "3g.20gb"))
    assert isinstance(answer, Refused)
    assert answer.why is Why.BAD_PLACEMENT


@pytest.mark.parametrize("code", [2, 23])
def test_the_code_for_no_room_does_not_matter(fake: Fake, code: int) -> None:
    host = fake.host()
    gpu = host.survey().gpus[0].uuid
    assert isinstance(host.create_instance(gpu, Placement(0, "3g.20gb")), Instance)
    fake.put({"g0.ret.nvmlDeviceCreateGpuInstanceWithPlacement": code})
    answer = host.create_instance(gpu, Placement(0, "4g.20gb"))
    assert isinstance(answer, Refused)
    assert answer.why is Why.NO_ROOM


def test_profiles_that_are_told_with_mig_on_only(fake: Fake) -> None:
    fake.put({"g2.field.199": 0})
    host = fake.host()
    gpu = host.survey().gpus[2].uuid
    answer = host.geometry(gpu)
    assert isinstance(answer, Refused)
    assert answer.why is Why.MIG_OFF
    assert host.set_mig_mode(gpu, enabled=True) == MigMode(current=True, pending=True)
    assert isinstance(host.geometry(gpu), Geometry)


def test_no_gpu_instance_stays_when_its_compute_instance_fails(fake: Fake) -> None:
    fake.put({"g0.ret.nvmlGpuInstanceCreateComputeInstance": 23})
    host = fake.host()
    gpu = host.survey().gpus[0].uuid
    answer = host.create_instance(gpu, Placement(0, "3g.20gb"))
    assert isinstance(answer, Refused)
    assert host.survey().gpus[0].instances == ()
    fake.put({"g0.ret.nvmlGpuInstanceDestroy": 19})
    answer = host.create_instance(gpu, Placement(0, "3g.20gb"))
    assert isinstance(answer, Refused)
    assert "GPU instance 1 is left" in answer.message
    left = host.survey().gpus[0].instances
    assert [(each.id, each.profile, each.compute) for each in left] == [(1, "3g.20gb", ())]
    fake.drop("g0.ret.nvmlGpuInstanceDestroy")
    assert host.destroy_instance(gpu, 1) is None
    assert host.survey().gpus[0].instances == ()


def test_holders_that_nobody_sees_let_go_later(fake: Fake) -> None:
    host = fake.host()
    gpu = host.survey().gpus[0].uuid
    made = host.create_instance(gpu, Placement(0, "3g.20gb"))
    assert isinstance(made, Instance)
    fake.put({f"g0.leaked.{made.id}": 1})
    refused = host.destroy_instance(gpu, made.id)
    assert isinstance(refused, Refused)
    assert refused.why is Why.IN_USE
    assert host.destroy_instance(gpu, made.id) is None
    again = host.create_instance(gpu, Placement(0, "3g.20gb"))
    assert isinstance(again, Instance)
    fake.put({f"g0.held.{again.id}": 1})  # the compute instance goes, the GPU instance doesn't
    assert isinstance(host.destroy_instance(gpu, again.id), Refused)
    assert host.survey().gpus[0].instances[0].compute == ()
    fake.drop("g0.held")
    assert host.destroy_instance(gpu, again.id) is None


@pytest.mark.parametrize("stale", [0, 1])
def test_an_old_session_sees_what_others_made(fake: Fake, stale: int) -> None:
    fake.put({"stale": stale})
    host, other = fake.host(), fake.host()
    gpu = host.survey().gpus[0].uuid
    assert isinstance(other.create_instance(gpu, Placement(4, "3g.20gb")), Instance)
    assert placements_of(host.survey().gpus[0].instances) == (Placement(4, "3g.20gb"),)


@pytest.mark.parametrize("step", [1, 2, 3])
def test_holes_in_the_walk_of_an_unprivileged_caller(fake: Fake, step: int) -> None:
    host = fake.host()
    gpu = host.survey().gpus[0].uuid
    for start in (0, 6):
        assert isinstance(host.create_instance(gpu, Placement(start, "1g.5gb")), Instance)
    fake.put({"privileged": 0, "mig_index_step": step})
    weak = fake.host()
    instances = weak.survey().gpus[0].instances
    assert [(each.id, each.profile, each.start, each.memory_mib) for each in instances] == [
        (7, "1g.5gb", None, 4864),
        (13, "1g.5gb", None, 4864),
    ]
    answer = weak.create_instance(gpu, Placement(1, "1g.5gb"))
    assert isinstance(answer, Refused)
    assert answer.why is Why.NO_PERMISSION


def test_a_container_that_has_one_instance_only(fake: Fake) -> None:
    fake.put({"g0.foreign_parent": 1})
    gpu = fake.host().survey().gpus[0]
    assert gpu.memory is None
    assert any(each.startswith("memory: ") for each in gpu.partial)


def test_instances_are_gone_after_a_reboot_and_only_ampere_keeps_the_mode(fake: Fake) -> None:
    host = fake.host()
    gpus = host.survey().gpus
    assert isinstance(host.create_instance(gpus[0].uuid, Placement(0, "1g.5gb")), Instance)
    assert isinstance(host.set_mig_mode(gpus[1].uuid, enabled=True), MigMode)
    fake.drop("g0.gi")
    fake.drop("g0.ci")
    fake.put({"g1.mig": 0, "g1.mig_pending": 0})  # what a reload of the driver does
    host.release()
    after = host.survey().gpus
    assert (after[0].instances, after[0].mig_enabled, after[1].mig_enabled) == ((), True, False)
    refused = host.create_instance(gpus[1].uuid, Placement(0, "1g.10gb"))
    assert isinstance(refused, Refused)
    assert refused.why is Why.MIG_OFF


# --- lost, hung, events --------------------------------------------------------------------------------------------
@pytest.mark.parametrize("spoils", [0, 1])
def test_a_lost_gpu_and_look_ups_by_uuid(fake: Fake, spoils: int) -> None:
    host = fake.host()
    gpus = host.survey().gpus
    fake.put({"g2.lost": 1, "lost_spoils_uuid": spoils})
    assert isinstance(host.create_instance(gpus[0].uuid, Placement(0, "1g.5gb")), Instance)
    with pytest.raises(GpuLost, match="lost"):
        host.set_compute_mode(gpus[2].uuid, ComputeMode.PROHIBITED)
    survey = host.survey()
    assert [gpu.index for gpu in survey.gpus] == [0, 1]
    assert survey.unreadable[0].index == 2


def test_a_wait_that_says_lost_and_not_which(fake: Fake) -> None:
    host = fake.host()
    uuids = [gpu.uuid for gpu in host.survey().gpus]
    assert host.events(0) == ()
    fake.put({"event.0": "-1 0 0 0", "g1.lost": 1})
    with pytest.raises(GpuLost) as caught:
        host.events(1)
    assert caught.value.gpu == uuids[1]


def test_events_of_instances_and_of_a_time_before(fake: Fake) -> None:
    fake.put({"event.0": f"0 48 {NONE_32} {NONE_32}"})
    host = fake.host()
    gpu = host.survey().gpus[0].uuid
    assert host.events(0) == ()  # before the first call: only the kernel's log has it
    fake.put({"event.1": "0 94 1 0", "event.2": "2 999 0 0"})  # zeros on a GPU without MIG
    told = host.events(1)
    assert [(each.gpu == gpu, each.number, each.gi, each.ci) for each in told] == [
        (True, 94, 1, 0),
        (False, 999, None, None),
    ]


def test_a_part_without_events(fake: Fake) -> None:
    fake.put({"g1.events": 0})
    host = fake.host()
    assert host.events(0) == ()
    fake.put({"event.0": f"0 13 {NONE_32} {NONE_32}"})
    assert [each.number for each in host.events(1)] == [13]


def test_a_library_that_crashes(fake: Fake) -> None:
    host = fake.host()
    fake.state.unlink()  # the fake aborts
    survey = host.survey()
    assert survey.gpus == ()
    assert "ended the process" in survey.troubles[0].message
    with pytest.raises(HostFault):
        host.set_compute_mode("GPU-1", ComputeMode.DEFAULT)


# --- activity ------------------------------------------------------------------------------------------------------
def test_counters_without_a_value_are_left_out(fake: Fake) -> None:
    fake.put({"g1.metric.2": "nan", "g1.metric.3": 12.5, "g1.metric.10": 100})
    host = fake.host()
    (answer,) = host.activity(host.survey().gpus[1].uuid)
    assert (answer.busy, answer.sm, answer.occupancy, answer.tensor, answer.dram) == (0.0, None, 0.125, None, 1.0)


def test_activity_of_an_old_driver(tmp_path: Path) -> None:
    fake = old(tmp_path, "nvmlGpmQueryDeviceSupport")
    fake.put({"g1.utilisation": 25})
    host = fake.host()
    assert [each.busy for each in host.activity(host.survey().gpus[1].uuid)] == [0.25]
    fake.close()


# --- nvidia-smi ----------------------------------------------------------------------------------------------------
def smi(fake: Fake, script: str) -> None:
    folder = fake.root / "usr/bin"
    folder.mkdir(parents=True, exist_ok=True)
    program = folder / "nvidia-smi"
    program.write_text(f"#!/bin/sh\n{script}\n", encoding="ascii")
    program.chmod(0o755)


def test_time_slices_through_nvidia_smi(fake: Fake) -> None:
    from aliquot.devices.gpu import TimeSlice

    host = fake.host()
    gpus = host.survey().gpus
    smi(fake, f'echo "$@" > {fake.folder}/asked; echo "Successfully set timeslice"')
    assert host.set_time_slice(gpus[1].uuid, TimeSlice.LONG) is None
    assert (fake.folder / "asked").read_text().split() == ["compute-policy", "-i", gpus[1].uuid, "--set-timeslice", "3"]
    assert host.survey().gpus[1].time_slice is TimeSlice.LONG
    refused = host.set_time_slice(gpus[0].uuid, TimeSlice.LONG)
    assert isinstance(refused, Refused)
    assert refused.why is Why.NOT_SUPPORTED
    smi(fake, 'echo "Failed to set timeslice: Not Supported"; exit 0')
    refused = host.set_time_slice(gpus[1].uuid, TimeSlice.SHORT)
    assert isinstance(refused, Refused)
    assert refused.why is Why.NOT_SUPPORTED
    smi(fake, "exit 9")
    refused = host.set_time_slice(gpus[1].uuid, TimeSlice.SHORT)
    assert isinstance(refused, Refused)
    assert refused.message.startswith("nvidia-smi ended with 9")


def test_a_reset_lets_go_first(fake: Fake) -> None:
    host = fake.host()
    gpu = host.survey().gpus[2].uuid
    smi(fake, f"grep -c ^session. {fake.state} > {fake.folder}/sessions; echo All done.")
    assert host.reset(gpu) is None
    assert (fake.folder / "sessions").read_text().strip() == "0"
    smi(fake, 'echo "GPU 00000000:47:00.0 is currently in use by one or more other processes"; exit 19')
    refused = host.reset(gpu)
    assert isinstance(refused, Refused)
    assert refused.why is Why.IN_USE


def test_without_nvidia_smi(fake: Fake, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(fake.folder))
    assert shutil.which("nvidia-smi") is None
    with pytest.raises(HostFault, match="no nvidia-smi"):
        fake.host().reset("GPU-1")
