"""Old and new drivers: functions that are missing, structs that have versions."""

from pathlib import Path

from aliquot.devices.instances import Instance
from aliquot.devices.mig import Geometry, Placement
from tests.devices.hosts.fake import TRAPS, Fake, old


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
    fake.put({"g1.throttle": 0x40})
    gpu = fake.host().survey().gpus[1]
    assert (gpu.throttled, gpu.processes_unknown) == (("heat (hardware)",), True)
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
    fake = Fake(tmp_path, TRAPS)
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
