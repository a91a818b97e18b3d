"""`aliquot node slices`: network cards, and claims for a GPU and a card on one PCIe root."""

import json
from pathlib import Path
from typing import Any

import pytest

from aliquot.cli.entry import run
from tests.devices.hosts.machine_root import class_device, pci_device
from tests.devices.published import by_pool, call, devices, documents_of, simulated, slices


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
    class_device(tmp_path, "net", "eth1", function, speed="25000", type="1")
    connectx = pci_device(tmp_path, "0000:8a:00.0", "15b3:1021", "0x020700")  # an InfiniBand card, by its class
    class_device(tmp_path, "infiniband", "mlx5_0", connectx, ports__1__link_layer="Ethernet")
    found = slices(capsys, "--host", f"sysfs:{tmp_path}", "--node", "bare-metal-1")
    by_name = devices(found, "nic.aliquot.dev")
    assert by_name["nic-0000-8a-00-0"]["attributes"]["kind"] == {"string": "ethernet"}  # what it speaks
    (card,) = [one for one in by_name.values() if one["name"] != "nic-0000-8a-00-0"]
    assert card["name"] == "nic-0000-9a-00-1"
    assert card["attributes"]["virtualFunction"] == {"bool": True}
    assert card["attributes"]["vendorID"] == {"string": "15b3"}
    assert {one["spec"]["nodeName"] for one in found} == {"bare-metal-1"}


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
