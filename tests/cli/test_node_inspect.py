"""`aliquot node inspect`, `node presets` and `mig list`: what they print of simulated, fake and broken machines."""

import json
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from aliquot.cli.entry import run
from aliquot.devices.hosts.nvml import host as nvml
from aliquot.devices.hosts.nvml import process as nvml_process
from aliquot.devices.hosts.simulated.file import read_host
from aliquot.devices.hosts.simulated.host import SimulatedHost
from aliquot.devices.hosts.simulated.presets import preset_names
from aliquot.devices.mig import Placement
from tests.devices.hosts.fake import Fake
from tests.devices.hosts.machine_root import class_device, file, pci_device

MACHINE = """
name: cli
gpus:
  - {model: A100-40GB, mig: true, minor: 3, pci: "0000:07:00.0", instances: [3g.20gb@0],
     processes: [{pid: 77, start: 0, memoryMiB: 1024}]}
  - {model: H100-SXM-80GB, minor: 1, pci: "0000:87:00.0", links: 18, ecc: true}
  - {model: T4, minor: 0, pci: "0000:b7:00.0"}
"""


def call(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    status = run(list(words))
    out, err = capsys.readouterr()
    assert "Traceback" not in out + err
    return status, out, err


@pytest.fixture
def fake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Fake]:
    """A machine whose dynamic linker finds the fake library, as it would find a driver's."""
    made = Fake(tmp_path, MACHINE)
    monkeypatch.setenv("FAKE_NVML_STATE", str(made.state))
    monkeypatch.setenv("LD_LIBRARY_PATH", str(made.library.parent))
    original = nvml.NvmlHost.__init__

    def below(self: nvml.NvmlHost, **options: object) -> None:
        original(self, **{"root": made.root, "limit_s": 3.0, **options})  # type: ignore[arg-type]

    monkeypatch.setattr(nvml.NvmlHost, "__init__", below)
    yield made
    until = time.monotonic() + 20
    while nvml_process.abandoned() and time.monotonic() < until:
        time.sleep(0.02)


def test_a_simulated_node(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, err = call(capsys, "node", "inspect", "--host", "preset:mixed")
    assert (status, err) == (0, "")
    for part in (
        "driver   580.65.06, CUDA up to 13.0",
        "NVIDIA A100-SXM4-40GB  0000:07:00.0  0     15.0 GiB  40.0 GiB  on   default       35 °C  60 of 400 W",
        "  layout   [3g.20gb-----------------------][1g.5gb].       .       .\n",
        "  free     1g.5gb at 5, 6; 1g.5gb+me at 5, 6; 1g.10gb at 6 (as the simulated driver 580.65.06 tells)",
        "  free     nothing fits (as the simulated driver 580.65.06 tells)",
        "  runs     pid 41021, python3, 15.0 GiB, on instance 1 (3g.20gb)",
        "mlx5_0 on the same root",
        "up, 100 Gb/s",
        "nothing is wrong",
    ):
        assert part in out


def test_a_node_with_nvswitch(capsys: pytest.CaptureFixture[str]) -> None:
    out = call(capsys, "node", "inspect", "--host", "preset:dgx-a100")[1]
    assert out.count("12 of 12 NVLinks up to switch; mlx5_") == 8


@pytest.mark.parametrize("output", ["json", "yaml"])
@pytest.mark.parametrize("preset", preset_names())
def test_for_programs(capsys: pytest.CaptureFixture[str], preset: str, output: str) -> None:
    out = call(capsys, "node", "inspect", "--host", f"preset:{preset}", "-o", output)[1]
    answer = json.loads(out) if output == "json" else yaml.safe_load(out)
    assert answer["host"] == f"preset:{preset}"
    for gpu in answer["gpus"]:
        assert gpu["uuid"].startswith("GPU-")
        assert gpu["memory"]["total"] > 0
        assert (gpu["migProfiles"] is not None) == (gpu["mig"] is not None)


def test_json_names_and_numbers(capsys: pytest.CaptureFixture[str]) -> None:
    answer = json.loads(call(capsys, "node", "inspect", "--host", "preset:mixed", "-o", "json")[1])
    gpu = answer["gpus"][0]
    assert (gpu["pciId"], gpu["minor"], gpu["mig"]) == ("10de:20b0", 1, {"current": True, "pending": True})
    assert [(each["profile"], each["start"], each["memoryMiB"]) for each in gpu["instances"]] == [
        ("3g.20gb", 0, 19968),
        ("1g.5gb", 4, 4864),
    ]
    profiles = {each["name"]: each for each in gpu["migProfiles"]["profiles"]}
    assert (profiles["1g.5gb"]["free"], profiles["3g.20gb"]["free"]) == ([5, 6], [])
    assert gpu["migProfiles"]["source"] == "node"


def test_a_host_file_with_state(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "host.yaml"
    path.write_text(MACHINE, encoding="ascii")
    assert call(capsys, "node", "inspect", "--host", f"sim:{path}")[0] == 0
    assert sorted(each.name for each in tmp_path.iterdir()) == ["host.yaml"]  # looking leaves nothing behind
    host = SimulatedHost(read_host(MACHINE, "x"), state=tmp_path / "host.yaml.state")
    host.create_instance(host.survey().gpus[0].uuid, Placement(4, "1g.5gb"))
    assert "[1g.5gb]" in call(capsys, "mig", "list", "--host", f"sim:{path}")[1]
    (tmp_path / "host.yaml.state").write_text("[", encoding="ascii")
    status, _, err = call(capsys, "node", "inspect", "--host", f"sim:{path}")
    assert status == 2
    assert "holds no state" in err


def test_presets_are_listed_and_printed(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    status, out, _ = call(capsys, "node", "presets")
    assert (status, len(out.splitlines())) == (0, len(preset_names()))
    status, out, _ = call(capsys, "node", "presets", "hgx-h200")
    assert status == 0
    path = tmp_path / "mine.yaml"
    path.write_text(out, encoding="utf-8")
    answer = json.loads(call(capsys, "node", "inspect", "--host", f"sim:{path}", "-o", "json")[1])
    assert [gpu["memory"]["total"] >> 20 for gpu in answer["gpus"]] == [143771] * 8
    status, _, err = call(capsys, "node", "presets", "dgx")
    assert status == 2
    assert "dgx-a100" in err


@pytest.mark.parametrize(
    ("host", "part"),
    [
        ("tpu", "--host: 'tpu' isn't known"),
        ("sim:", "--host nvml, sim:FILE, preset:NAME or sysfs:DIR"),
        ("sim:/nowhere/host.yaml", "can't read /nowhere/host.yaml"),
        ("preset:dgx", "there is no preset 'dgx'"),
    ],
)
@pytest.mark.parametrize("command", [("node", "inspect"), ("mig", "list")])
def test_hosts_that_are_none(
    capsys: pytest.CaptureFixture[str], command: tuple[str, str], host: str, part: str
) -> None:
    status, out, err = call(capsys, *command, "--host", host)
    assert (status, out) == (2, "")
    assert part in err


def test_a_broken_host_file_tells_all_its_faults(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "host.yaml"
    path.write_text("gpus: [{model: A100-40, mig: yes please}, {model: T4, mig: true}]\ncolor: red", encoding="ascii")
    status, _, err = call(capsys, "node", "inspect", "--host", f"sim:{path}")
    assert status == 2
    for part in ("gpus[0].model: ", "gpus[0].mig: ", "gpus[1].mig: T4 has no MIG", "color: no such field"):
        assert f"{path}: {part}" in err
    path.write_bytes(b"\xff\xfe")
    assert "isn't UTF-8" in call(capsys, "node", "inspect", "--host", f"sim:{path}")[2]


# --- over the library ------------------------------------------------------------------------------------------------
def test_a_machine_with_a_driver(capsys: pytest.CaptureFixture[str], fake: Fake) -> None:
    nic = pci_device(fake.root, "0000:8a:00.0", "15b3:1021", "0x020000", bridge="pci0000:80")
    class_device(fake.root, "net", "eth0", nic, operstate="up")
    for pci, root in (("0000:07:00.0", "00"), ("0000:87:00.0", "80"), ("0000:b7:00.0", "a0")):
        pci_device(fake.root, pci, "10de:20b0", bridge=f"pci0000:{root}", numa=0)
    status, out, _ = call(capsys, "node", "inspect")
    assert status == 0, out
    assert "host     nvml\ndriver   580.65.06, CUDA up to 13.0" in out
    assert "18 of 18 NVLinks up to switch; eth0 on the same root" in out
    assert "holds    3g.20gb at 0, id 1, 19.5 GiB, MIG-" in out
    assert "/dev/nvidia3" in out
    status, out, _ = call(capsys, "mig", "list", "-o", "json")
    assert status == 0
    rows = json.loads(out)["gpus"]
    assert [(row["index"], len(row["instances"]), row["migProfiles"]["source"]) for row in rows] == [
        (0, 1, "node"),
        (1, 0, "node"),
    ]


def test_a_machine_without_a_driver(
    capsys: pytest.CaptureFixture[str], fake: Fake, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = nvml.NvmlHost.__init__
    missing = fake.folder / "libnvidia-ml.so.1"  # none there: also on a machine that has a driver
    monkeypatch.setattr(nvml.NvmlHost, "__init__", lambda self: plain(self, library=missing))
    pci_device(fake.root, "0000:07:00.0", "10de:20b0")
    nic = pci_device(fake.root, "0000:8a:00.0", "15b3:1021", "0x020000")
    class_device(fake.root, "net", "eth0", nic, operstate="up")
    status, out, _ = call(capsys, "node", "inspect")
    assert status == 1
    assert "there is no NVIDIA driver: libnvidia-ml.so.1 wasn't found (install the driver;" in out
    assert "-    seen on the bus only  0000:07:00.0" in out
    assert "gpu at 0000:07:00.0: A100-40GB by its PCI id, 10de:20b0, bound to no driver: nothing else is known" in out
    assert "eth0" in out
    status, out, err = call(capsys, "mig", "list")
    assert (status, out) == (1, "gpu at 0000:07:00.0  whether it has MIG is unknown\n")
    assert "there is no NVIDIA driver" in err


def test_one_gpu_hangs_and_one_is_lost(capsys: pytest.CaptureFixture[str], fake: Fake) -> None:
    fake.put({"g1.sleep.nvmlDeviceGetPowerUsage": 600_000, "g2.lost": 1})
    status, out, _ = call(capsys, "node", "inspect")
    assert status == 1
    assert "gpu 0  GPU-" in out
    assert "  gpu 1 (0000:87:00.0): the driver didn't answer within 3 s when it was asked how the GPU stands" in out
    assert "1    doesn't answer         0000:87:00.0  -     -        -         unknown" in out
    assert "  gpu 2: the GPU is lost" in out
    answer = json.loads(call(capsys, "node", "inspect", "-o", "json")[1])
    assert [each["index"] for each in answer["gpus"]] == [0]
    assert [each["index"] for each in answer["unreadable"]] == [1, 2]


def test_half_a_driver(capsys: pytest.CaptureFixture[str], fake: Fake) -> None:
    version = fake.root / "proc/driver/nvidia/version"
    version.parent.mkdir(parents=True)
    version.write_text("NVRM version: NVIDIA UNIX x86_64 Kernel Module  570.86.15  Release\n", encoding="ascii")
    assert "the driver's library is 580.65.06, its kernel module 570.86.15" in call(capsys, "node", "inspect")[1]
    fake.put({"ret.nvmlInitWithFlags": 18})
    assert "different versions (kernel module 570.86.15) (after an upgrade" in call(capsys, "node", "inspect")[1]
    fake.put({"ret.nvmlInitWithFlags": 9})
    assert "device nodes are missing" in call(capsys, "node", "inspect")[1]


def test_what_is_wrong_is_told_a_line_each(capsys: pytest.CaptureFixture[str], fake: Fake) -> None:
    fake.put(
        {
            "g1.field.230": 1, "g1.throttle": 0x48, "g1.uncorrected": 3, "g1.rows": "0 1 1 1", "g1.ecc_pending": 0,
            "g1.link.4": 0, "g1.mig_pending": 1, "g0.ret.nvmlDeviceGetPersistenceMode": 999,
        }
    )  # fmt: skip
    fake.drop("g0.ci.1.0")
    kmsg = fake.root / "dev/kmsg"
    kmsg.parent.mkdir(parents=True, exist_ok=True)
    kmsg.write_text("x;NVRM: Xid (PCI:0000:87:00): 79, off\n" * 2 + "x;NVRM: Xid (PCI:0000:07:00 GPU-I:01): 94, a\n")
    status, out, _ = call(capsys, "node", "inspect")
    assert status == 1
    wrong = out.partition("wrong:\n")[2].splitlines()
    for part in (
        "gpu 0 (0000:07:00.0): instance 1 (3g.20gb) has no compute instance (a leftover: destroy it)",
        "gpu 0 (0000:07:00.0): persistence unknown: the driver answered ",
        "gpu 1 (0000:87:00.0): MIG on is pending",
        "gpu 1 (0000:87:00.0): ECC off is pending",
        "gpu 1 (0000:87:00.0): NVLink 4 of 18 down",
        "gpu 1 (0000:87:00.0): the driver wants: reset the GPU",
        "gpu 1 (0000:87:00.0): a memory row couldn't be remapped",
        "gpu 1 (0000:87:00.0): a memory row waits to be remapped",
        "gpu 1 (0000:87:00.0): 3 uncorrected memory errors",
        "gpu 1 (0000:87:00.0): clocks are held back: hardware slowdown, heat (hardware)",
        "gpu 1 (0000:87:00.0): XID 79, 2 times: the GPU fell off the bus",
        "gpu 0 (0000:07:00.0): XID 94 on instance 1: ",
    ):
        assert sum(line.strip().startswith(part) for line in wrong) == 1, (part, wrong)


def test_mig_on_without_instances_and_shared_gpus(capsys: pytest.CaptureFixture[str], fake: Fake) -> None:
    none = 2**32 - 1
    fake.drop("g0.gi")
    fake.drop("g0.ci")
    fake.drop("g0.proc")
    fake.put({f"g1.proc.{n}": f"0 {10 + n} 1048576 {none} {none}" for n in range(2)})
    fake.put({"g2.proc.0": f"2 20 1048576 {none} {none}"})
    out = call(capsys, "node", "inspect")[1]
    assert "MIG is on and there is no instance" in out
    assert "sharing  time-slicing, 2 processes" in out
    assert "sharing  MPS, 1 process" in out


def test_without_privilege_places_are_not_known(capsys: pytest.CaptureFixture[str], fake: Fake) -> None:
    fake.put({"privileged": 0})
    out = call(capsys, "node", "inspect")[1]
    assert "holds    3g.20gb, id 1, 19.5 GiB, MIG-" in out
    assert "  layout   " not in out
    assert "  free     unknown\n" in out
    assert "gpu 0 (0000:07:00.0): where its MIG instances lie is told to root only" in out
    assert "gpu 1 (0000:87:00.0): where" not in out  # nothing lies on a GPU whose MIG is off
    answer = json.loads(call(capsys, "node", "inspect", "-o", "json")[1])
    assert answer["gpus"][0]["migProfiles"]["source"] == "table"
    assert answer["gpus"][0]["migProfiles"]["profiles"][0]["free"] is None


def test_other_vendors_from_sys(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    amd = pci_device(tmp_path, "0000:c1:00.0", "1002:74a1", "0x038000", driver="amdgpu", numa=1)
    (amd / "drm/renderD128").mkdir(parents=True)
    status, out, _ = call(capsys, "node", "inspect", "--host", f"sysfs:{tmp_path}")
    assert status == 0
    assert "amdgpu  renderD128" in out
    assert "driver   none" not in out


# --- what the driver failed to tell is unknown, not absent -----------------------------------------------------------
def test_a_mig_mode_that_could_not_be_asked_is_unknown(capsys: pytest.CaptureFixture[str], fake: Fake) -> None:
    fake.put({"g1.ret.nvmlDeviceGetMigMode": 999, "g0.ret.nvmlDeviceGetMigMode": 4})
    status, out, _ = call(capsys, "node", "inspect")
    assert status == 1
    assert "1    NVIDIA H100 80GB HBM3  0000:87:00.0  -     0.0 GiB  79.6 GiB  unknown" in out
    assert out.count("sharing  unknown, as its MIG mode is\n") == 2
    assert "gpu 1 (0000:87:00.0): MIG mode unknown: the driver answered 'Unknown Error'" in out
    status, out, err = call(capsys, "mig", "list")
    assert status == 1
    assert "gpu 1  NVIDIA H100 80GB HBM3  GPU-" in out
    assert out.count("MIG unknown\n") == 2
    assert "no GPU here has MIG" not in out
    assert "gpu 0 (0000:07:00.0): MIG mode unknown: the driver answered 'Insufficient Permissions'" in err
    answer = json.loads(call(capsys, "mig", "list", "-o", "json")[1])
    assert [(each["index"], each["mig"], each["migUnknown"]) for each in answer["gpus"]] == [
        (0, None, True),
        (1, None, True),
    ]


def test_what_else_could_not_be_asked(capsys: pytest.CaptureFixture[str], fake: Fake) -> None:
    fake.put(
        {
            "ret.nvmlSystemGetCudaDriverVersion": 999,
            "g1.ret.nvmlDeviceGetComputeRunningProcesses_v3": 999,
            "g2.ret.nvmlDeviceGetName": 999,
        }
    )
    status, out, _ = call(capsys, "node", "inspect")
    assert status == 1
    assert "driver   580.65.06, CUDA unknown\n" in out
    assert "the newest CUDA is unknown" in out
    assert "sharing  unknown, as what runs on it is\n  runs     what the driver failed to tell\n" in out
    assert "gpu 2 (0000:b7:00.0): asked which GPU it is, the driver answered: Unknown Error" not in out  # no bus here
    assert "gpu 2: asked which GPU it is, the driver answered: Unknown Error" in out


def test_a_driver_that_hangs_leaves_what_the_bus_shows(capsys: pytest.CaptureFixture[str], fake: Fake) -> None:
    fake.put({"sleep.nvmlInitWithFlags": 600_000})
    pci_device(fake.root, "0000:07:00.0", "10de:20b0", driver="nvidia")
    pci_device(fake.root, "0000:87:00.0", "10de:2330", driver="nouveau")
    pci_device(fake.root, "0000:b7:00.0", "10de:ffff", driver="vfio-pci")
    file(
        fake.root, "proc/driver/nvidia/version", "NVRM version: NVIDIA UNIX x86_64 Kernel Module  570.86.15  Release\n"
    )
    status, out, _ = call(capsys, "node", "inspect")
    assert status == 1
    wrong = [line.strip() for line in out.partition("wrong:\n")[2].splitlines()]
    without = "nothing else is known of it without the NVIDIA driver"
    assert wrong[0].startswith(
        "the driver didn't answer within 3 s when it was asked for its versions (kernel module 570.86.15) ("
    )
    stuck = "1 process that asked the driver is stuck in it"  # until it has ended
    assert [line for line in wrong[1:] if line != stuck] == [
        f"gpu at 0000:07:00.0: A100-40GB by its PCI id, 10de:20b0, bound to nvidia: {without}",
        (
            f"gpu at 0000:87:00.0: H100-SXM-80GB by its PCI id, 10de:2330, bound to nouveau: {without}"
            " (nouveau keeps it from the NVIDIA driver: unbind it)"
        ),
        f"gpu at 0000:b7:00.0: PCI id 10de:ffff, bound to vfio-pci: {without} (lent to virtual machines)",
    ]


@pytest.mark.parametrize(
    ("module", "bus", "part"),
    [
        (True, True, "half a driver: kernel module 570.86.15 is loaded, its library libnvidia-ml.so.1 wasn't found"),
        (
            False,
            False,
            "there is no NVIDIA driver: libnvidia-ml.so.1 wasn't found; nor is any NVIDIA GPU on the PCI bus",
        ),
        (False, True, "there is no NVIDIA driver: libnvidia-ml.so.1 wasn't found (install the driver"),
    ],
)
def test_half_a_driver_and_none(
    capsys: pytest.CaptureFixture[str], fake: Fake, monkeypatch: pytest.MonkeyPatch, module: bool, bus: bool, part: str
) -> None:
    plain = nvml.NvmlHost.__init__
    missing = fake.folder / "libnvidia-ml.so.1"
    monkeypatch.setattr(nvml.NvmlHost, "__init__", lambda self: plain(self, library=missing))
    pci_device(fake.root, "0000:07:00.0", "10de:20b0" if bus else "8086:1521", "0x030200" if bus else "0x020000")
    if module:
        words = "NVRM version: NVIDIA UNIX x86_64 Kernel Module  570.86.15  Release\n"
        file(fake.root, "proc/driver/nvidia/version", words)
    status, out, _ = call(capsys, "node", "inspect")
    assert status == 1
    assert f"wrong:\n  {part}" in out
    status, out, _ = call(capsys, "mig", "list")
    assert status == 1
    assert "no GPU here has MIG" not in out
    assert "whether" in out


def test_a_gpu_that_fell_off_the_bus_with_its_xid(capsys: pytest.CaptureFixture[str], fake: Fake) -> None:
    fake.put({"g2.lost": 1})
    for pci, identity in (("0000:07:00.0", "10de:20b0"), ("0000:87:00.0", "10de:2330"), ("0000:b7:00.0", "10de:1eb8")):
        pci_device(fake.root, pci, identity)
    file(fake.root, "dev/kmsg", "x;NVRM: Xid (PCI:0000:b7:00): 79, off\nx;NVRM: Xid (PCI:0000:dd:00): 45, a\n" * 2)
    status, out, _ = call(capsys, "node", "inspect")
    assert status == 1
    listed = out.partition("last XIDs, oldest first:\n")[2].partition("\n\n")[0].splitlines()
    assert [line.split("  ")[0] for line in listed] == ["XID", "79", "45"]
    assert "gpu 2 (0000:b7:00.0)" in listed[1]
    assert "0000:dd:00.0, where no GPU is now" in listed[2]
    wrong = [line.strip() for line in out.partition("wrong:\n")[2].splitlines()]
    assert [line.partition(" (79")[0].partition(" (drain")[0] for line in wrong] == [
        "gpu 2 (0000:b7:00.0): the GPU is lost",
        "gpu 2 (0000:b7:00.0): XID 79, 2 times: the GPU fell off the bus: reboot the machine, a reset doesn't help",
    ]


def test_a_log_that_cannot_be_read_is_no_log_without_xids(capsys: pytest.CaptureFixture[str], fake: Fake) -> None:
    out = call(capsys, "node", "inspect")[1]
    assert "earlier XIDs are unknown" in out
    assert "last XIDs: none" not in out
    file(fake.root, "dev/kmsg", "6,2,3,-;usb 1-1: new device\n")
    out = call(capsys, "node", "inspect")[1]
    assert "last XIDs: none" in out
    assert json.loads(call(capsys, "node", "inspect", "-o", "json")[1])["xidsKnown"] is True


def test_profiles_that_could_not_be_asked(capsys: pytest.CaptureFixture[str], fake: Fake) -> None:
    fake.put({"g1.ret.nvmlDeviceGetGpuInstanceProfileInfoV": 999})
    status, out, _ = call(capsys, "node", "inspect")
    assert status == 1
    part = "gpu 1 (0000:87:00.0): its MIG profiles couldn't be asked for: the driver answered: Unknown Error; "
    assert f"{part}this program's table of H100-80GB stands in" in out
    answer = json.loads(call(capsys, "mig", "list", "-o", "json")[1])
    profiles = [each["migProfiles"] for each in answer["gpus"]]
    assert [(each["source"], each["driver"]) for each in profiles] == [("node", "580.65.06"), ("table", None)]
    assert profiles[0]["profiles"][0]["memorySource"] == "node"
    assert (profiles[1]["profiles"][0]["memorySource"], profiles[1]["profiles"][0]["memoryMiBObserved"]) == (
        "table",
        [9984],
    )
    assert "its MIG profiles couldn't be asked for" in answer["troubles"][0]["message"]
