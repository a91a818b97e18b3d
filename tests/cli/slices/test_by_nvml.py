"""`aliquot node slices` of a machine with a driver: as simulated, and what it does with GPUs that aren't well."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from aliquot.cli.entry import run
from aliquot.devices.hosts.nvml import host as nvml
from aliquot.devices.hosts.simulated.file import read_host
from aliquot.devices.hosts.simulated.host import SimulatedHost
from aliquot.devices.hosts.simulated.shape import Fault
from tests.devices.hosts.fake import Fake
from tests.devices.published import STANDING, call, devices, documents_of, simulated, slices


@pytest.fixture
def fake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Fake]:
    """A machine whose dynamic linker finds the fake library, as it would find a driver's."""
    made = Fake(tmp_path, STANDING + "  - {model: H100-SXM-80GB, minor: 1}\n")
    monkeypatch.setenv("FAKE_NVML_STATE", str(made.state))
    monkeypatch.setenv("LD_LIBRARY_PATH", str(made.library.parent))
    original = nvml.NvmlHost.__init__

    def below(self: nvml.NvmlHost, **options: object) -> None:
        original(self, **{"root": made.root, "limit_s": 10.0, **options})  # type: ignore[arg-type]

    monkeypatch.setattr(nvml.NvmlHost, "__init__", below)
    yield made
    made.close()


def test_by_nvml_as_simulated(capsys: pytest.CaptureFixture[str], tmp_path: Path, fake: Fake) -> None:
    """The same machine by the driver and by its file: the same devices."""
    del fake
    text = STANDING + "  - {model: H100-SXM-80GB, minor: 1}\n"
    real, told = (
        devices(slices(capsys, "--host", host, "--node", "n1")) for host in ("nvml", simulated(tmp_path, text))
    )
    assert real == told


@pytest.mark.parametrize(
    ("faults", "taints"),
    [
        ("{gpu: 0, xid: 13}", [("gpu.nvidia.com/xid", "13", "None")]),
        ("{gpu: 0, xid: 43}", []),  # the program's own, already cleaned up
        ("{gpu: 0, xid: 79}", [("gpu.nvidia.com/xid", "79", "None")]),  # the driver wants nothing any more
    ],
)
def test_xids_of_the_past_are_shown(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, faults: str, taints: list[tuple[str, str, str]]
) -> None:
    host = simulated(tmp_path, f"name: n\ngpus: [{{model: L4, recovery: none}}, {{model: L4}}]\nfaults: [{faults}]\n")
    path = tmp_path / "host.yaml"
    told = SimulatedHost(read_host(path.read_text(encoding="ascii"), "x"), state=tmp_path / "host.yaml.state")
    assert len(told.events(0)) == 1
    found = devices(slices(capsys, "--host", host, "--kubernetes", "1.36"))
    assert [(one["key"], one["value"], one["effect"]) for one in found["gpu-0"].get("taints", [])] == taints
    assert "taints" not in found["gpu-1"]
    assert "taints" not in devices(slices(capsys, "--host", host, "--kubernetes", "1.34"))["gpu-0"]


def taints(capsys: pytest.CaptureFixture[str], host: str) -> dict[str, list[tuple[str, str, str]]]:
    found = devices(slices(capsys, "--host", host))
    return {
        name: [(one["key"].partition("/")[2], one["value"], one["effect"]) for one in device.get("taints", [])]
        for name, device in found.items()
    }


def test_an_xid_that_asks_for_a_reset_keeps_claims_off_until_then(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    text = "name: n\ngpus: [{model: L4}, {model: L4}, {model: L4}, {model: L4, recovery: drain-p2p}]\n"
    host = simulated(tmp_path, f"{text}faults: [{{gpu: 0, xid: 48}}, {{gpu: 1, xid: 79}}, {{gpu: 2, xid: 31}}]\n")
    shown = {"gpu-0": [("xid", "48", "None")], "gpu-1": [("xid", "79", "None")], "gpu-2": [("xid", "31", "None")]}
    told = SimulatedHost(read_host((tmp_path / "host.yaml").read_text(), "x"), state=tmp_path / "host.yaml.state")
    reset, reboot = ("recovery", "reset", "NoSchedule"), ("recovery", "reboot", "NoSchedule")
    peers = ("recovery", "drain-p2p", "NoSchedule")
    before = {"gpu-0": [reset, *shown["gpu-0"]], "gpu-1": [reboot, *shown["gpu-1"]], "gpu-2": shown["gpu-2"]}
    assert taints(capsys, host) == before | {"gpu-3": [peers]}
    for gpu in told.survey().gpus:  # a reset doesn't bring back what fell off the bus
        assert told.reset(gpu.uuid) is None
    assert taints(capsys, host) == shown | {"gpu-1": before["gpu-1"], "gpu-3": []}
    told.inject(Fault(gpu=2, xid=95))
    assert taints(capsys, host)["gpu-2"] == [reset, ("xid", "95", "None")]
    told.reboot()
    assert taints(capsys, host) == {name: [] for name in before | {"gpu-3": []}}


def test_a_sick_gpu_is_tainted_or_withdrawn(capsys: pytest.CaptureFixture[str], fake: Fake) -> None:
    fake.put({"g1.field.230": 1})
    found = devices(slices(capsys, "--node", "n1"))
    tainted = {name for name, device in found.items() if device.get("taints")}
    assert tainted == {name for name in found if name.startswith("gpu-1")}
    assert found["gpu-1"]["taints"] == [{"key": "gpu.nvidia.com/recovery", "value": "reset", "effect": "NoSchedule"}]
    status, out, err = call(capsys, "--node", "n1", "--kubernetes", "1.35")
    assert status == 1
    assert set(devices(documents_of(out))) == {"gpu-4-mig-3g20gb-9-0"}
    assert "gpu-1 isn't published: gpu.nvidia.com/recovery=reset, and Kubernetes 1.35 drops taints" in err


def test_a_lost_gpu_is_named_and_the_others_are_published(capsys: pytest.CaptureFixture[str], fake: Fake) -> None:
    fake.put({"g1.lost": 1})
    status, out, err = call(capsys, "--node", "n1")
    assert status == 1
    assert {name[:5] for name in devices(documents_of(out))} == {"gpu-4"}
    assert "gpu 1" in err
    assert "isn't published" in err


def test_who_may_not_ask_where_instances_lie(capsys: pytest.CaptureFixture[str], fake: Fake) -> None:
    fake.put({"privileged": 0})
    status, out, err = call(capsys, "--node", "n1")
    assert status == 1
    assert "gpu-1" in devices(documents_of(out))
    assert "the agent needs more rights" in err


def test_how_a_gpu_reaches_the_machines_memory(capsys: pytest.CaptureFixture[str], fake: Fake) -> None:
    assert not any("addressingMode" in device["attributes"] for device in devices(slices(capsys)).values())
    for number, words in ((0, "None"), (1, "HMM"), (2, "ATS")):
        fake.put({"g1.addressing": number})
        found = devices(slices(capsys))
        told = {name[:5]: device["attributes"].get("addressingMode") for name, device in found.items()}
        assert told == {"gpu-1": {"string": words}, "gpu-4": None}


def test_a_virtual_gpu_is_not_divided(capsys: pytest.CaptureFixture[str], fake: Fake) -> None:
    fake.put({"g1.virtualisation": 2})
    status, out, err = call(capsys)
    assert {name for name in devices(documents_of(out)) if name.startswith("gpu-1")} == {"gpu-1"}
    assert status == 0
    assert err == "note: gpu-1: published without MIG devices: a virtual GPU is divided by its host\n"


def test_a_mig_mode_that_could_not_be_asked(capsys: pytest.CaptureFixture[str], fake: Fake) -> None:
    """Who knows whether it's divided? Such a GPU isn't given away whole, nor set up."""
    fake.put({"g1.ret.nvmlDeviceGetMigMode": 999})
    status, out, err = call(capsys, "--node", "n1")
    assert status == 1
    assert {name[:5] for name in devices(documents_of(out))} == {"gpu-4"}
    words = "MIG mode unknown: the driver answered 'Unknown Error'"
    assert f"gpu-1 isn't published: {words}\n" in err
    for device in ("gpu-1", "gpu-1:1g.10gb@0"):
        assert run(["node", "setup", device]) == 3
        assert words in capsys.readouterr().out
