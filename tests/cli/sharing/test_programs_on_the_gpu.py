"""`aliquot node setup` on GPUs that programs use: who they are, which must end first, and which may stay."""

import json
from pathlib import Path

import pytest

from aliquot.cli.entry import run

BUSY = "GPU-00000000-0000-0000-0000-000000000000"
CONTAINER = "3f2a77c1d0e94b5d8c6f7a1b2c3d4e5f60718293a4b5c6d7e8f9012345678901"
VLLM = f"{{pid: 4102, memoryMiB: 900, name: vllm, pod: 1f0c-77, container: {CONTAINER}}}"
DISPLAY = "{pid: 77, kind: graphics, name: Xorg}"
SERVER = "{pid: 90, name: /usr/bin/nvidia-cuda-mps-server}"
CLIENT = "{pid: 91, kind: mps, name: python3}"
NAMED = "pid 4102 (vllm, pod 1f0c-77, container 3f2a77c1d0e9)"
HEAD = "apiVersion: resource.nvidia.com/v1beta1\nkind: {}\nsharing: {}"
MPS = HEAD.format("GpuConfig", "{strategy: MPS}")
TURNS = HEAD.format("GpuConfig", "{strategy: TimeSlicing, timeSlicingConfig: {interval: Long}}")


def setup(
    capsys: pytest.CaptureFixture[str], folder: Path, gpu: str, device: str, config: str | None = None
) -> tuple[int, list[str]]:
    """The exit status, and the reasons or, where it can be set up, the notes."""
    host = folder / "host.yaml"
    host.write_text(f"name: busy\ngpus: [{{uuid: {BUSY}, {gpu}}}]\n", encoding="ascii")
    words = ["node", "setup", device, "--host", f"sim:{host}", "-o", "json"]
    if config is not None:
        (folder / "config.yaml").write_text(config, encoding="ascii")
        words += ["--config", str(folder / "config.yaml")]
    status = run(words)
    answer = json.loads(capsys.readouterr().out)
    assert answer["possible"] is (status == 0)
    return status, answer["notes"] if status == 0 else [each["message"] for each in answer["why"]]


@pytest.mark.parametrize(
    ("gpu", "device", "reason"),
    [
        # NVML tries the reset within the call, and only where nobody holds the GPU
        (f"model: A100-40GB, processes: [{VLLM}]", "gpu-0:1g.5gb@0",
         (f"switching MIG on resets the GPU, and these programs must end first: {NAMED}; with them the mode would only "
         "be pending, and no instance could be made")),
        # Hopper switches the mode beside a program, and refuses the first instance
        (f"model: H100-SXM-80GB, processes: [{VLLM}]", "gpu-0:1g.10gb@0",
         f"the first MIG instance needs a GPU that no program uses, and these must end first: {NAMED}"),
        (f"model: H100-SXM-80GB, mig: true, processes: [{DISPLAY}]", "gpu-0:1g.10gb@0",
         "the first MIG instance needs a GPU that no program uses, and these must end first: pid 77 (Xorg)"),
    ],
)  # fmt: skip
def test_no_first_instance_beside_a_program(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, gpu: str, device: str, reason: str
) -> None:
    assert setup(capsys, tmp_path, gpu, device) == (
        3,
        [f"{device.split(':')[1].replace('@', ' at ')} of {BUSY}: {reason}"],
    )


def test_two_instances_tell_a_program_once(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "host.yaml").write_text(f"gpus: [{{model: A100-40GB, processes: [{VLLM}]}}]", encoding="ascii")
    assert run(["node", "setup", "gpu-0:1g.5gb@0", "gpu-0:1g.5gb@1", "--host", f"sim:{tmp_path / 'host.yaml'}"]) == 3
    out = capsys.readouterr().out
    assert out.count("pid 4102") == 1
    assert "(end them, or take another device)" in out


def test_a_further_instance_beside_a_program(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    gpu = "model: A100-40GB, mig: true, instances: [3g.20gb@0], processes: [{pid: 9, start: 0, name: train}]"
    status, notes = setup(capsys, tmp_path, gpu, "gpu-0:1g.5gb@4")
    assert (status, [each for each in notes if "pid" in each]) == (0, [])
    status, notes = setup(capsys, tmp_path, gpu, "gpu-0:3g.20gb@0")
    assert (status, notes[0]) == (0, f"3g.20gb at 0 of {BUSY}: in use already, by pid 9 (train)")


def test_mps_beside_a_program_that_is_no_client(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    reason = (
        f"{BUSY}: the MPS server gets no context in compute mode exclusive-process beside programs that aren't its "
        f"clients, which must end first: {NAMED}"
    )
    assert setup(capsys, tmp_path, f"model: L4, processes: [{VLLM}, {DISPLAY}]", "gpu-0", MPS) == (3, [reason])
    # also where the mode needs no step
    exclusive = f"model: L4, computeMode: exclusive-process, processes: [{VLLM}]"
    assert setup(capsys, tmp_path, exclusive, "gpu-0", MPS) == (3, [reason])
    status, notes = setup(capsys, tmp_path, f"model: L4, processes: [{DISPLAY}]", "gpu-0", MPS)
    assert (status, notes[0]) == (0, f"{BUSY}: in use already, by pid 77 (Xorg)")


def test_mps_that_runs_already(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    gpu = f"model: L4, computeMode: exclusive-process, processes: [{SERVER}, {CLIENT}]"
    status, notes = setup(capsys, tmp_path, gpu, "gpu-0", MPS)
    who = "pid 90 (/usr/bin/nvidia-cuda-mps-server), pid 91 (python3)"
    assert status == 0
    assert notes[:2] == [
        f"{BUSY}: MPS has it; if not by this claim's daemon, they must end first: {who}",
        f"{BUSY}: its compute mode is exclusive-process already, and stays so after the undo",
    ]
    reason = f"{BUSY}: MPS has the GPU, and these must end first: {who}"
    assert setup(capsys, tmp_path, gpu, "gpu-0", TURNS) == (3, [reason])


def test_who_uses_a_gpu_that_is_shared_by_turns(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    gpu = f"model: L4, persistence: false, computeMode: exclusive-process, processes: [{VLLM}]"
    status, notes = setup(capsys, tmp_path, gpu, "gpu-0", TURNS)
    assert (status, notes) == (
        0,
        [
            f"{BUSY}: in use already, by {NAMED}",
            f"{BUSY}: persistence mode is off: when no program holds the GPU, its compute mode may be lost",
            f"{BUSY}: its time-slice now isn't known, NVML doesn't tell it: the undo sets the driver's default",
            "compute mode and time-slice last until the driver is reloaded or the machine is rebooted",
            "NVIDIA's own driver needs its feature gate TimeSlicingSettings (alpha, off by default) for this",
        ],
    )
    status, notes = setup(capsys, tmp_path, gpu, "gpu-0")
    assert (status, notes[1:]) == (
        0,
        [f"{BUSY}: its compute mode is exclusive-process: one process can use it, to others it's busy or unavailable"],
    )
