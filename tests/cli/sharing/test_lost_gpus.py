"""A GPU that fell off the bus is told by `node check` and `node setup`, whatever they're asked."""

import json
from pathlib import Path

import pytest

from aliquot.cli.entry import run

HERE, LOST = "GPU-00000000-0000-0000-0000-000000000000", "GPU-11111111-0000-0000-0000-000000000000"
HOST = f"""
name: shop
gpus: [{{model: L4, uuid: {HERE}}}, {{model: L4, uuid: {LOST}}}]
faults: [{{gpu: 1, lost: true}}]
"""
TOLD = "gpu 1 (0000:11:00.0): the GPU is lost (fell off the bus: reboot the machine)"
MPS = "apiVersion: resource.nvidia.com/v1beta1\nkind: GpuConfig\nsharing: {strategy: MPS}"


@pytest.fixture
def host(tmp_path: Path) -> str:
    (tmp_path / "host.yaml").write_text(HOST, encoding="ascii")
    return f"sim:{tmp_path / 'host.yaml'}"


def test_beside_another_gpu(capsys: pytest.CaptureFixture[str], host: str) -> None:
    assert run(["node", "setup", "gpu-0", "--host", host]) == 0
    assert capsys.readouterr().out.splitlines() == ["nothing has to be set up", f"note  {TOLD}"]


def test_by_its_uuid(capsys: pytest.CaptureFixture[str], host: str) -> None:
    assert run(["node", "setup", LOST, "--host", host, "-o", "json"]) == 3
    assert json.loads(capsys.readouterr().out) == {
        "possible": False,
        "why": [{"message": f"{LOST}: the GPU is lost", "hint": "fell off the bus: reboot the machine"}],
        "notes": [TOLD],
    }


def test_by_a_number_that_it_does_not_tell(capsys: pytest.CaptureFixture[str], host: str) -> None:
    assert run(["node", "setup", "gpu-1", "--host", host]) == 2
    err = capsys.readouterr().err
    # the cause first
    assert err.startswith(
        "error: gpu 1 (0000:11:00.0): the GPU is lost\nhint: fell off the bus: reboot the machine\n"
        f"error: {host} has no device 'gpu-1'"
    )


@pytest.mark.parametrize("text", [MPS, "version: v1\nsharing: {timeSlicing: {resources: [{name: gpu, replicas: 2}]}}"])
def test_in_a_check(capsys: pytest.CaptureFixture[str], tmp_path: Path, host: str, text: str) -> None:
    (tmp_path / "config.yaml").write_text(text, encoding="ascii")
    assert run(["node", "check", str(tmp_path / "config.yaml"), "--host", host]) == 1
    assert f"  wrong on {host}: {TOLD}" in capsys.readouterr().out.splitlines()
