"""`aliquot node slices` where the host doesn't tell all: no GPU is told apart from no driver."""

import json
from pathlib import Path

import pytest

from aliquot.cli.entry import run
from aliquot.devices.hosts.protocol import Refused
from aliquot.devices.hosts.simulated.file import read_host
from aliquot.devices.hosts.simulated.host import SimulatedHost
from tests.devices.hosts.machine_root import class_device, pci_device
from tests.devices.published import call, devices, documents_of, simulated

CARD = "nics: [{pci: 0000:9a:00.0, interfaces: [eth0], rdma: [mlx5_0]}]\n"
NONE = "note: there is no NVIDIA GPU here, so gpu.nvidia.com has no devices\n"


def test_a_geometry_that_could_not_be_asked(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    text = "name: n\ngpus: [{model: H100-SXM-80GB}]\nfaults: [{gpu: 0, call: geometry, refused: no permission}]\n"
    status, out, err = call(capsys, "--host", simulated(tmp_path, text))
    assert status == 1
    assert "gpu-0-mig-1g10gb-19-0" in devices(documents_of(out))  # by this program's table
    assert "this program's table of H100-80GB stands in" in err


@pytest.mark.parametrize(("output", "empty"), [("yaml", ()), ("text", ()), ("json", ("items", []))])
def test_a_machine_without_a_driver_publishes_no_gpus(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, output: str, empty: object
) -> None:
    monkeypatch.setenv("LD_LIBRARY_PATH", str(tmp_path))
    status, out, err = call(capsys, "-o", output)
    assert status == 1
    assert (list(json.loads(out).items())[-1] if out else ()) == empty  # a program that reads JSON gets some
    assert "there is no NVIDIA driver: libnvidia-ml.so.1 wasn't found" in err
    assert NONE not in err


def test_gpus_that_only_the_bus_shows_are_not_no_gpus(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    pci_device(tmp_path, "0000:07:00.0", "10de:20b0", "0x030200")
    status, out, err = call(capsys, "--host", f"sysfs:{tmp_path}")
    assert (status, out) == (1, "")
    assert "gpu at 0000:07:00.0 isn't published: an NVIDIA GPU: only its driver tells more" in err
    card = pci_device(tmp_path, "0000:9a:00.0", "15b3:1021", "0x020000")
    class_device(tmp_path, "infiniband", "mlx5_0", card)
    status, out, _ = call(capsys, "--host", f"sysfs:{tmp_path}")
    assert status == 1
    assert [one["spec"]["driver"] for one in documents_of(out)] == ["nic.aliquot.dev"]


def test_a_host_that_has_no_gpu_is_told_so(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    status, out, err = call(capsys, "--host", simulated(tmp_path, f"name: n\ngpus: []\n{CARD}"))
    assert (status, err) == (0, NONE)
    assert devices(documents_of(out)) == {}
    assert [one["spec"]["driver"] for one in documents_of(out)] == ["gpu.nvidia.com", "nic.aliquot.dev"]
    assert list(devices(documents_of(out), "nic.aliquot.dev")) == ["nic-0000-9a-00-0"]


def test_other_vendors_gpus_are_named(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    pci_device(tmp_path, "0000:c3:00.0", "1002:74a1", "0x038000")
    status, out, err = call(capsys, "--host", f"sysfs:{tmp_path}", "-o", "json")
    assert (status, len(json.loads(out)["items"])) == (0, 1)
    assert err.splitlines()[0] == NONE.strip()
    assert err.splitlines()[1].endswith(": not published: only GPUs of NVIDIA are")


# --- what a reader of the slices should know besides -----------------------------------------------------------------
NODE = """
name: n
gpus:
  - {model: A30, mig: true, instances: ["2g.12gb@0"]}
  - {model: RTX-PRO-5000, memoryMiB: 48935, mig: true}
clients: [dcgm-exporter]
"""


def test_standing_devices_and_places_are_told_apart(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    status, out, err = call(capsys, "--host", simulated(tmp_path, NODE), "-o", "text")
    assert status == 1
    assert out.splitlines()[1:] == [
        "  00000-gpu.nvidia.com-n  1 counter set",
        "  00001-gpu.nvidia.com-n  1 MIG device (gpu-0-mig-2g12gb-5-0)",
        "  00002-gpu.nvidia.com-n  6 MIG places (gpu-0-mig-1g6gb-14-2 …)",
    ]
    assert "gpu 1 (0000:11:00.0): its MIG profiles couldn't be asked for: not supported, where its MIG instances" in err


def test_a_mode_that_is_pending(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    text = "name: n\ngpus: [{model: A30, mig: true}, {model: A30}]\nclients: [dcgm-exporter]\n"
    host = simulated(tmp_path, text)
    machine = SimulatedHost(read_host(text, "x"), state=tmp_path / "host.yaml.state")
    for gpu in machine.survey().gpus:
        assert isinstance(machine.set_mig_mode(gpu.uuid, enabled=not gpu.mig_enabled), Refused)
    status, _, err = call(capsys, "--host", host)
    assert status == 1
    assert "note: gpu-0: MIG will be off after its next reset, and what is on offer of it goes then\n" in err
    assert "gpu-1 isn't published: MIG will be on after the next reset: the GPU can't be kept whole\n" in err
    assert run(["node", "setup", "gpu-1:1g.6gb@0", "--host", host]) == 0
    assert (
        ": MIG on is pending there already; after the undo it's off, and no more pending\n" in capsys.readouterr().out
    )


def test_what_does_not_concern_the_device_is_not_told(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    host = simulated(tmp_path, NODE)
    assert run(["node", "setup", "gpu-7", "--host", host]) == 2
    assert "MIG profiles" not in capsys.readouterr().err
    assert run(["node", "setup", "gpu-1-mig-1g12gb-19-0", "--host", host]) == 2
    assert "where its MIG instances may lie isn't published" in capsys.readouterr().err
