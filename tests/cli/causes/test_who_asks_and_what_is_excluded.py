"""Which containers ask, what a selector excludes, what a LimitRange filled in, and who takes a place first."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from aliquot.cli.entry import run
from scenarios.api.cluster import node, pod

Json = dict[str, Any]
Told = Callable[..., Json]
DRA, DRIVER, ROOT = "resource.k8s.io/v1", "gpu.example.com", "resource.kubernetes.io/pcieRoot"
GPU = "nvidia.com/gpu"


def thing(kind: str, name: str, spec: Json) -> Json:
    namespace = {"namespace": "ml"} if kind == "ResourceClaim" else {}
    return {"apiVersion": DRA, "kind": kind, "metadata": {"name": name, **namespace}, "spec": spec}


def test_containers_that_ask_together_are_named_and_one_may_do_without(told: Told) -> None:
    two = pod("p", gpu=1)
    side = {"name": "side", "resources": {"requests": {GPU: "1"}, "limits": {GPU: "1"}}}
    two["spec"]["containers"].append(side)
    found = told(node("n1", gpu=1), two)
    assert found["sentence"].endswith(" Its containers main (1) and side (1) ask for nvidia.com/gpu.")
    first = found["waysOut"][0]
    assert first["title"] == "Ask for no nvidia.com/gpu in container side"
    none = {"requests": {GPU: None}, "limits": {GPU: None}}
    assert first["changes"][0]["patch"]["spec"]["containers"] == [{"name": "side", "resources": none}]


def test_a_sidecar_is_an_init_container(told: Told) -> None:
    two = pod("p", gpu=1)
    warm = {"name": "warm", "restartPolicy": "Always", "resources": {"requests": {GPU: "1"}, "limits": {GPU: "1"}}}
    two["spec"]["initContainers"] = [warm]
    found = told(node("n1", gpu=1), two)
    assert "Its containers main (1) and warm (1) ask" in found["sentence"]
    assert found["waysOut"][0]["changes"][0]["patch"]["spec"]["initContainers"][0]["name"] == "warm"


def test_what_is_free_where_the_selector_does_not_lead(told: Told) -> None:
    nodes = (node("big", gpu=1, labels={"size": "80"}), node("small", gpu=1, labels={"size": "40"}))
    found = told(*nodes, pod("a", on="big", gpu=1), pod("p", gpu=1, nodeSelector={"size": "80"}))
    assert found["sentence"].endswith(" small has room but isn't selected (size=80).")


def test_amounts_that_a_limit_range_filled_in(told: Told) -> None:
    large = pod("p", gpu=1, requests={"cpu": "64", "memory": "1Gi"})
    said = "LimitRanger plugin set: cpu, memory request for container main; cpu limit for container main"
    large["metadata"]["annotations"] = {"kubernetes.io/limit-ranger": said}
    assert told(node("n1", gpu=1), large)["note"].startswith(
        "Its container main names no request of cpu itself: a LimitRange of namespace ml gives it 64 of cpu."
    )


def test_devices_that_are_free_and_do_not_go_together(told: Told) -> None:
    devices = [{"name": f"gpu-{n}", "attributes": {ROOT: {"string": f"root-{n}"}}} for n in range(3)]
    pool = {"name": "n1", "generation": 1, "resourceSliceCount": 1}
    requests = [{"name": "g", "exactly": {"deviceClassName": "gpu", "count": 2}}]
    spec = {"devices": {"requests": requests, "constraints": [{"requests": ["g"], "matchAttribute": ROOT}]}}
    found = told(
        node("n1"),
        thing("DeviceClass", "gpu", {}),
        thing("ResourceSlice", "n1", {"driver": DRIVER, "nodeName": "n1", "pool": pool, "devices": devices}),
        thing("ResourceClaim", "c", spec),
        pod("p", resourceClaims=[{"name": "g", "resourceClaimName": "c"}]),
    )
    assert found["sentence"] == (
        "Request g finds none that go together (3 such devices on n1, none of them held): no set of devices on n1 "
        f"agrees in {ROOT} (matchAttribute): at most 1 of request g's have the same."
    )


@pytest.fixture
def ask(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Callable[..., str]:
    def asked(*args: str, objects: tuple[Json, ...]) -> str:
        dump = tmp_path / "dump.json"
        dump.write_text(json.dumps({"kind": "List", "apiVersion": "v1", "items": objects}), encoding="utf-8")
        run(["explain", *args, "-f", str(dump)])
        return " ".join(capsys.readouterr().out.split())

    return asked


CORDONED = {**node("n1", gpu=1), "spec": {"unschedulable": True}}


def test_what_helps_several_is_told_once_and_who_still_waits(ask: Callable[..., str]) -> None:
    objects = (CORDONED, pod("a", gpu=1, priority=10), pod("b", gpu=1))
    text = ask("node/n1", objects=objects)
    assert text.count("kubectl uncordon n1") == 1
    assert "what would (tried): Uncordon n1 [medium risk]; ml/b still waits then: ml/a takes it first" in text


def test_the_table_says_who_goes_first(ask: Callable[..., str], monkeypatch: pytest.MonkeyPatch) -> None:
    waiting = (pod("a", gpu=2, priority=10), pod("b", gpu=1))
    monkeypatch.setenv("COLUMNS", "400")
    table = ask("-A", "--avoid", "evict", objects=(node("n1", gpu=2), pod("x", on="n1", gpu=2), *waiting)).partition(
        "pending"
    )[0]
    assert "(price unknown; ml/a goes first and takes it)" in table


def test_a_toleration_that_misses_the_taint_is_named(told: Told) -> None:
    taint = {"key": "dedicated", "value": "ml-team", "effect": "NoSchedule"}
    missed = {"key": "dedicated", "operator": "Equal", "value": "ml_team", "effect": "NoSchedule"}
    found = told(node("n1", gpu=1, taints=[taint]), pod("p", gpu=1, tolerations=[missed]))
    assert found["sentence"].endswith(" It tolerates dedicated=ml_team:NoSchedule instead.")


def test_one_of_several_nodes_is_cordoned(told: Told) -> None:
    taint = {"key": "team", "value": "x", "effect": "NoSchedule"}
    found = told(CORDONED, node("n2", gpu=1, taints=[taint]), pod("a", on="n2", gpu=1), pod("p", gpu=1))
    assert found["sentence"].startswith("Of the nodes with 1 nvidia.com/gpu one is cordoned: n1 (n2 tainted).")


def test_devices_that_the_class_excludes_are_not_counted(told: Told) -> None:
    devices: list[Json] = [{"name": "nic"}, {"name": "gpu", "attributes": {"kind": {"string": "gpu"}}}]
    pool = {"name": "n1", "generation": 1, "resourceSliceCount": 1}
    kind = f"device.attributes['{DRIVER}'].kind"
    gpus = {"selectors": [{"cel": {"expression": f"has({kind}) && {kind} == 'gpu'"}}]}
    exactly = {"deviceClassName": "gpu", "count": 1, "selectors": [{"cel": {"expression": f"{kind} == 'tpu-pod'"}}]}
    found = told(
        node("n1"),
        thing("DeviceClass", "gpu", gpus),
        thing("ResourceSlice", "n1", {"driver": DRIVER, "nodeName": "n1", "pool": pool, "devices": devices}),
        thing("ResourceClaim", "c", {"devices": {"requests": [{"name": "g", "exactly": exactly}]}}),
        pod("p", resourceClaims=[{"name": "g", "resourceClaimName": "c"}]),
    )
    assert found["sentence"].startswith("The only device doesn't match the selector of request g")
