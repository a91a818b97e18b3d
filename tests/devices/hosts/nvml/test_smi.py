"""What only nvidia-smi can do; its words are read, not only its exit status."""

import shutil

import pytest

from aliquot.devices.hosts.protocol import HostFault, Refused, Why
from tests.devices.hosts.fake import Fake


def smi(fake: Fake, script: str) -> None:
    folder = fake.root / "usr/bin"
    folder.mkdir(parents=True, exist_ok=True)
    program = folder / "nvidia-smi"
    program.write_text(f"#!/bin/sh\n{script}\n", encoding="ascii")
    program.chmod(0o755)


def test_time_slices_through_nvidia_smi(fake: Fake) -> None:
    from aliquot.devices.gpu import TimeSlice

    host = fake.host()
    gpus = host.survey().gpus
    smi(fake, f'echo "$@" > {fake.folder}/asked; echo "Successfully set timeslice"')
    assert host.set_time_slice(gpus[1].uuid, TimeSlice.LONG) is None
    assert (fake.folder / "asked").read_text().split() == ["compute-policy", "-i", gpus[1].uuid, "--set-timeslice", "3"]
    assert host.survey().gpus[1].time_slice is TimeSlice.LONG
    refused = host.set_time_slice(gpus[0].uuid, TimeSlice.LONG)
    assert isinstance(refused, Refused)
    assert refused.why is Why.NOT_SUPPORTED
    smi(fake, 'echo "Failed to set timeslice: Not Supported"; exit 0')
    refused = host.set_time_slice(gpus[1].uuid, TimeSlice.SHORT)
    assert isinstance(refused, Refused)
    assert refused.why is Why.NOT_SUPPORTED
    smi(fake, "exit 9")
    refused = host.set_time_slice(gpus[1].uuid, TimeSlice.SHORT)
    assert isinstance(refused, Refused)
    assert refused.message.startswith("nvidia-smi ended with 9")


def test_a_reset_lets_go_first(fake: Fake) -> None:
    host = fake.host()
    gpu = host.survey().gpus[2].uuid
    smi(fake, f"grep -c ^session. {fake.state} > {fake.folder}/sessions; echo All done.")
    assert host.reset(gpu) is None
    assert (fake.folder / "sessions").read_text().strip() == "0"
    smi(fake, 'echo "GPU 00000000:47:00.0 is currently in use by one or more other processes"; exit 19')
    refused = host.reset(gpu)
    assert isinstance(refused, Refused)
    assert refused.why is Why.IN_USE


def test_without_nvidia_smi(fake: Fake, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(fake.folder))
    assert shutil.which("nvidia-smi") is None
    with pytest.raises(HostFault, match="no nvidia-smi"):
        fake.host().reset("GPU-1")
