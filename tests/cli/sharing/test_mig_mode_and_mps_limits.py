"""`aliquot node setup`: what a change of the MIG mode needs and how long it lasts; limits of MPS beside the memory."""

import json
from pathlib import Path

import pytest

from aliquot.cli.entry import run
from tests.devices.hosts.fake import Fake

UUID = "GPU-00000000-0000-0000-0000-000000000000"
OTHER = "GPU-11111111-0000-0000-0000-000000000000"
INSTANCES = "MIG instances last until the GPU is reset, the driver is reloaded or the machine is rebooted"
DYNAMIC = "NVIDIA's own driver needs its feature gate DynamicMIG (alpha, off by default) for this"


def planned(capsys: pytest.CaptureFixture[str], folder: Path, gpus: str, *words: str) -> list[str]:
    host = folder / "host.yaml"
    host.write_text(f"name: x\n{gpus}\n", encoding="ascii")
    assert run(["node", "setup", *words, "--host", f"sim:{host}", "-o", "json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    return [*(limit for step in answer["steps"] for limit in step.get("eachClientAtMost", ())), "--", *answer["notes"]]


def config(folder: Path, kind: str, mps: str) -> str:
    path = folder / "config.yaml"
    path.write_text(
        f"apiVersion: resource.nvidia.com/v1beta1\nkind: {kind}\nsharing: {{strategy: MPS, mpsConfig: {mps}}}",
        encoding="ascii",
    )
    return str(path)


def test_ampere_resets_the_gpu_and_keeps_the_mode(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    gpus = f"gpus: [{{model: A100-40GB, uuid: {UUID}}}]"
    _, mode, *rest = planned(capsys, tmp_path, gpus, "gpu-0:1g.5gb@0")
    assert mode == (
        f"{UUID}: switching MIG on resets the GPU, so nobody may hold it open; who does so without a program on it "
        "(nvidia-persistenced, DCGM, dcgm-exporter) isn't seen here. Where it can't be reset, the mode is pending "
        f"until nvidia-smi --gpu-reset -i {UUID}, or a reboot. The GPU keeps the mode over reboots"
    )
    assert rest == [INSTANCES, DYNAMIC]


@pytest.mark.parametrize(
    ("model", "place"), [("H100-SXM-80GB", "1g.10gb@0"), ("B200", "1g.23gb@0"), ("RTX-PRO-6000-Server", "1g.24gb@3")]
)
def test_hopper_and_newer_need_no_reset_and_lose_the_mode(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, model: str, place: str
) -> None:
    said = planned(capsys, tmp_path, f"gpus: [{{model: {model}, uuid: {UUID}}}]", f"gpu-0:{place}")
    mode = f"{UUID}: switching MIG on needs no reset; it's off again after a driver reload or a reboot"
    assert said == ["--", mode, INSTANCES, DYNAMIC]


def test_mps_on_a_new_instance_is_nothing_for_nvidias_driver(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    gpus = f"gpus: [{{model: A100-40GB, uuid: {UUID}, mig: true, instances: [3g.20gb@4]}}]"
    limits = config(tmp_path, "MigDeviceConfig", "{defaultPinnedDeviceMemoryLimit: 8Gi}")
    new = planned(capsys, tmp_path, gpus, "gpu-0:1g.5gb@0", "--config", limits)
    assert new[0] == "8192 MiB of memory"
    assert new[-2] == (
        "NVIDIA's own driver can't do this: its feature gates MPSSupport and DynamicMIG (alpha, off by default) "
        "exclude each other, so that it has MPS only on MIG instances that are there already"
    )
    assert new[-1] == (
        f"1g.5gb at 0 of {UUID}: 8192 MiB for a client is more than all of its 4864 MiB of memory: it limits nothing"
    )
    there = planned(capsys, tmp_path, gpus, "gpu-0:3g.20gb@4", "--config", limits)
    assert there[-2:] == [
        "NVIDIA's own driver needs its feature gate MPSSupport (alpha, off by default) for this",
        f"3g.20gb at 4 of {UUID}: at most 2 clients can use 8192 MiB each at a time, of its 19968 MiB",
    ]


TWO = f"gpus: [{{model: H100-SXM-80GB, uuid: {UUID}}}, {{model: T4, uuid: {OTHER}}}]"


def test_limits_are_told_and_held_against_each_gpu(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    both = config(tmp_path, "GpuConfig", "{defaultActiveThreadPercentage: 30, defaultPinnedDeviceMemoryLimit: 20Gi}")
    said = planned(capsys, tmp_path, TWO, "gpu-0", "gpu-1", "--config", both)
    assert said[:3] == ["30 % of the multiprocessors", "20480 MiB of memory on each device", "--"]
    assert said[-2:] == [
        f"{UUID}: at most 3 clients can use 20480 MiB each at a time, of its 81559 MiB",
        f"{OTHER}: 20480 MiB for a client is more than all of its 15360 MiB of memory: it limits nothing",
    ]
    single = "{defaultPinnedDeviceMemoryLimit: 20Gi, defaultPerDevicePinnedMemoryLimit: {'1': 5Gi}}"
    said = planned(capsys, tmp_path, TWO, "gpu-0", "gpu-1", "--config", config(tmp_path, "GpuConfig", single))
    assert said[:3] == [f"20480 MiB of memory on {UUID}", f"5120 MiB of memory on {OTHER}", "--"]
    one = config(tmp_path, "GpuConfig", "{defaultPerDevicePinnedMemoryLimit: {'1': 5Gi}, multiUser: true}")
    said = planned(capsys, tmp_path, TWO, "gpu-0", "gpu-1", "--config", one)
    assert said[:2] == [f"5120 MiB of memory on {OTHER}", "--"]
    assert not any("one user at a time" in each for each in said)
    assert "NVIDIA's own driver has multiUser since June 2026, and refuses it up to release v0.4.1" in said
    assert said[-1] == f"{OTHER}: at most 3 clients can use 5120 MiB each at a time, of its 15360 MiB"


def test_the_sum_of_the_clients_limits(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    limit = config(tmp_path, "GpuConfig", "{defaultPinnedDeviceMemoryLimit: 20Gi}")
    said = planned(capsys, tmp_path, TWO, "gpu-0", "--config", limit, "--clients", "4")
    assert said[-1] == (
        f"{UUID}: 4 clients of 20480 MiB are 81920 MiB of its 81559 MiB: limits aren't reserved, so clients can run "
        "out of memory within theirs"
    )
    said = planned(capsys, tmp_path, TWO, "gpu-0", "--config", limit, "--clients", "3")
    assert not any("20480 MiB" in each for each in said[said.index("--") :])


def test_no_more_clients_than_mps_takes(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    limit = config(tmp_path, "GpuConfig", "{defaultPinnedDeviceMemoryLimit: 1Mi}")
    for driver, most in (("{version: 580.65.06, cuda: '13.0'}", 48), ("{version: 590.44.01, cuda: '13.1'}", 60)):
        said = planned(capsys, tmp_path, f"driver: {driver}\n{TWO}", "gpu-0", "--config", limit)
        assert said[-1] == f"{UUID}: 1 MiB each is room for more clients than the {most} that MPS takes at most"


def test_limits_in_text(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    planned(capsys, tmp_path, TWO, "gpu-0")
    limit = config(tmp_path, "GpuConfig", "{defaultActiveThreadPercentage: 0, defaultPinnedDeviceMemoryLimit: 1Gi}")
    assert run(["node", "setup", "gpu-0", "--config", limit, "--host", f"sim:{tmp_path / 'host.yaml'}"]) == 0
    lines = capsys.readouterr().out.splitlines()
    at = lines.index(f"step 2  start MPS daemon claim for {UUID}")
    assert lines[at + 1 : at + 4] == [
        "  each client  at most 0 % of the multiprocessors",
        "  each client  at most 1024 MiB of memory",
        "  undo  stop MPS daemon claim",
    ]


# --- what is lost, and what has no effect ----------------------------------------------------------------------------
def test_switching_mig_off_for_a_whole_gpu(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    said = planned(capsys, tmp_path, f"gpus: [{{model: H100-SXM-80GB, uuid: {UUID}, mig: true}}]", "gpu-0")
    assert said == ["--", f"{UUID}: switching MIG off needs no reset"]


def test_peers_are_lost_under_mig(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    lost = f"{UUID}: while MIG is on, it has no peer-to-peer traffic with other GPUs, NVLinks or not"
    linked = f"gpus: [{{model: H100-SXM-80GB, uuid: {UUID}, links: 18}}]"
    assert lost in planned(capsys, tmp_path, linked, "gpu-0:1g.10gb@0")
    assert lost not in planned(capsys, tmp_path, linked, "gpu-0")
    each = "MIG instances have no peer-to-peer traffic with each other, neither by NVLink nor by PCIe"
    assert each in planned(capsys, tmp_path, linked, "gpu-0:1g.10gb@0", "gpu-0:1g.10gb@1")


@pytest.mark.parametrize(("capability", "told"), [("6.1", True), ("7.0", False)])
def test_a_percentage_before_volta(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capability: str, told: bool
) -> None:
    """Pascal isn't in the catalogue, so it comes by its driver."""
    fake = Fake(tmp_path, f"gpus: [{{model: V100-16GB, uuid: {UUID}, name: Tesla P4}}]")
    fake.put({"g0.cc": capability, "g0.pciid": 0x1BB310DE, "g0.arch": 4 if told else 5})
    monkeypatch.setenv("FAKE_NVML_STATE", str(fake.state))
    monkeypatch.setenv("LD_LIBRARY_PATH", str(fake.library.parent))
    mps = config(tmp_path, "GpuConfig", "{defaultActiveThreadPercentage: 30}")
    assert run(["node", "setup", "gpu-0", "--config", mps]) == 0
    words = (
        f"note  {UUID}: its MPS has no limit on multiprocessors, which came with Volta: the percentage has no effect"
    )
    assert (words in capsys.readouterr().out.splitlines()) is told
    fake.close()
