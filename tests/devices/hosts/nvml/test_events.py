"""Lost GPUs, events, and a library that crashes."""

import pytest

from aliquot.devices.gpu import ComputeMode
from aliquot.devices.hosts.protocol import GpuLost, HostFault
from aliquot.devices.instances import Instance
from aliquot.devices.mig import Placement
from tests.devices.hosts.fake import NONE_32, Fake


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
