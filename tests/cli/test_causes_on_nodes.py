"""`aliquot explain` where something stands beside the obvious: what is told first, and what is offered first.

Each is a situation that an earlier version told misleadingly.
"""

import json
from pathlib import Path
from typing import Any

import pytest

from aliquot.cli.entry import run
from scenarios.api.cluster import node, pod

Json = dict[str, Any]
PLUGIN = "nvidia-device-plugin-daemonset"
OF_PLUGIN = {"apiVersion": "apps/v1", "kind": "DaemonSet", "name": PLUGIN, "uid": "d", "controller": True}
CLAIM: Json = {"volumes": [{"name": "v", "persistentVolumeClaim": {"claimName": "data"}}]}


def told(path: Path, capsys: pytest.CaptureFixture[str], *items: Json, pod_name: str = "p") -> Json:
    """The pod's part of the JSON document."""
    dump = path / "dump.json"
    dump.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": list(items)}))
    run(["explain", f"pod/{pod_name}", "-f", str(dump), "-o", "json"])
    answer: Json = json.loads(capsys.readouterr().out)["pods"][0]
    return answer


def text(path: Path, capsys: pytest.CaptureFixture[str]) -> tuple[int, str]:
    """The text of the same, in one line, and the exit status."""
    status = run(["explain", "pod/p", "-f", str(path / "dump.json")])
    return status, " ".join(capsys.readouterr().out.split())


def dark(name: str, capacity: int = 4) -> Json:
    """A node whose kubelet knows devices and gives none."""
    made = node(name, gpu=0)
    made["status"]["capacity"] = {**made["status"]["allocatable"], "nvidia.com/gpu": str(capacity)}
    return made


def crashing(name: str, on: str) -> Json:
    made = pod(name, on=on)
    made["metadata"] |= {"namespace": "gpu-operator", "ownerReferences": [OF_PLUGIN]}
    waiting = {"reason": "CrashLoopBackOff", "message": "back-off restarting failed container"}
    made["status"]["containerStatuses"] = [
        {"name": "main", "ready": False, "restartCount": 9, "state": {"waiting": waiting}}
    ]
    return made


def test_a_device_plugin_that_crashes_is_the_cause_also_without_its_daemon_set(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = told(tmp_path, capsys, dark("a0"), node("c0"), crashing("plugin-x", "a0"), pod("p", gpu=1))
    assert found["sentence"].startswith("The device plugin of nvidia.com/gpu doesn't run on a0: gpu-operator/plugin-x")
    assert "CrashLoopBackOff" in found["sentence"]
    assert found["cause"]["kind"] == "driver"
    first = found["waysOut"][0]
    assert (first["kind"], first["after"]["node"]) == ("fix-driver", "a0")
    assert first["changes"][0]["command"] == "kubectl logs plugin-x -n gpu-operator --previous"
    assert "repair" not in {way["kind"] for way in found["waysOut"]}


def test_devices_that_nobody_gives_are_not_called_sick_where_nothing_shows_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = told(tmp_path, capsys, dark("a0"), pod("p", gpu=1))
    assert "(unhealthy devices, or the device plugin stopped)" in found["sentence"]
    (repair,) = [way for way in found["waysOut"] if way["kind"] == "repair"]
    assert repair["title"].endswith("none is allocatable: its device plugin stopped, or all are unhealthy")


def test_a_node_with_gpus_by_its_labels_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bare = node("a0", labels={"nvidia.com/gpu.present": "true"})
    found = told(tmp_path, capsys, bare, node("c0"), pod("other", on="c0"), pod("p", gpu=1))
    assert found["sentence"] == (
        "No node offers nvidia.com/gpu, though its labels say that a0 has NVIDIA GPUs: no pod of a device plugin is on"
        " it in the input."
    )
    first = found["waysOut"][0]
    assert (first["kind"], first["simulated"]) == ("fix-driver", False)
    assert "not tried: a dump can't tell" in text(tmp_path, capsys)[1]


def test_volumes_that_cannot_be_judged_take_the_tick_away(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    claim = {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": {"name": "data", "namespace": "ml"},
        "spec": {"storageClassName": "fast"},
        "status": {"phase": "Pending"},
    }
    told(tmp_path, capsys, node("a0", gpu=2), claim, pod("p", gpu=1, **CLAIM))
    status, words = text(tmp_path, capsys)
    assert status == 0
    assert words.startswith("? ml/p placeable As far as the input shows ml/p would be placed: a0 has room for it.")
    assert "kubectl get pvc,pv,storageclasses -A -o json" in words


def test_uncordon_stands_before_another_kind_of_gpu(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cordoned = node("a0", gpu=4)
    cordoned["spec"]["unschedulable"] = True
    product = "nvidia.com/gpu.product"
    others = [
        node(name, gpu=4, labels={product: model})
        for name, model in (("l0", "NVIDIA-L4"), ("h0", "NVIDIA-H100-80GB-HBM3"), ("h1", "NVIDIA-H100-80GB-HBM3"))
    ]
    wanted = pod("p", gpu=1, nodeSelector={product: "NVIDIA-A100-SXM4-40GB"})
    found = told(tmp_path, capsys, cordoned, *others, wanted)
    assert found["sentence"].startswith("The only node with 1 nvidia.com/gpu that it selects is cordoned: a0.")
    ways = [(way["kind"], way["title"]) for way in found["waysOut"]]
    assert ways[0] == ("uncordon", "Uncordon a0")
    assert [title for kind, title in ways if kind == "fix-selector"] == [
        f"Have it select h0: {product}=NVIDIA-H100-80GB-HBM3 instead of NVIDIA-A100-SXM4-40GB"
    ]


def test_a_slip_is_corrected_also_where_what_was_meant_is_taken(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    holder = pod("holder", on="a0", gpu=1)
    found = told(tmp_path, capsys, node("a0", gpu=1), holder, pod("p", requests={"nvidia.com/gpus": 1}))
    assert "nvidia.com/gpu (0 free of 1 on a0) is probably meant" in found["sentence"]
    assert found["waysOut"][0]["title"].startswith("Ask for nvidia.com/gpu (not nvidia.com/gpus); then: ")


def test_a_taint_behind_a_selector_is_told_too(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tainted = node("a0", gpu=2, taints=[{"key": "team", "value": "x", "effect": "NoSchedule"}])
    wanted = pod("p", gpu=1, nodeSelector={"nvidia.com/gpu.product": "NVIDIA-A100-SXM4-40G"})
    found = told(tmp_path, capsys, tainted, wanted)
    assert "there is NVIDIA-A100-SXM4-40GB" in found["sentence"]
    assert found["sentence"].endswith(
        "And that isn't all that speaks against it: a0 has taint team=x:NoSchedule, which the pod doesn't tolerate."
    )


def test_a_finalizer_keeps_a_holder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    holder = pod("holder", on="a0", gpu=1)
    holder["metadata"] |= {"deletionTimestamp": "2026-11-20T00:00:00Z", "finalizers": ["example.com/backup"]}
    found = told(tmp_path, capsys, node("a0", gpu=1), holder, pod("p", gpu=1))
    assert "kept by its finalizer example.com/backup: it holds until it's gone" in found["sentence"]
    first = found["waysOut"][0]
    assert (first["kind"], first["object"], first["risk"]["level"]) == ("free-device", "pod/holder", "low")
    assert first["changes"][0]["command"].startswith(
        "kubectl get pod holder -n ml -o jsonpath='{.metadata.finalizers}'"
    )


def test_a_host_port_can_be_done_without(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def web(name: str, on: str = "") -> Json:
        made = pod(name, on=on, gpu=1)
        made["spec"]["containers"][0]["ports"] = [{"containerPort": 8000, "hostPort": 80}, {"containerPort": 9000}]
        return made

    found = told(tmp_path, capsys, node("a0", gpu=4), web("first", "a0"), web("p"))
    first = found["waysOut"][0]
    assert first["kind"] == "drop-host-port"
    assert first["changes"][0]["patch"]["spec"]["containers"] == [
        {"name": "main", "ports": [{"containerPort": 8000, "protocol": "TCP", "hostPort": None}]}
    ]
    assert "held:" not in text(tmp_path, capsys)[1]  # GPUs aren't short: who holds them is beside the point


def test_a_volume_in_another_zone_names_both_zones(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    zone = "topology.kubernetes.io/zone"
    reach = {"matchExpressions": [{"key": zone, "operator": "In", "values": ["eu-1b"]}]}
    volume = {
        "apiVersion": "v1",
        "kind": "PersistentVolume",
        "metadata": {"name": "pv1"},
        "spec": {
            "claimRef": {"kind": "PersistentVolumeClaim", "namespace": "ml", "name": "data"},
            "nodeAffinity": {"required": {"nodeSelectorTerms": [reach]}},
        },
        "status": {"phase": "Bound"},
    }
    claim = {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": {"name": "data", "namespace": "ml"},
        "spec": {"storageClassName": "fast", "volumeName": "pv1"},
        "status": {"phase": "Bound"},
    }
    there = node("a0", gpu=2, labels={zone: "eu-1a"})
    found = told(tmp_path, capsys, there, volume, claim, pod("p", gpu=1, **CLAIM))
    assert found["cause"]["kind"] == "volume"
    assert found["sentence"] == (
        "There's room for 1 nvidia.com/gpu on a0, but a volume of the pod can't be used there (asked: "
        f"{zone}=eu-1b of volume pv1; found: {zone}=eu-1a)."
    )


@pytest.mark.parametrize(
    ("reason", "message", "advice", "command"),
    [
        (
            "CreateContainerConfigError",
            'secret "hf-token" not found',
            "Create Secret hf-token in ml, or name one that's there",
            "kubectl get secrets -n ml",
        ),
        (
            "CreateContainerConfigError",
            "couldn't find key token in Secret ml/hf",
            "Add key token to Secret hf, or name a key that it has",
            "kubectl describe secret hf -n ml",
        ),
        (
            "ImagePullBackOff",
            "unauthorized: authentication required",
            "The registry refuses: give the pod, or service account default, an imagePullSecret that may pull app:1",
            "kubectl describe pod p -n ml",
        ),
        (
            "ErrImagePull",
            "manifest unknown",
            "The registry doesn't know app:1: correct the image's name or tag",
            "kubectl describe pod p -n ml",
        ),
        (
            "CrashLoopBackOff",
            "back-off",
            "Container main starts and ends again: its last output says why",
            "kubectl logs p -n ml -c main --previous",
        ),
    ],
)
def test_a_pod_that_does_not_start_gets_advice(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], reason: str, message: str, advice: str, command: str
) -> None:
    stuck = pod("p", on="a0", gpu=1)
    stuck["spec"]["containers"][0]["image"] = "app:1"
    stuck["status"] = {
        "phase": "Pending",
        "containerStatuses": [
            {"name": "main", "ready": False, "state": {"waiting": {"reason": reason, "message": message}}}
        ],
    }
    told(tmp_path, capsys, node("a0", gpu=1), stuck)
    status, words = text(tmp_path, capsys)
    assert status == 3
    assert f"• {advice}" in words
    assert f"$ {command}" in words


def test_a_failed_pod_tells_what_its_status_says(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    failed = pod("p", on="a0", gpu=1)
    failed["status"] = {
        "phase": "Failed",
        "reason": "UnexpectedAdmissionError",
        "message": "no healthy devices present.",
    }
    found = told(tmp_path, capsys, node("a0", gpu=1), failed)
    assert found["sentence"].endswith(
        "won't run again by itself: UnexpectedAdmissionError: no healthy devices present."
    )


def test_placeholders_go_first(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    held = pod("placeholder-1", on="a0", gpu=1, priority=-10)
    held["spec"]["containers"][0]["image"] = "registry.k8s.io/pause:3.10"
    wanted = pod("p", gpu=1, preemptionPolicy="Never")
    found = told(tmp_path, capsys, node("a0", gpu=2), held, pod("other", on="a0", gpu=1), wanted)
    assert found["sentence"].startswith("Both nvidia.com/gpu on a0 are taken")
    first = found["waysOut"][0]
    assert (first["kind"], first["after"]["stopped"], first["risk"]["level"]) == (
        "free-device",
        ["ml/placeholder-1"],
        "low",
    )
