"""`aliquot explain` of pods with claims: devices told one by one, groups that are empty now, gates."""

import json
from pathlib import Path
from typing import Any

import pytest

from aliquot.cli.entry import run

NAME = "device.attributes['gpu.nvidia.com'].productName == 'H100'"
SLIP = NAME.replace("productName", "productname")


STATUS = 'status: {allocatable: {cpu: "8", memory: 8Gi, pods: "9"}, nodeInfo: {kubeletVersion: v1.36.2}}'


def manifests(expression: str) -> str:
    """facts/dra.md T11: two nodes with slices, one without, a claim with a selector."""
    device = "{name: gpu-%d, attributes: {productName: {string: H100}}%s}"
    taint = ", taints: [{key: gpu.nvidia.com/xid, value: '79', effect: NoSchedule}]"
    return f"""
apiVersion: v1
kind: List
items:
- {{apiVersion: v1, kind: Node, metadata: {{name: n1}}, {STATUS}}}
- {{apiVersion: v1, kind: Node, metadata: {{name: n2}}, {STATUS}}}
- {{apiVersion: v1, kind: Node, metadata: {{name: n3}}, {STATUS}}}
- apiVersion: resource.k8s.io/v1
  kind: DeviceClass
  metadata: {{name: gpu}}
  spec: {{selectors: [{{cel: {{expression: "device.driver == 'gpu.nvidia.com'"}}}}]}}
- apiVersion: resource.k8s.io/v1
  kind: ResourceSlice
  metadata: {{name: n1}}
  spec:
    driver: gpu.nvidia.com
    nodeName: n1
    pool: {{name: n1, generation: 1, resourceSliceCount: 1}}
    devices: [{device % (0, "")}, {device % (1, taint)}]
- apiVersion: resource.k8s.io/v1
  kind: ResourceSlice
  metadata: {{name: n3}}
  spec:
    driver: gpu.nvidia.com
    nodeName: n3
    pool: {{name: n3, generation: 1, resourceSliceCount: 2}}
    devices: [{device % (0, "")}]
- apiVersion: resource.k8s.io/v1
  kind: ResourceClaim
  metadata: {{name: train, namespace: ml, uid: c-aaaa}}
  spec: {{devices: {{requests: [{{name: r0, exactly: {{deviceClassName: gpu}}}}]}}}}
  status:
    allocation: {{devices: {{results: [{{request: r0, driver: gpu.nvidia.com, pool: n1, device: gpu-0}}]}}}}
    reservedFor: [{{resource: pods, name: train, uid: p-1}}]
- apiVersion: v1
  kind: Pod
  metadata: {{name: train, namespace: ml, uid: p-1}}
  spec: {{nodeName: n1, containers: [{{name: main}}], resourceClaims: [{{name: gpu, resourceClaimName: train}}]}}
  status: {{phase: Running}}
- apiVersion: resource.k8s.io/v1
  kind: ResourceClaim
  metadata: {{name: serve, namespace: ml}}
  spec:
    devices:
      requests: [{{name: r0, exactly: {{deviceClassName: gpu, selectors: [{{cel: {{expression: "{expression}"}}}}]}}}}]
- apiVersion: v1
  kind: Pod
  metadata: {{name: serve, namespace: ml}}
  spec: {{containers: [{{name: main}}], resourceClaims: [{{name: gpu, resourceClaimName: serve}}]}}
"""


GROUP = """
apiVersion: v1
kind: Node
metadata: {name: h100-pool}
status: {allocatable: {cpu: "8", memory: 8Gi, pods: "9"}}
---
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: h100-pool}
spec:
  driver: gpu.nvidia.com
  nodeName: h100-pool
  pool: {name: h100-pool, generation: 1, resourceSliceCount: 1}
  devices:
  - {name: gpu-0, attributes: {productName: {string: H100}}}
  - {name: gpu-1, attributes: {productName: {string: H100}}}
"""


@pytest.fixture
def story(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Any:
    def explained(expression: str, *extra: str) -> Any:
        (tmp_path / "dump.yaml").write_text(manifests(expression))
        (tmp_path / "groups.yaml").write_text(GROUP)
        arguments = [one.replace("GROUPS", str(tmp_path / "groups.yaml")) for one in extra]
        assert run(["explain", "serve", "-n", "ml", "-f", str(tmp_path / "dump.yaml"), "-o", "json", *arguments]) == 3
        return json.loads(capsys.readouterr().out)["pods"][0]

    return explained


def devices_of(pod: Any, node: str) -> dict[str, list[str]]:
    (claim,) = next(one for one in pod["nodes"] if one["node"] == node)["claims"]
    return {device["device"]: device["reasons"] for device in claim["devices"]}


def test_an_absent_attribute_is_an_error_everywhere_and_the_nearest_name_is_offered(story: Any) -> None:
    pod = story(SLIP)
    assert pod["reason"] == "SchedulerError"
    assert pod["schedulerMessage"].endswith("selector #0: CEL runtime error: no such key: productname")
    reasons = devices_of(pod, "n1")["gpu.nvidia.com/n1/gpu-0"]
    assert any("no such key: productname" in reason for reason in reasons)
    assert not pod["waysOut"]  # with the name corrected the devices are still held, tainted, or not published


def test_all_reasons_are_given_not_the_first_only(story: Any) -> None:
    pod = story(NAME)
    told = devices_of(pod, "n1")
    assert told["gpu.nvidia.com/n1/gpu-0"] == ["held by claim ml/train of train"]
    assert told["gpu.nvidia.com/n1/gpu-1"] == [
        "device taint gpu.nvidia.com/xid=79:NoSchedule, not tolerated by the claim"
    ]
    nodes = {one["node"]: one for one in pod["nodes"]}
    assert nodes["n3"]["pools"] == ["pool gpu.nvidia.com/n3 is incomplete: 1 of 2 slices"]
    assert nodes["n2"]["claims"] == []  # it publishes nothing: it says nothing about the cause


def test_ways_out_of_held_tainted_and_unpublished_devices(story: Any) -> None:
    ways = {(way["kind"], way["object"]): way for way in story(NAME)["waysOut"]}
    assert ways["free-device", "pod/train"]["after"]["stopped"] == ["ml/train"]
    assert ways["republish", "driver"]["after"]["node"] == "n3"
    tolerated = ways["add-toleration", "claim"]
    assert tolerated["risk"]["level"] == "high"
    assert tolerated["changes"][0]["patch"]["jsonPatch"][0]["value"][0]["key"] == "gpu.nvidia.com/xid"


def test_a_group_without_nodes_helps_after_one_scale_up(story: Any) -> None:
    ways = story(NAME, "--node-groups", "GROUPS")["waysOut"]
    (grown,) = [way for way in ways if way["title"].startswith("Scale up node group h100-pool")]
    assert grown["kind"] == "add-node"


def test_gates_are_read_as_the_scheduler_reads_them(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "dump.yaml").write_text(manifests(NAME))
    arguments = ["explain", "serve", "-f", str(tmp_path / "dump.yaml"), "-o", "json", "--feature-gates"]
    assert run([*arguments, "DRADeviceTaints=false"]) == 0  # taints of devices then don't count
    assert json.loads(capsys.readouterr().out)["pods"][0]["node"] == "n1"
    assert run([*arguments, "DRADeviceTaint=false"]) == 2
    assert "hint: nearest: DRADeviceTaints" in capsys.readouterr().err
    assert run([*arguments, "DRADeviceTaints=maybe"]) == 2
