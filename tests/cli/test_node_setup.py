"""`aliquot node setup`: the steps with their undo and the container's edits, or why not; nothing is done."""

import json
from pathlib import Path

import pytest
import yaml

from aliquot.cli.entry import run

HOST = """
name: setup
gpus:
  - {model: A100-40GB, uuid: GPU-00000000-0000-0000-0000-000000000000, minor: 3, mig: true, instances: [3g.20gb@0]}
  - {model: T4, uuid: GPU-11111111-0000-0000-0000-000000000000, minor: 1}
"""
DIVIDED, PLAIN = "GPU-00000000-0000-0000-0000-000000000000", "GPU-11111111-0000-0000-0000-000000000000"
HEAD = "apiVersion: resource.nvidia.com/v1beta1\nkind: {}\nsharing: {}"


@pytest.fixture
def host(tmp_path: Path) -> str:
    path = tmp_path / "host.yaml"
    path.write_text(HOST, encoding="ascii")
    return f"sim:{path}"


def call(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    status = run(["node", "setup", *words])
    out, err = capsys.readouterr()
    assert "Traceback" not in out + err
    return status, out, err


def config(folder: Path, text: str) -> str:
    path = folder / "config.yaml"
    path.write_text(text, encoding="ascii")
    return str(path)


def test_mps(capsys: pytest.CaptureFixture[str], tmp_path: Path, host: str) -> None:
    mps = HEAD.format("GpuConfig", "{strategy: MPS, mpsConfig: {defaultPinnedDeviceMemoryLimit: 10Gi}}")
    status, out, _ = call(capsys, "gpu-1", "--config", config(tmp_path, mps), "--host", host, "--name", "c-1")
    assert status == 0
    assert out.splitlines() == [
        f"step 1  set compute mode exclusive-process on {PLAIN}",
        f"  undo  set compute mode default on {PLAIN}",
        f"step 2  start MPS daemon c-1 for {PLAIN}",
        "  each client  at most 10240 MiB of memory",
        "  undo  stop MPS daemon c-1",
        "container  env CUDA_MPS_PIPE_DIRECTORY=/tmp/nvidia-mps",
        "container  mount /run/aliquot/mps/c-1/pipe at /tmp/nvidia-mps",
        "container  mount /dev/shm at /dev/shm",
        "note  the container gets the host's /dev/shm, which the MPS daemon and its clients must have in common",
        "note  the compute mode lasts until the driver is reloaded or the machine is rebooted",
        (
            "note  MPS serves the programs of one user at a time: another's wait (multiUser: true serves several; "
            "NVIDIA's own driver has multiUser since June 2026, and refuses it up to release v0.4.1)"
        ),
        "note  NVIDIA's own driver needs its feature gate MPSSupport (alpha, off by default) for this",
        f"note  {PLAIN}: at most 1 client can use 10240 MiB at a time, of its 15360 MiB",
    ]
    assert sorted(each.name for each in tmp_path.iterdir()) == ["config.yaml", "host.yaml"]  # nothing was done


@pytest.mark.parametrize("output", ["json", "yaml"])
@pytest.mark.parametrize("name", ["gpu-3-mig-1g5gb-19-4", "gpu-3:1g.5gb@4"])
def test_an_instance(capsys: pytest.CaptureFixture[str], host: str, name: str, output: str) -> None:
    status, out, _ = call(capsys, name, "--host", host, "-o", output)
    assert status == 0
    assert (json.loads(out) if output == "json" else yaml.safe_load(out)) == {
        "possible": True,
        "steps": [{"step": f"create 1g.5gb at 4 on {DIVIDED}", "undo": f"destroy 1g.5gb at 4 on {DIVIDED}"}],
        "containerEdits": {},
        "notes": [
            "MIG instances last until the GPU is reset, the driver is reloaded or the machine is rebooted",
            "NVIDIA's own driver needs its feature gate DynamicMIG (alpha, off by default) for this",
        ],
    }


def test_an_instance_that_is_there(capsys: pytest.CaptureFixture[str], tmp_path: Path, host: str) -> None:
    turns = config(tmp_path, HEAD.format("MigDeviceConfig", "{strategy: TimeSlicing}"))
    uuid = json.loads(_inspected(capsys, host))["gpus"][0]["instances"][0]["compute"][0]["uuid"]
    for name in (uuid, "gpu-3-mig-3g20gb-9-0"):
        status, out, _ = call(capsys, name, "--config", turns, "--host", host)
        assert (status, out.splitlines()) == (
            0,
            [
                "nothing has to be set up",
                "note  time-slicing needs no set-up on a MIG instance: its programs take turns anyway",
                "note  NVIDIA's own driver needs its feature gate TimeSlicingSettings (alpha, off by default) for this",
            ],
        )


def _inspected(capsys: pytest.CaptureFixture[str], host: str) -> str:
    run(["node", "inspect", "--host", host, "-o", "json"])
    return capsys.readouterr().out


def test_why_not(capsys: pytest.CaptureFixture[str], tmp_path: Path, host: str) -> None:
    limits = "{strategy: MPS, mpsConfig: {defaultPerDevicePinnedMemoryLimit: {'3': 8Gi}}}"
    path = config(tmp_path, HEAD.format("GpuConfig", limits))
    status, out, _ = call(capsys, DIVIDED, "gpu-1", "--config", path, "--host", host, "--clients", "70")
    assert status == 3
    its = f"its 2 devices have the numbers 0, 1, by UUID {DIVIDED}, {PLAIN}"
    limit = "sharing.mpsConfig.defaultPerDevicePinnedMemoryLimit.3"
    assert out.splitlines() == [
        "it can't be set up:",
        f"  {DIVIDED}: MIG is on: only its instances can be used",
        f"  {DIVIDED}: 70 MPS clients are too many: 48 at most",
        f"  {PLAIN}: 70 MPS clients are too many: 48 at most",
        f"  {limit}: the configuration has no device 3 ({its})",
    ]
    status, out, _ = call(capsys, "gpu-3:4g.20gb@0", "--host", host, "-o", "json")
    assert status == 3
    answer = json.loads(out)
    assert answer["possible"] is False
    assert "overlap in memory slice 0" in answer["why"][0]["message"]


CLAIM = """
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: two}
spec:
  devices:
    requests: [{name: turns, exactly: {deviceClassName: shop}}, {name: mps, exactly: {deviceClassName: shop}},
      {name: other, exactly: {deviceClassName: shop}}]
    config:
    - {requests: [turns], opaque: {driver: gpu.nvidia.com, parameters: {apiVersion: resource.nvidia.com/v1beta1,
       kind: GpuConfig, sharing: {strategy: TimeSlicing, timeSlicingConfig: {interval: Short}}}}}
    - {requests: [mps], opaque: {driver: gpu.nvidia.com, parameters: {apiVersion: resource.nvidia.com/v1beta1,
       kind: GpuConfig, sharing: {strategy: MPS}}}}
"""


def test_a_claim_with_several(capsys: pytest.CaptureFixture[str], tmp_path: Path, host: str) -> None:
    path = config(tmp_path, CLAIM)
    status, _, err = call(capsys, "gpu-1", "--config", path, "--host", host)
    assert status == 2
    assert "there are 2 configurations in it" in err
    assert "--request" in err
    status, out, _ = call(capsys, "gpu-1", "--config", path, "--host", host, "--request", "turns")
    assert (status, out.splitlines()[0]) == (0, f"step 1  set time-slice short on {PLAIN}")
    status, out, _ = call(capsys, "gpu-1", "--config", path, "--host", host, "--request", "other")
    assert (status, out) == (0, "nothing has to be set up\n")
    status, _, err = call(capsys, "gpu-1", "--config", path, "--host", host, "--request", "typo")
    assert status == 2
    assert f"{path}: no claim in it has a request 'typo'" in err
    assert "there are mps, other, turns" in err
    status, out, _ = call(capsys, "gpu-3:1g.5gb@4", "--config", path, "--host", host, "--request", "mps")
    assert status == 3
    assert "GpuConfig for 'mps', which is a MIG device: write a MigDeviceConfig" in out


def test_what_cannot_be_used(capsys: pytest.CaptureFixture[str], tmp_path: Path, host: str) -> None:
    assert call(capsys, "--host", host)[0] == 2
    assert call(capsys, "gpu-0", "--host", "preset:none")[0] == 2
    status, _, err = call(capsys, "gpu-0", "gpu-3-mig-1g5gb-99-0", "GPU-x", "gpu", "--host", host)
    assert status == 2
    assert [line for line in err.splitlines() if line.startswith("error")] == [
        f"error: {host} has no device {name!r}" for name in ("gpu-0", "gpu-3-mig-1g5gb-99-0", "GPU-x", "gpu")
    ]
    status, _, err = call(capsys, "gpu-1", "--host", host, "--config", config(tmp_path, "kind: Pod\napiVersion: v1"))
    assert status == 2
    assert "there is no configuration" in err
    broken = config(tmp_path, HEAD.format("GpuConfig", "{strategy: mps}"))
    status, _, err = call(capsys, "gpu-1", "--host", host, "--config", broken)
    assert status == 2
    assert "did you mean MPS?" in err
