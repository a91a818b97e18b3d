"""Ways out of what isn't applied yet: the manifest is edited, for kubectl would find none of its objects."""

import shlex
from typing import Any

import pytest

from tests.kube.manifests import ASKS, CLASS, GPU, ONE_FREE, SLICE, Ask, Json, node, pod, running, workload

TAINT = [{"key": "gpu", "value": "yes", "effect": "NoSchedule"}]
TAINTED = {**node(), "spec": {"taints": TAINT}}
CLAIM = {"containers": [{"name": "main"}], "resourceClaims": [{"name": "g", "resourceClaimTemplateName": "one"}]}


def changes(answer: Json, kind: str) -> list[Json]:
    return next(way["changes"] for way in answer["pods"][0]["waysOut"] if way["kind"] == kind)


def made(kind: str, **spec: Any) -> Json:
    return workload(kind, template={"metadata": {"labels": {"app": "llm"}}, "spec": {**ASKS, **spec}})


def template(**more: Any) -> Json:
    requests = [{"name": "gpu", "exactly": {"deviceClassName": "gpu", **more}}]
    return {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "ResourceClaimTemplate",
        "metadata": {"name": "one"},
        "spec": {"spec": {"devices": {"requests": requests}}},
    }


@pytest.mark.parametrize("kind", ["Deployment", "StatefulSet"])
def test_a_selector(ask: Ask, kind: str) -> None:
    _, answer, _ = ask([node(zone="a")], [made(kind, nodeSelector={"zone": "b"})])
    (dropped,) = changes(answer, "drop-selector")
    where = f"{kind.lower()} ml/llm"
    assert dropped["command"].startswith("# in ")
    assert dropped["command"].endswith(f"new.yaml, {where}: take spec.template.spec.nodeSelector away")
    assert (dropped["object"], dropped["undo"]) == (where, "")


def test_a_toleration_of_a_bare_pod(ask: Ask) -> None:
    _, answer, _ = ask([TAINTED], [pod("p", ASKS)])
    (added,) = changes(answer, "add-toleration")
    wanted = '[{"key": "gpu", "operator": "Equal", "value": "yes", "effect": "NoSchedule"}]'
    assert added["command"].endswith(f"new.yaml, pod ml/p: set spec.tolerations to {wanted}")


def test_an_amount(ask: Ask) -> None:
    asks = {"containers": [{"name": "main", "resources": {"limits": {GPU: 3}}}]}
    _, answer, _ = ask([node()], [workload("Deployment", template={"metadata": {}, "spec": asks})])
    (lower,) = changes(answer, "fewer-devices")
    assert "set spec.template.spec.containers[main].resources.limits[" in lower["command"]


def test_a_claim_template(ask: Ask) -> None:
    wrong = template(selectors=[{"cel": {"expression": 'device.driver == "none"'}}])
    _, answer, _ = ask([*ONE_FREE, SLICE, CLASS], [pod("p", CLAIM), wrong])
    (dropped,) = changes(answer, "drop-selector")
    where = "spec.spec.devices.requests[0].exactly.selectors[0]"
    assert dropped["command"].endswith(f"new.yaml, resourceclaimtemplate ml/one: take {where} away")


def test_what_the_cluster_has_is_changed_there(ask: Ask) -> None:
    _, answer, _ = ask([TAINTED], [pod("p", ASKS)])
    (taken,) = changes(answer, "remove-taint")
    assert taken["command"] == "kubectl taint nodes g1 gpu=yes:NoSchedule-"


@pytest.mark.parametrize(
    ("cluster", "manifest"),
    [
        pytest.param([node(gpus=1), running("holder")], [made("Deployment")], id="full"),
        pytest.param([node(gpus=1), running("holder")], [pod("p", ASKS)], id="full, a pod"),
        pytest.param([TAINTED], [made("StatefulSet", nodeSelector={"zone": "b"})], id="several changes"),
        pytest.param([*ONE_FREE, SLICE, CLASS], [pod("p", CLAIM), template(count=2)], id="claim"),
        pytest.param([*ONE_FREE, SLICE, CLASS], [made("Deployment", **CLAIM), template(count=2)], id="claims"),
        pytest.param(ONE_FREE, [made("Deployment", priorityClassName="x", nodeName="gone")], id="names"),
    ],
)
def test_no_command_is_about_what_isnt_there(ask: Ask, cluster: list[Json], manifest: list[Json]) -> None:
    _, answer, _ = ask(cluster, manifest)
    names = {one["pod"].partition("/")[2] for one in answer["pods"]} | {one["metadata"]["name"] for one in manifest}
    told = [change for one in answer["pods"] for way in one["waysOut"] for change in way["changes"]]
    for change in told:
        for line in (change["command"], change["undo"]):
            assert not names & set(shlex.split(line, comments=True)), line
