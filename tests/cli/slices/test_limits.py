"""`aliquot node slices`: what's published keeps the limits of every release, and what can't is told."""

import json
from pathlib import Path

import pytest

from aliquot.devices.hosts.simulated.presets import preset_names
from scenarios.api.slice_limits import complaints
from tests.devices.published import PARTITIONABLE, by_pool, call, devices, documents_of, simulated, slices

RELEASES = (34, 35, 36, 37)


@pytest.mark.parametrize("gates", ["", PARTITIONABLE])
@pytest.mark.parametrize("minor", RELEASES)
@pytest.mark.parametrize("preset", preset_names())
def test_every_preset_passes_the_limits_of_every_release(
    capsys: pytest.CaptureFixture[str], preset: str, minor: int, gates: str
) -> None:
    words = ["--host", f"preset:{preset}", "--kubernetes", f"1.{minor}", "--feature-gates", gates, "-o", "json"]
    status, out, err = call(capsys, *words)
    documents = json.loads(out)["items"]
    for pool in by_pool(documents):
        assert complaints(pool, minor, dropped=not gates) == []
    assert {one["spec"]["nodeName"] for one in documents} == {preset}
    assert status == (1 if "warning: " in err else 0)
    divided = any(one["spec"].get("sharedCounters") for one in documents)
    assert not divided or minor >= 36 or gates
    if not gates and minor < 36 and "MIG" in err:
        assert "the feature gate DRAPartitionableDevices is off" in err


@pytest.mark.parametrize("minor", RELEASES)
def test_t5_twelve_h100(capsys: pytest.CaptureFixture[str], tmp_path: Path, minor: int) -> None:
    gpus = "".join(f"  - {{model: H100-SXM-80GB, mig: {str(n % 2 == 0).lower()}}}\n" for n in range(12))
    host = simulated(tmp_path, f"name: n1\ngpus:\n{gpus}")
    found = slices(capsys, "--host", host, "--kubernetes", f"1.{minor}", "--feature-gates", PARTITIONABLE)
    assert complaints(found, minor, dropped=False) == []
    sizes = [(len(one["spec"].get("sharedCounters", [])), len(one["spec"].get("devices", []))) for one in found]
    assert sizes == ([(1, 26)] * 12 if minor == 34 else [(8, 0), (4, 0), *[(0, 26)] * 12])
    status, out, err = call(capsys, "--host", host, "--kubernetes", "1.34")
    assert status == 1
    (only,) = documents_of(out)
    assert [device["name"] for device in only["spec"]["devices"]] == [f"gpu-{n}" for n in (1, 3, 5, 7, 9, 11)]
    eight = ", ".join(f"gpu-{number}" for number in range(8))
    assert err.splitlines() == [
        (
            f"warning: dividing {eight} and 4 more on demand isn't published: "
            "the feature gate DRAPartitionableDevices is off in Kubernetes 1.34"
        ),
        "warning: gpu-0, gpu-2, gpu-4, gpu-6, gpu-8, gpu-10 aren't published: MIG is on and there is no instance",
    ]


def test_of_a_gpu_that_no_program_may_use_only_the_whole_is_held_back(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    host = simulated(tmp_path, "name: n\ngpus: [{model: H100-SXM-80GB, computeMode: prohibited}]\n")
    status, out, err = call(capsys, "--host", host)
    assert (status, len(devices(documents_of(out)))) == (1, 25)
    assert err == "warning: the whole of gpu-0 isn't published: compute mode prohibited: no program may use it\n"


def test_what_the_api_server_would_refuse_is_told(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    host = simulated(tmp_path, f"name: n\ngpus: [{{model: L4, name: {'x' * 65}}}, {{model: L4}}]\n")
    status, out, err = call(capsys, "--host", host)
    assert (status, out) == (2, "")
    assert "gpu.nvidia.com: device gpu-0: the value of productName has more than 64 letters" in err
