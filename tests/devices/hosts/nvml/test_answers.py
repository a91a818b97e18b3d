"""How NVML answers: sizes asked first, codes that differ by call, success with the truth elsewhere; who a GPU is."""

import pytest

from aliquot.devices.gpu import Recovery
from aliquot.devices.instances import Instance, MigMode
from aliquot.devices.mig import Geometry, Placement
from tests.devices.hosts.fake import NONE_32, Fake


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
    assert gpu.partial[0].startswith("temperature unknown: ")


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
