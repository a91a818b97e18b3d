"""`aliquot node check` beside `node setup` on one host: what one refuses, the other doesn't promise."""

import json
from pathlib import Path
from typing import Any

import pytest

from aliquot.cli.entry import run

MPS = "apiVersion: resource.nvidia.com/v1beta1\nkind: GpuConfig\nsharing: {strategy: MPS}"
ON_MIG = "apiVersion: resource.nvidia.com/v1beta1\nkind: MigDeviceConfig\nsharing: {strategy: MPS}"
SWITCH = "MIG has to be switched on"


def row(
    capsys: pytest.CaptureFixture[str], folder: Path, config: str, gpu: str, device: str
) -> tuple[dict[str, Any], int, int]:
    """What the check says of a GPU, and the exit status of both commands."""
    (folder / "config.yaml").write_text(config, encoding="ascii")
    (folder / "host.yaml").write_text(f"name: n\ngpus: [{{{gpu}}}]", encoding="ascii")
    host = f"sim:{folder / 'host.yaml'}"
    checked = run(["node", "check", str(folder / "config.yaml"), "--host", host, "-o", "json"])
    ((one,),) = [each["host"]["gpus"] for each in json.loads(capsys.readouterr().out)["configs"]]
    done = run(["node", "setup", device, "--config", str(folder / "config.yaml"), "--host", host, "-o", "json"])
    answer = json.loads(capsys.readouterr().out)
    refused = {fault["message"].partition(": ")[2] for fault in answer.get("why", ())}
    assert refused <= {*one["problems"], *one.get("first", ())}
    return one, checked, done


@pytest.mark.parametrize(
    ("config", "gpu", "device", "first", "statuses"),
    [
        (MPS, "model: L4", "gpu-0", 0, (0, 0)),
        (MPS, "model: L4, processes: [{pid: 9, name: vllm}]", "gpu-0", 1, (0, 3)),
        (ON_MIG, "model: A100-80GB", "gpu-0:1g.10gb@0", 1, (0, 0)),
        (ON_MIG, "model: A100-80GB, processes: [{pid: 9}]", "gpu-0:1g.10gb@0", 2, (0, 3)),
        (ON_MIG, "model: A100-80GB, mig: true", "gpu-0:1g.10gb@0", 1, (0, 0)),
        (ON_MIG, "model: A100-80GB, mig: true, instances: [1g.10gb@0]", "gpu-0:1g.10gb@0", 0, (0, 0)),
    ],
)
def test_what_comes_first(
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    config: str,
    gpu: str,
    device: str,
    first: int,
    statuses: tuple[int, int],
) -> None:
    one, *done = row(capsys, tmp_path, config, gpu, device)
    assert (one["problems"], len(one.get("first", ())), tuple(done)) == ([], first, statuses)
    if config is ON_MIG and "mig: true" not in gpu:
        assert one["first"][0] == SWITCH


def test_first_in_text(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    row(capsys, tmp_path, ON_MIG, "model: H100-SXM-80GB", "gpu-0:1g.10gb@0")
    assert run(["node", "check", str(tmp_path / "config.yaml"), "--host", f"sim:{tmp_path / 'host.yaml'}"]) == 0
    assert f"gpu 0 (0000:10:00.0): can be shared so, but first: {SWITCH}" in capsys.readouterr().out


@pytest.mark.parametrize("device", ["gpu-0", "gpu-0:1g.10gb@0"])
def test_a_gpu_that_its_taints_keep_claims_off(capsys: pytest.CaptureFixture[str], tmp_path: Path, device: str) -> None:
    config = MPS if device == "gpu-0" else ON_MIG
    one, *done = row(capsys, tmp_path, config, "model: A100-80GB, recovery: drain-and-reset", device)
    assert done == [1, 3]
    (problem,) = one["problems"]
    assert problem == (
        "its taint gpu.nvidia.com/recovery=drain-and-reset:NoSchedule keeps claims without a toleration off, as the "
        "driver wants: drain, then reset the GPU"
    )
