"""Drivers that are missing, half there or stuck, and GPUs that are gone: the rest is shown, and they are named."""

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from aliquot.devices.hosts.nvml import process as nvml_process
from aliquot.devices.hosts.nvml.host import NvmlHost
from aliquot.devices.hosts.protocol import HostFault, Hung
from aliquot.devices.mig import Placement
from aliquot.devices.survey import Silence
from tests.devices.hosts.fake import Fake
from tests.devices.hosts.machine_root import file, pci_device

MACHINE = """
name: broken
gpus:
  - {model: A100-40GB, mig: true, minor: 0, pci: "0000:07:00.0"}
  - {model: A100-40GB, minor: 1, pci: "0000:0f:00.0"}
  - {model: A100-40GB, minor: 2, pci: "0000:47:00.0"}
"""


@pytest.fixture
def fake(tmp_path: Path) -> Iterator[Fake]:
    made = Fake(tmp_path, MACHINE)
    yield made
    made.close()
    until = time.monotonic() + 20
    while nvml_process.abandoned() and time.monotonic() < until:  # the fake's stuck calls end by SIGKILL
        time.sleep(0.02)


def test_no_driver_at_all(tmp_path: Path) -> None:
    host = NvmlHost(root=tmp_path, library=tmp_path / "libnvidia-ml.so.1")
    survey = host.survey()
    host.release()
    assert (survey.gpus, survey.unreadable, survey.driver) == ((), (), None)
    assert "there is no NVIDIA driver" in survey.troubles[0].message


@pytest.mark.parametrize(
    ("code", "message", "hint"),
    [
        (9, "kernel module isn't loaded", "modprobe nvidia"),
        (18, "have different versions", "reload the module or reboot"),
        (4, "may not be opened", "permissions"),
        (999, "without saying why", "start it anew"),
        (17, "can't be asked", ""),
    ],
)
def test_what_the_librarys_start_says(fake: Fake, code: int, message: str, hint: str) -> None:
    fake.put({"ret.nvmlInitWithFlags": code})
    survey = fake.host().survey()
    assert (survey.gpus, survey.driver_silence) == ((), Silence.LOST if code in {9, 18} else Silence.UNTOLD)
    assert message in survey.troubles[0].message
    assert hint in survey.troubles[0].hint
    with pytest.raises(HostFault):
        fake.host().create_instance("GPU-1", Placement(0, "1g.5gb"))


def test_the_modules_version_is_told(fake: Fake) -> None:
    file(
        fake.root,
        "proc/driver/nvidia/version",
        "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  570.86.15  Rel\n",
    )
    survey = fake.host().survey()
    assert survey.driver is not None
    assert (survey.driver.version, survey.driver.module) == ("580.65.06", "570.86.15")
    fake.put({"ret.nvmlInitWithFlags": 18})
    assert "(kernel module 570.86.15)" in fake.host().survey().troubles[0].message


def test_a_library_and_a_module_without_device_nodes(fake: Fake) -> None:
    file(fake.root, "proc/driver/nvidia/version", "NVRM version: NVIDIA UNIX x86_64 Kernel Module  580.65.06  Rel\n")
    fake.put({"ret.nvmlInitWithFlags": 9})
    trouble = fake.host().survey().troubles[0]
    assert "device nodes are missing" in trouble.message
    assert "nvidia-modprobe" in trouble.hint


def test_one_device_node_is_missing(fake: Fake) -> None:
    for name in ("nvidiactl", "nvidia0", "nvidia2"):
        file(fake.root, f"dev/{name}", "")
    gpus = fake.host().survey().gpus
    assert [bool(gpu.partial) for gpu in gpus] == [False, True, False]
    assert "/dev/nvidia1 is missing" in gpus[1].partial[0]


@pytest.mark.parametrize("code", [4, 15])
def test_one_gpu_may_not_be_opened_or_is_lost(fake: Fake, code: int) -> None:
    fake.put({"g1.ret.nvmlDeviceGetHandleByIndex_v2": code})
    for pci in ("0000:07:00.0", "0000:0f:00.0", "0000:47:00.0"):
        pci_device(fake.root, pci, "10de:20b0", bridge="pci0000:00", numa=3)
    survey = fake.host().survey()
    assert [(gpu.index, gpu.numa_node, gpu.pcie_root) for gpu in survey.gpus] == [
        (0, 3, "pci0000:00"),
        (2, 3, "pci0000:00"),
    ]
    assert [(each.index, each.pci) for each in survey.unreadable] == [(1, "0000:0f:00.0")]
    assert str(survey.unreadable[0].trouble).startswith("gpu 1 (0000:0f:00.0): ")


def test_a_gpu_on_the_bus_that_the_driver_does_not_count(fake: Fake) -> None:
    for pci in ("0000:07:00.0", "0000:0f:00.0", "0000:47:00.0"):
        pci_device(fake.root, pci, "10de:20b0")
    pci_device(fake.root, "0000:4e:00.0", "10de:20b0", driver="nvidia")
    pci_device(fake.root, "0000:87:00.0", "10de:20b0", driver="vfio-pci")
    pci_device(fake.root, "0000:88:00.0", "10de:1af1", "0x068000")  # an NVSwitch is no GPU
    survey = fake.host().survey()
    assert len(survey.gpus) == 3
    assert [(each.pci, each.trouble.hint) for each in survey.unreadable] == [
        ("0000:4e:00.0", "it may have failed to start: see dmesg"),
        ("0000:87:00.0", "lent to virtual machines"),
    ]
    assert {each.silence for each in survey.unreadable} == {Silence.NOT_COUNTED}


def test_a_gpu_that_hangs_is_named_and_let_be(fake: Fake) -> None:
    fake.put({"g1.sleep.nvmlDeviceGetMigMode": 600_000})
    host = fake.host(limit_s=3)
    survey = host.survey()
    assert [gpu.index for gpu in survey.gpus] == [0, 2]
    (hung,) = survey.unreadable
    assert (hung.index, hung.pci, hung.silence) == (1, "0000:0f:00.0", Silence.HUNG)
    assert "didn't answer" in hung.trouble.message
    fake.drop("g1.sleep")
    assert [each.index for each in host.survey().unreadable] == [1]  # not asked again, though it would answer
    host.release()
    assert [gpu.index for gpu in host.survey().gpus] == [0, 1, 2]


def test_a_change_that_hangs(fake: Fake) -> None:
    host = fake.host(limit_s=3)
    gpus = host.survey().gpus
    fake.put({"g0.sleep.nvmlDeviceCreateGpuInstanceWithPlacement": 600_000})
    with pytest.raises(Hung, match="within 3 s") as caught:
        host.create_instance(gpus[0].uuid, Placement(0, "1g.5gb"))
    assert caught.value.gpu == gpus[0].uuid
    with pytest.raises(Hung):
        host.destroy_instance(gpus[0].uuid, 7)
    assert [gpu.index for gpu in host.survey().gpus] == [1, 2]


def test_a_driver_that_hangs_at_its_start(fake: Fake) -> None:
    fake.put({"sleep.nvmlInitWithFlags": 600_000})
    pci_device(fake.root, "0000:07:00.0", "10de:20b0")
    host = fake.host(limit_s=3)
    survey = host.survey()
    assert "didn't answer" in survey.troubles[0].message
    assert survey.driver_silence is Silence.HUNG
    assert [each.pci for each in survey.unreadable] == ["0000:07:00.0"]
    fake.drop("sleep")
    assert "didn't answer" in host.survey().troubles[0].message  # not asked again
    host.release()
    assert len(host.survey().gpus) == 3


def test_a_slow_first_look_up_is_waited_for(fake: Fake) -> None:
    fake.put({"g0.sleep.nvmlDeviceGetHandleByIndex_v2": 1500})
    assert len(fake.host().survey().gpus) == 3


def test_after_so_many_stuck_processes_nothing_more_is_asked(fake: Fake, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nvml_process, "abandoned", lambda: nvml_process.MOST_ABANDONED)
    survey = fake.host().survey()
    assert survey.gpus == ()
    assert "4 processes that asked the driver are stuck in it" in survey.troubles[0].message


def test_what_proc_says_of_processes(fake: Fake) -> None:
    container, pod = "a1" * 32, "0f0e0d0c-1111-2222-3333-444455556666"
    fake.put({"g1.proc.0": f"0 4242 {2**64 - 1} {2**32 - 1} {2**32 - 1}"})
    file(fake.root, "proc/4242/comm", "python3\n")
    group = f"0::/kubepods.slice/kubepods-pod{pod.replace('-', '_')}.slice/cri-containerd-{container}.scope\n"
    file(fake.root, "proc/4242/cgroup", group)
    (process,) = fake.host().survey().gpus[1].processes
    assert (process.name, process.container, process.pod) == ("python3", container, pod)


def test_the_kernels_log_knows_the_xids_of_before(fake: Fake) -> None:
    file(
        fake.root,
        "dev/kmsg",
        "4,1,2,-;NVRM: Xid (PCI:0000:0f:00): 79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus.\n"
        "6,2,3,-;usb 1-1: new device\n"
        "4,3,4,-;NVRM: Xid (PCI:0000:07:00 GPU-I:05 GPU-CI:00): 94, pid=7194, name=python3, Contained: SM\n"
        "4,4,5,-;NVRM: Xid (PCI:0000:aa:00): 13, Graphics Exception\n",
    )
    survey = fake.host().survey()
    uuids = [gpu.uuid for gpu in survey.gpus]
    assert [(each.gpu, each.number, each.gi, each.ci) for each in survey.xids] == [
        (uuids[1], 79, None, None),
        (uuids[0], 94, 5, 0),
        ("0000:aa:00.0", 13, None, None),
    ]
