"""MIG as real NVML does it: what succeeds and changes nothing, what is left behind, what others see."""

import pytest

from aliquot.devices.hosts.protocol import Refused, Why
from aliquot.devices.instances import Instance, MigMode, placements_of
from aliquot.devices.mig import Geometry, Placement
from tests.devices.hosts.fake import Fake


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
    assert any(each.startswith("memory unknown: ") for each in gpu.partial)


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
