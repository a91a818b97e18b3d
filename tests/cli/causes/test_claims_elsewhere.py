"""A claim that isn't where its pod looks: of another namespace, or of a kind that the input doesn't hold at all."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from aliquot.cli.entry import run
from scenarios.api.cluster import node, pod

CLAIMS = [{"name": "devices", "resourceClaimName": "shared"}]
WAITS = pod("p", resourceClaims=CLAIMS)


def test_another_namespace_s(told: Callable[..., Any], hgx: Callable[..., list[Any]]) -> None:
    found = hgx(asked={"deviceClassName": "gpu.nvidia.com"})
    (claim,) = [one for one in found if one["kind"] == "ResourceClaim"]
    claim["metadata"] |= {"name": "shared", "namespace": "team"}
    answer = told(*[one for one in found if one["kind"] != "Pod"], WAITS)
    assert "there is team/shared in another namespace, and a pod can only use its own namespace's" in answer["sentence"]
    assert "has none of this kind" not in answer["text"]
    (way,) = answer["waysOut"]
    assert way["title"] == "Create ResourceClaim shared in ml, with what team/shared asks for"
    assert "kubectl get resourceclaim shared -n team" in way["changes"][0]["command"]
    assert way["after"]["node"] == "hgx-h100"


def test_a_kind_that_the_input_doesnt_hold(
    told: Callable[..., Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    answer = told(node("a"), pod("runs", on="a", resourceClaims=CLAIMS), WAITS)
    assert "the input holds no ResourceClaim at all: nothing can be said of the pod without it" in answer["sentence"]
    assert "ml/runs runs with it, so it exists" in answer["sentence"]
    assert "kubectl get resourceclaims -A" in answer["sentence"]
    run(["explain", "-A", "-f", str(tmp_path / "dump.json")])
    assert "no ResourceSlices and no ResourceClaims, and ml/p asks for devices by claims" in capsys.readouterr().err


def test_others_of_the_kind_are_there(told: Callable[..., Any]) -> None:
    template = {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "ResourceClaimTemplate",
        "metadata": {"name": "other", "namespace": "ml"},
        "spec": {"spec": {"devices": {"requests": []}}},
    }
    waits = pod("p", resourceClaims=[{"name": "devices", "resourceClaimTemplateName": "mine"}])
    assert (
        "ResourceClaimTemplate mine isn't in the input (namespace ml)" in told(node("a"), template, waits)["sentence"]
    )
