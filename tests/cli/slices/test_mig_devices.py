"""`aliquot node slices`: a GPU whole, the instances that stand on it, and the places where more may be made."""

from pathlib import Path

import pytest

from aliquot.cli.entry import run
from tests.devices.published import STANDING, call, devices, documents_of, simulated, slices

T6 = """
name: mixed-node
driver: {version: 580.65.06, cuda: "13.0"}
gpus:
  - {model: L4, pci: "0000:07:00.0"}
  - {model: H100-SXM-80GB, pci: "0000:0f:00.0", pcieRoot: "pci0000:00", numa: 1, mig: true}
"""


def test_t6_a_mixed_node(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    found = slices(capsys, "--host", simulated(tmp_path, T6), "--kubernetes", "1.36")
    (counters,) = [one["spec"]["sharedCounters"] for one in found if "sharedCounters" in one["spec"]]
    assert [one["name"] for one in counters] == ["gpu-1-counter-set"]
    by_name = devices(found)
    plain = by_name.pop("gpu-0")
    assert "consumesCounters" not in plain
    assert plain["attributes"]["cudaComputeCapability"] == {"version": "8.9.0"}
    assert plain["attributes"]["architecture"] == {"string": "Ada Lovelace"}
    assert plain["capacity"] == {"memory": {"value": "23034Mi"}}
    assert len(by_name) == 26
    assert {name.split("-mig-")[0] for name in by_name} == {"gpu-1"}
    whole = by_name["gpu-1"]
    assert whole["capacity"] == {
        "memory": {"value": "81152Mi"},  # what its MIG profiles hold; the driver tells 81559Mi
        "multiprocessors": {"value": "132"},
        "copyEngines": {"value": "8"},
        "decoders": {"value": "7"},
        "encoders": {"value": "0"},
        "jpegEngines": {"value": "7"},
        "ofaEngines": {"value": "1"},
    }
    assert whole["attributes"] == {
        "type": {"string": "gpu"},
        "uuid": {"string": whole["attributes"]["uuid"]["string"]},
        "productName": {"string": "NVIDIA H100 80GB HBM3"},
        "brand": {"string": "Nvidia"},
        "architecture": {"string": "Hopper"},
        "cudaComputeCapability": {"version": "9.0.0"},
        "driverVersion": {"version": "580.65.6"},
        "cudaDriverVersion": {"version": "13.0.0"},
        "resource.kubernetes.io/pciBusID": {"string": "0000:0f:00.0"},
        "resource.kubernetes.io/pcieRoot": {"string": "pci0000:00"},
        "resource.kubernetes.io/numaNode": {"int": 1},
    }
    assert whole["consumesCounters"] == [{"counterSet": "gpu-1-counter-set", "counters": counters[0]["counters"]}]
    part = by_name["gpu-1-mig-1g10gb-me-20-3"]
    assert part["attributes"]["profile"] == {"string": "1g.10gb+me"}
    assert part["attributes"]["parentUUID"] == whole["attributes"]["uuid"]
    assert "uuid" not in part["attributes"]
    assert part["capacity"] == {
        "memory": {"value": "9984Mi"},
        "multiprocessors": {"value": "16"},
        "copyEngines": {"value": "1"},
        "decoders": {"value": "1"},
        "encoders": {"value": "0"},
        "jpegEngines": {"value": "1"},
        "ofaEngines": {"value": "1"},
    }
    assert part["consumesCounters"][0]["counters"] == {
        "memory": {"value": "9984Mi"},
        "multiprocessors": {"value": "16"},
        "copy-engines": {"value": "1"},
        "decoders": {"value": "1"},
        "encoders": {"value": "0"},
        "jpeg-engines": {"value": "1"},
        "ofa-engines": {"value": "1"},
        "memory-slice-3": {"value": "1"},
    }
    uuids = [
        device["attributes"]["uuid"]["string"]
        for device in (plain, *by_name.values())
        if "uuid" in device["attributes"]
    ]
    assert len(uuids) == len(set(uuids)) == 2


def test_instances_that_stand_are_devices_and_what_they_hold_is_not_on_offer(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    host = simulated(tmp_path, STANDING)
    found = slices(capsys, "--host", host)
    by_name = devices(found)
    assert "gpu-4" not in by_name  # it's divided
    standing = by_name.pop("gpu-4-mig-3g20gb-9-0")
    assert standing["attributes"]["uuid"]["string"].startswith("MIG-")
    assert "consumesCounters" not in standing
    assert {name for name in standing["capacity"] if name.startswith("memorySlice")} == {
        f"memorySlice{number}" for number in range(4)
    }
    (counters,) = [one["spec"]["sharedCounters"][0]["counters"] for one in found if "sharedCounters" in one["spec"]]
    assert counters["multiprocessors"] == {"value": "56"}
    assert [name for name in counters if name.startswith("memory-slice")] == [f"memory-slice-{n}" for n in range(4, 8)]
    assert set(by_name) == {
        *(f"gpu-4-mig-1g5gb-19-{start}" for start in (4, 5, 6)),
        *(f"gpu-4-mig-1g5gb-me-20-{start}" for start in (4, 5, 6)),
        *(f"gpu-4-mig-1g10gb-15-{start}" for start in (4, 6)),
        "gpu-4-mig-2g10gb-14-4",
        "gpu-4-mig-3g20gb-9-4",
    }
    assert set(devices(slices(capsys, "--host", host, "--mig", "static"))) == {"gpu-4-mig-3g20gb-9-0"}


WITHOUT_PLACES = "published without MIG devices"


@pytest.mark.parametrize("mig", ["dynamic", "static"])
@pytest.mark.parametrize("model", ["A100-40GB", "A30", "H100-SXM-80GB"])
def test_a_whole_gpu_that_is_not_divided_has_its_memory_alone(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, model: str, mig: str
) -> None:
    """Before Hopper, MIG can't be switched on for a claim, so places that nobody could prepare aren't on offer."""
    host = simulated(tmp_path, f"name: n\ngpus: [{{model: {model}}}, {{model: {model}}}]\n")
    status, out, err = call(capsys, "--host", host, "--mig", mig)
    assert status == 0
    by_name = devices(documents_of(out))
    if model.startswith("H100") and mig == "dynamic":
        assert (len(by_name), err) == (2 * 26, "")
        return
    assert set(by_name) == {"gpu-0", "gpu-1"}
    assert all(device["capacity"].keys() == {"memory"} for device in by_name.values())
    assert all("consumesCounters" not in device for device in by_name.values())
    said = f"note: gpu-0, gpu-1: {WITHOUT_PLACES}, since MIG is off and switching it on takes a reset before Hopper;"
    assert err.startswith(said) if mig == "dynamic" else err == ""


@pytest.mark.parametrize("model", ["A100-40GB", "H100-SXM-80GB"])
def test_mig_that_is_on_without_instances(capsys: pytest.CaptureFixture[str], tmp_path: Path, model: str) -> None:
    """From Hopper on it's switched off again for a claim of the whole GPU; before, there's no whole GPU to give."""
    host = simulated(tmp_path, f"name: n\ngpus: [{{model: {model}, mig: true}}]\n")
    status, out, err = call(capsys, "--host", host)
    found = documents_of(out)
    assert status == 0
    places = {name for name in devices(found) if name.startswith("gpu-0-mig-")}
    assert len(places) == 25
    if model.startswith("H100"):
        assert (set(devices(found)) - places, err) == ({"gpu-0"}, "")
    else:
        assert set(devices(found)) == places
        assert err == (
            "note: gpu-0: not published as a whole, since MIG is on and switching it off takes a reset before Hopper\n"
        )
    (counters,) = [one["spec"]["sharedCounters"] for one in found if "sharedCounters" in one["spec"]]
    assert counters[0]["counters"]["encoders"] == {"value": "0"}


def test_what_is_published_can_be_prepared(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """Every device that a node publishes is one that `aliquot node setup` sets up, whatever the MIG mode is."""
    gpus = [f"{{model: {model}, mig: {mig}}}" for model in ("A30", "H100-SXM-80GB") for mig in ("true", "false")]
    host = simulated(tmp_path, f"name: n\ngpus: [{', '.join(gpus)}]\n")
    published = devices(documents_of(call(capsys, "--host", host)[1]))
    assert {name.split("-mig-")[0] for name in published} == {f"gpu-{number}" for number in range(4)}
    for name, device in published.items():
        gpu, _, place = name.partition("-mig-")
        profile = device["attributes"].get("profile", {}).get("string")
        target = gpu if profile is None else f"{gpu}:{profile}@{place.rpartition('-')[2]}"
        assert run(["node", "setup", target, "--host", host]) == 0, target
        said = capsys.readouterr().out
        if name == "gpu-2":
            assert "MIG" in said  # is switched off first
        elif name.startswith("gpu-3-mig"):
            assert "MIG" in said  # is switched on first
