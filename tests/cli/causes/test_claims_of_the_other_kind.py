"""A pod names a ResourceClaimTemplate where a ResourceClaim's name stands, or the other way round."""

from collections.abc import Callable
from typing import Any

from scenarios.api.cluster import node, pod

Json = dict[str, Any]
Told = Callable[..., Json]
DRA = "resource.k8s.io/v1"
DRIVER = "gpu.example.com"
DEVICES: Json = {"devices": {"requests": [{"name": "g", "exactly": {"deviceClassName": "gpu"}}]}}
POOL: Json = {"name": "a0", "generation": 1, "resourceSliceCount": 1}


def thing(kind: str, name: str, spec: Json) -> Json:
    namespace = {} if kind in ("DeviceClass", "ResourceSlice") else {"namespace": "ml"}
    return {"apiVersion": DRA, "kind": kind, "metadata": {"name": name, **namespace}, "spec": spec}


CLUSTER = (
    node("a0"),
    thing("DeviceClass", "gpu", {}),
    thing("ResourceSlice", "a0", {"driver": DRIVER, "nodeName": "a0", "pool": POOL, "devices": [{"name": "gpu-0"}]}),
)
TEMPLATE = thing("ResourceClaimTemplate", "tmpl", {"spec": DEVICES})
CLAIM = thing("ResourceClaim", "mine", DEVICES)


def naming(**field: str) -> Json:
    return pod("p", resourceClaims=[{"name": "g", **field}])


def test_a_template_named_as_a_claim(told: Told) -> None:
    found = told(*CLUSTER, TEMPLATE, naming(resourceClaimName="tmpl"))
    assert found["sentence"].startswith(
        "Its resourceClaimName names no ResourceClaim of namespace ml: tmpl is a ResourceClaimTemplate, so"
        " resourceClaimTemplateName is meant."
    )
    first = found["waysOut"][0]
    assert (first["kind"], first["risk"]["level"], first["after"]["node"]) == ("fix-claim", "low", "a0")
    entry = {"name": "g", "resourceClaimTemplateName": "tmpl", "resourceClaimName": None}
    assert first["changes"][0]["patch"] == {"spec": {"resourceClaims": [entry]}}
    assert first["changes"][0]["command"].endswith("| kubectl replace --force -f -")


def test_a_claim_named_as_a_template(told: Told) -> None:
    found = told(*CLUSTER, CLAIM, naming(resourceClaimTemplateName="mine"))
    assert "mine is a ResourceClaim, so resourceClaimName is meant." in found["sentence"]
    first = found["waysOut"][0]
    assert (first["kind"], first["risk"]["level"], first["after"]["node"]) == ("fix-claim", "medium", "a0")
    entry = {"name": "g", "resourceClaimName": "mine", "resourceClaimTemplateName": None}
    assert first["changes"][0]["patch"] == {"spec": {"resourceClaims": [entry]}}


def test_a_slip_in_a_claim_s_name(told: Told) -> None:
    found = told(*CLUSTER, CLAIM, naming(resourceClaimName="mime"))
    first = found["waysOut"][0]
    assert (first["kind"], first["title"]) == ("fix-claim", "Name ResourceClaim mine (mime doesn't exist)")
    assert first["changes"][0]["patch"] == {"spec": {"resourceClaims": [{"name": "g", "resourceClaimName": "mine"}]}}


def test_a_slip_in_a_template_s_name(told: Told) -> None:
    found = told(*CLUSTER, TEMPLATE, naming(resourceClaimTemplateName="tmpll"))
    assert "tmpl is probably meant" in found["sentence"]
    first = found["waysOut"][0]
    assert first["changes"][0]["patch"] == {
        "spec": {"resourceClaims": [{"name": "g", "resourceClaimTemplateName": "tmpl"}]}
    }
