"""`aliquot node check`: several replicas, MPS limits beside a host's memory, gates of NVIDIA's driver."""

import json
from pathlib import Path
from typing import Any

import pytest

from aliquot.cli.entry import run

SEVERAL = (
    "a request for several replicas is granted: they may all be of one GPU, and then give a program no more compute "
    "or memory than one does (failRequestsGreaterThanOne: true refuses such a request)"
)
PLUGIN = (
    "whether a GPU takes {} replicas by MPS isn't checked without --host: the plugin allows 48 from compute capability "
    "7.5 on, 16 below"
)
CLIENTS = (
    "how many clients MPS takes isn't checked without --host: 16 before compute capability 7.0, 48 from then on, 60 "
    "with CUDA 13.1 or later"
)


def checked(
    capsys: pytest.CaptureFixture[str], folder: Path, text: str, host: str | None = None
) -> tuple[int, dict[str, Any]]:
    path = folder / "config.yaml"
    path.write_text(text, encoding="ascii")
    words = ["node", "check", str(path), "-o", "json"]
    if host is not None:
        (folder / "host.yaml").write_text(host, encoding="ascii")
        words += ["--host", f"sim:{folder / 'host.yaml'}"]
    status = run(words)
    (config,) = json.loads(capsys.readouterr().out)["configs"]
    return status, config


def notes(capsys: pytest.CaptureFixture[str], folder: Path, text: str, host: str | None = None) -> list[str]:
    return checked(capsys, folder, text, host)[1].get("notes", [])  # type: ignore[no-any-return]


@pytest.mark.parametrize(
    ("sharing", "said"),
    [
        ("timeSlicing: {failRequestsGreaterThanOne: false, resources: [{name: gpu, replicas: 60}]}", [SEVERAL]),
        ("timeSlicing: {resources: [{name: gpu, replicas: 2}]}", [SEVERAL]),  # the plugin's default
        ("timeSlicing: {failRequestsGreaterThanOne: true, resources: [{name: gpu, replicas: 2}]}", []),
        ("mps: {resources: [{name: gpu, replicas: 16}]}", []),
        ("mps: {resources: [{name: gpu, replicas: 17}]}", [PLUGIN.format(17)]),
        ("mps: {failRequestsGreaterThanOne: false, resources: [{name: gpu, replicas: 48}]}",
         [SEVERAL, PLUGIN.format(48)]),
    ],
)  # fmt: skip
def test_replicas(capsys: pytest.CaptureFixture[str], tmp_path: Path, sharing: str, said: list[str]) -> None:
    text = f"version: v1\nsharing: {{{sharing}}}"
    assert notes(capsys, tmp_path, text) == said
    assert PLUGIN.format(48) not in notes(capsys, tmp_path, text, "gpus: [{model: T4}]")
    assert run(["node", "check", str(tmp_path / "config.yaml")]) == 0
    assert [line[7:] for line in capsys.readouterr().out.splitlines() if line.startswith("  note ")] == said


def gpu_config(sharing: str, kind: str = "GpuConfig") -> str:
    return f"apiVersion: resource.nvidia.com/v1beta1\nkind: {kind}\nsharing: {sharing}"


def test_gates_of_nvidias_driver(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    gate = "NVIDIA's own driver needs its feature gate {} (alpha, off by default) for this"
    assert notes(capsys, tmp_path, gpu_config("{strategy: TimeSlicing}")) == [gate.format("TimeSlicingSettings")]
    assert notes(capsys, tmp_path, gpu_config("{strategy: MPS}")) == [CLIENTS, gate.format("MPSSupport")]
    assert notes(capsys, tmp_path, gpu_config("null")) == []
    limit = "{strategy: MPS, mpsConfig: {defaultPinnedDeviceMemoryLimit: 1Gi}}"
    unchecked = "the memory limits aren't held against any GPU without --host"
    assert notes(capsys, tmp_path, gpu_config(limit)) == [CLIENTS, unchecked, gate.format("MPSSupport")]
    several = "{strategy: MPS, mpsConfig: {multiUser: true}}"
    since = "NVIDIA's own driver has multiUser since June 2026, and refuses it up to release v0.4.1"
    assert notes(capsys, tmp_path, gpu_config(several)) == [CLIENTS, since, gate.format("MPSSupport")]
    on_mig = gpu_config("{strategy: TimeSlicing}", "MigDeviceConfig")
    assert notes(capsys, tmp_path, on_mig) == [gate.format("TimeSlicingSettings")]


UUID = "GPU-11111111-0000-0000-0000-000000000000"
H100, T4, V100 = "{model: H100-SXM-80GB}", "{model: T4, uuid: " + UUID + "}", "{model: V100-16GB}"


def test_clients_by_gpu(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    host = f'driver: {{version: 590.44.01, cuda: "13.1"}}\ngpus: [{H100}, {V100}]'
    status, config = checked(capsys, tmp_path, gpu_config("{strategy: MPS}"), host)
    assert status == 0
    assert [each["mpsClients"] for each in config["host"]["gpus"]] == [60, 60]
    run(["node", "check", str(tmp_path / "config.yaml"), "--host", f"sim:{tmp_path / 'host.yaml'}"])
    assert "gpu 0 (0000:10:00.0): can be shared so, by 60 clients at most" in capsys.readouterr().out


def test_limits_beside_the_memory(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = "sharing.mpsConfig.default{}"
    limit = "{strategy: MPS, mpsConfig: {defaultPinnedDeviceMemoryLimit: 20Gi}}"
    nothing = "20480 MiB for a client is more than all of its 15360 MiB of memory: it limits nothing"
    status, config = checked(capsys, tmp_path, gpu_config(limit), f"gpus: [{H100}, {T4}]")
    assert status == 0
    said = [each.get("notes") for each in config["host"]["gpus"]]
    assert said == [None, [f"{path.format('PinnedDeviceMemoryLimit')}: {nothing}"]]
    # as `node setup` has it: a limit that limits nothing keeps nobody from sharing
    status, config = checked(capsys, tmp_path, gpu_config(limit), f"gpus: [{T4}]")
    (row,) = config["host"]["gpus"]
    assert (status, config["host"]["problems"], row["problems"], len(row["notes"])) == (0, [], [], 1)
    single = "{{strategy: MPS, mpsConfig: {{defaultPerDevicePinnedMemoryLimit: {{{}}}}}}}"
    status, config = checked(
        capsys, tmp_path, gpu_config(single.format("'0': 300Gi, '1': 20Gi")), f"gpus: [{H100}, {T4}]"
    )
    assert (status, config["host"]["notes"]) == (
        0,
        [(f"{path.format('PerDevicePinnedMemoryLimit')}.0: 307200 MiB for a client is more than any GPU here has: it "
         "limits nothing")],
    )  # fmt: skip
    status, config = checked(capsys, tmp_path, gpu_config(single.format(f"{UUID}: 20Gi")), f"gpus: [{H100}, {T4}]")
    said = [each.get("notes") for each in config["host"]["gpus"]]
    assert (status, said) == (0, [None, [f"{path.format('PerDevicePinnedMemoryLimit')}.{UUID}: {nothing}"]])
    default = "defaultPinnedDeviceMemoryLimit: 300Gi"
    both = f"{{strategy: MPS, mpsConfig: {{{default}, defaultPerDevicePinnedMemoryLimit: {{'0': 5Gi}}}}}}"
    status, config = checked(capsys, tmp_path, gpu_config(both), f"gpus: [{T4}]")
    (row,) = config["host"]["gpus"]
    (words,) = row["notes"]
    assert words.startswith(f"{path.format('PinnedDeviceMemoryLimit')}, on a claim's devices other than 0: 307200 MiB")
