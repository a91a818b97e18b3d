"""`aliquot node slices`: what simulated, fake and broken machines publish, for each release of Kubernetes."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from aliquot.cli.entry import run
from aliquot.devices.hosts.nvml import host as nvml
from aliquot.devices.hosts.simulated.file import read_host
from aliquot.devices.hosts.simulated.host import SimulatedHost
from aliquot.devices.hosts.simulated.presets import preset_names
from scenarios.api.slice_limits import complaints
from tests.devices.hosts.fake import Fake
from tests.devices.hosts.machine_root import class_device, pci_device

RELEASES = (34, 35, 36, 37)
PARTITIONABLE = "DRAPartitionableDevices=true,DRADeviceTaints=true"
T6 = """
name: mixed-node
driver: {version: 580.65.06, cuda: "13.0"}
gpus:
  - {model: L4, pci: "0000:07:00.0"}
  - {model: H100-SXM-80GB, pci: "0000:0f:00.0", pcieRoot: "pci0000:00", numa: 1, mig: true}
"""
STANDING = """
name: standing
gpus:
  - {model: A100-40GB, minor: 4, mig: true, instances: [3g.20gb@0]}
"""


def call(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    status = run(["node", "slices", *words])
    out, err = capsys.readouterr()
    assert "Traceback" not in out + err
    return status, out, err


def documents_of(text: str) -> list[Any]:
    return list(yaml.load_all(text, Loader=yaml.CSafeLoader))


def slices(capsys: pytest.CaptureFixture[str], *words: str) -> list[Any]:
    """What's published without anything left out."""
    status, out, err = call(capsys, *words)
    assert (status, err) == (0, "")
    return documents_of(out)


def devices(documents: list[Any], driver: str = "gpu.nvidia.com") -> dict[str, Any]:
    return {
        device["name"]: device
        for one in documents
        if one["spec"]["driver"] == driver
        for device in one["spec"].get("devices", [])
    }


def simulated(tmp_path: Path, text: str) -> str:
    path = tmp_path / "host.yaml"
    path.write_text(text, encoding="ascii")
    return f"sim:{path}"


def by_pool(documents: list[Any]) -> list[list[Any]]:
    drivers = sorted({one["spec"]["driver"] for one in documents})
    return [[one for one in documents if one["spec"]["driver"] == driver] for driver in drivers]


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
    assert status == (1 if err else 0)
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
    assert "dividing gpu-0 on demand isn't published: the feature gate DRAPartitionableDevices is off" in err
    assert "gpu-2 isn't published: MIG is on and there is no instance" in err


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
        "jpegEngines": {"value": "1"},
        "ofaEngines": {"value": "1"},
    }
    assert part["consumesCounters"][0]["counters"] == {
        "memory": {"value": "9984Mi"},
        "multiprocessors": {"value": "16"},
        "copy-engines": {"value": "1"},
        "decoders": {"value": "1"},
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


def test_network_cards_have_a_driver_of_their_own(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    found = slices(capsys, "--host", "preset:dgx-a100")
    (pool,) = [one for one in found if one["spec"]["driver"] == "nic.aliquot.dev"]
    assert pool["spec"]["pool"] == {"name": "dgx-a100", "generation": 1, "resourceSliceCount": 1}
    card = devices(found, "nic.aliquot.dev")["nic-0000-0c-00-0"]
    assert card["capacity"] == {"bandwidth": {"value": "200G"}}
    gpu = devices(found)["gpu-2"]
    root = "resource.kubernetes.io/pcieRoot"
    assert card["attributes"][root] == gpu["attributes"][root] == {"string": "pci0000:00"}
    assert card["attributes"]["rdmaDevice"] == {"string": "mlx5_0"}
    named = slices(capsys, "--host", "preset:dgx-a100", "--nic-driver", "nic.example.com")
    assert len(devices(named, "nic.example.com")) == 8
    # an ordinary card's interface is the node's own way out
    assert by_pool(slices(capsys, "--host", "preset:aws-g5.xlarge"))[0][0]["spec"]["driver"] == "gpu.nvidia.com"
    assert devices(slices(capsys, "--host", "preset:aws-g5.xlarge"), "nic.aliquot.dev") == {}
    down = 'name: n\ngpus: []\nnics: [{pci: "0000:9a:00.0", rdma: [mlx5_0], up: false}]\n'
    cut = slices(capsys, "--host", simulated(tmp_path, down))
    assert devices(cut, "nic.aliquot.dev")["nic-0000-9a-00-0"]["taints"] == [
        {"key": "nic.aliquot.dev/link-down", "effect": "NoSchedule"}
    ]
    assert [one["spec"].get("devices") for one in cut if one["spec"]["driver"] == "gpu.nvidia.com"] == [None]


def test_cards_of_a_machine_without_gpus(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    parent = pci_device(tmp_path, "0000:9a:00.0", "15b3:101b", "0x020000")
    class_device(tmp_path, "net", "eth0", parent)
    function = pci_device(tmp_path, "0000:9a:00.1", "15b3:101c", "0x020000", numa=1)
    (function / "physfn").symlink_to(parent)
    class_device(tmp_path, "net", "eth1", function, speed="25000")
    found = slices(capsys, "--host", f"sysfs:{tmp_path}", "--node", "bare-metal-1")
    (card,) = devices(found, "nic.aliquot.dev").values()
    assert card["name"] == "nic-0000-9a-00-1"
    assert card["attributes"]["virtualFunction"] == {"bool": True}
    assert card["attributes"]["vendorID"] == {"string": "15b3"}
    assert {one["spec"]["nodeName"] for one in found} == {"bare-metal-1"}


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
    host = simulated(tmp_path, f"name: n\ngpus: [{{model: L4}}, {{model: L4}}]\nfaults: [{faults}]\n")
    path = tmp_path / "host.yaml"
    told = SimulatedHost(read_host(path.read_text(encoding="ascii"), "x"), state=tmp_path / "host.yaml.state")
    assert len(told.events(0)) == 1
    found = devices(slices(capsys, "--host", host, "--kubernetes", "1.36"))
    assert [(one["key"], one["value"], one["effect"]) for one in found["gpu-0"].get("taints", [])] == taints
    assert "taints" not in found["gpu-1"]
    assert "taints" not in devices(slices(capsys, "--host", host, "--kubernetes", "1.34"))["gpu-0"]


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
    for device in real.values():  # the driver tells encoders too, none each
        assert device["capacity"].pop("encoders", {"value": "0"}) == {"value": "0"}
        for use in device.get("consumesCounters", []):
            assert use["counters"].pop("encoders", {"value": "0"}) == {"value": "0"}
    assert real == told


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


def test_whole_gpus_that_several_claims_may_hold(capsys: pytest.CaptureFixture[str]) -> None:
    host = ("--host", "preset:hgx-h100", "--kubernetes", "1.36", "--consumable-shares")
    memory = {"min": "0", "max": "81559Mi", "step": "1Mi"}
    for words, least, default, shares in (
        (
            "4",
            "0",
            "0",
            {"value": "4", "requestPolicy": {"default": "1", "validRange": {"min": "1", "max": "4", "step": "1"}}},
        ),
        ("unlimited", "0", "0", None),
        ("memory", "1Mi", "81559Mi", None),
    ):
        found = slices(capsys, *host, words)
        assert complaints(found[:1], 36) == []
        gpu = devices(found)["gpu-0"]
        assert len(devices(found)) == 8  # a GPU that's shared isn't divided on demand
        assert gpu["allowMultipleAllocations"] is True
        policy = {"default": default, "validRange": {**memory, "min": least}}
        assert gpu["capacity"]["memory"] == {"value": "81559Mi", "requestPolicy": policy}
        assert gpu["capacity"].get("shares") == shares
    status, out, err = call(capsys, "--host", "preset:l4-node", "--kubernetes", "1.35", "--consumable-shares", "2")
    assert status == 1
    assert not any("allowMultipleAllocations" in device for device in devices(documents_of(out)).values())
    assert "sharing gpu-0 isn't published: the feature gate DRAConsumableCapacity is off in Kubernetes 1.35" in err


def test_as_json_and_in_words(capsys: pytest.CaptureFixture[str]) -> None:
    host = ("--host", "preset:hgx-h100", "--kubernetes", "1.36")
    listed = json.loads(call(capsys, *host, "-o", "json")[1])
    assert (listed["apiVersion"], listed["kind"]) == ("v1", "List")
    assert listed["items"] == slices(capsys, *host)
    lines = call(capsys, *host, "-o", "text")[1].splitlines()
    assert lines[0] == "gpu.nvidia.com, pool hgx-h100, generation 1: 9 slices"
    assert lines[1].split("  ")[-1] == "8 counter sets"
    assert lines[2].endswith("gpu-0; 25 MIG devices (gpu-0-mig-1g10gb-19-0 …)")
    assert lines[10].startswith("nic.aliquot.dev, pool hgx-h100, generation 1: 1 slice")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--kubernetes", "1.33"), "--kubernetes: 1.33 isn't supported here"),
        (("--kubernetes", "1.99"), "--kubernetes: 1.99 isn't supported here"),
        (("--kubernetes", "newest"), "not a Kubernetes version: 'newest'"),
        (("--feature-gates", "DRAPartitionable=true"), "no feature gate 'DRAPartitionable' matters here"),
        (("--host", "preset:none"), "there is no preset 'none'"),
        (("--node", "Node_1"), "--node: 'Node_1' is no name of a node"),
        (("--consumable-shares", "some"), "--consumable-shares: 'some' isn't known"),
        (("--consumable-shares", "0"), "--consumable-shares: '0' isn't known"),
        (("--nic-driver", "Nic!"), "--nic-driver: 'Nic!' is no name of a driver"),
    ],
)
def test_what_cannot_be_used(capsys: pytest.CaptureFixture[str], words: tuple[str, ...], said: str) -> None:
    host = () if "--host" in words else ("--host", "preset:l4-node")
    status, out, err = call(capsys, *host, *words)
    assert (status, out) == (2, "")
    assert said in err


PAIR = """
apiVersion: v1
kind: Node
metadata: {name: dgx-a100}
status:
  allocatable: {cpu: "128", memory: 1Ti, pods: "110"}
  conditions: [{type: Ready, status: "True"}]
  nodeInfo: {kubeletVersion: v1.36.2}
---
apiVersion: resource.k8s.io/v1
kind: DeviceClass
metadata: {name: gpu.nvidia.com}
spec: {selectors: [{cel: {expression: "device.driver == 'gpu.nvidia.com'"}}]}
---
apiVersion: resource.k8s.io/v1
kind: DeviceClass
metadata: {name: nic.aliquot.dev}
spec: {selectors: [{cel: {expression: "device.driver == 'nic.aliquot.dev'"}}]}
---
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: pair, namespace: ml}
spec:
  devices:
    requests:
    - name: gpu
      exactly:
        deviceClassName: gpu.nvidia.com
        selectors: [{cel: {expression: "device.attributes['gpu.nvidia.com'].?uuid.orValue('').endsWith('WANTED')"}}]
    - {name: nic, exactly: {deviceClassName: nic.aliquot.dev}}
    constraints: [{requests: [gpu, nic], matchAttribute: ATTRIBUTE}]
---
apiVersion: v1
kind: Pod
metadata: {name: train, namespace: ml, uid: u}
spec:
  containers: [{name: c, image: x, resources: {claims: [{name: pair}]}}]
  resourceClaims: [{name: pair, resourceClaimName: pair}]
---
"""


def explained(capsys: pytest.CaptureFixture[str], folder: Path, attribute: str) -> tuple[dict[str, Any], str]:
    """What `explain` says of a GPU of root pci0000:a0 and a card on the same root, and the GPU's name."""
    published = call(capsys, "--host", "preset:dgx-a100", "--kubernetes", "1.36")[1]
    gpu = devices(documents_of(published))["gpu-5"]
    wanted = PAIR.replace("ATTRIBUTE", attribute).replace("WANTED", gpu["attributes"]["uuid"]["string"][-8:])
    (folder / "dump.yaml").write_text(wanted + published, encoding="utf-8")
    run(["explain", "pod/train", "-n", "ml", "-f", str(folder / "dump.yaml"), "-o", "json"])
    answer: dict[str, Any] = json.loads(capsys.readouterr().out)["pods"][0]
    return answer, gpu["name"]


def test_a_gpu_and_a_card_on_one_root(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    answer, gpu = explained(capsys, tmp_path, "resource.kubernetes.io/pcieRoot")
    assert answer["verdict"] == "placeable"
    assert answer["devices"][0] == f"gpu.nvidia.com/dgx-a100/{gpu}"
    cards = devices(slices(capsys, "--host", "preset:dgx-a100"), "nic.aliquot.dev")
    card = cards[answer["devices"][1].rpartition("/")[2]]
    assert card["attributes"]["resource.kubernetes.io/pcieRoot"] == {"string": "pci0000:a0"}


@pytest.mark.parametrize(
    "attribute", ["k8s.io/PCIeRoot", "resource.kubernetes.io/pcieRot", "pcie.example.com/pcieroot"]
)
def test_a_misspelt_root_is_corrected(capsys: pytest.CaptureFixture[str], tmp_path: Path, attribute: str) -> None:
    answer, _ = explained(capsys, tmp_path, attribute)
    assert answer["verdict"] == "pending"
    meant = "resource.kubernetes.io/pcieRoot"
    assert (
        f"no device publishes {attribute}, which matchAttribute compares ({meant} is probably meant)"
        in answer["sentence"]
    )
    first = answer["waysOut"][0]
    assert first["title"] == f"Correct the constraint: matchAttribute {meant} (not {attribute})"
    assert first["changes"][0]["patch"]["jsonPatch"] == [
        {"op": "replace", "path": "/spec/devices/constraints/0/matchAttribute", "value": meant}
    ]


def test_an_attribute_like_no_other_is_not_corrected(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    answer, _ = explained(capsys, tmp_path, "example.com/rack")
    assert "no device publishes example.com/rack, which matchAttribute compares." in answer["sentence"]
    assert [way["kind"] for way in answer["waysOut"]] == ["change-request"]


def test_what_the_api_server_would_refuse_is_told(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    host = simulated(tmp_path, f"name: n\ngpus: [{{model: L4, name: {'x' * 65}}}, {{model: L4}}]\n")
    status, out, err = call(capsys, "--host", host)
    assert (status, out) == (2, "")
    assert "gpu.nvidia.com: device gpu-0: the value of productName has more than 64 letters" in err
