"""`aliquot explain` of pods whose claims no device can serve: the cause names the class, request and value at fault."""

import json
from pathlib import Path
from typing import Any

import pytest

from aliquot.cli.entry import run

Json = dict[str, Any]
DRA = "resource.k8s.io/v1"
OF_DRIVER = 'device.driver == "gpu.nvidia.com"'
PRODUCT = 'device.attributes["gpu.nvidia.com"].productName == '


def thing(kind: str, name: str, version: str = DRA, namespace: str = "ml", **fields: Any) -> Json:
    meta = (
        {"name": name} if kind in ("Node", "DeviceClass", "ResourceSlice") else {"name": name, "namespace": namespace}
    )
    return {"apiVersion": version, "kind": kind, "metadata": meta, **fields}


def cel(*expressions: str) -> list[Json]:
    return [{"cel": {"expression": expression}} for expression in expressions]


def node(name: str) -> Json:
    there = {"cpu": "8", "memory": "32Gi", "pods": "110"}
    status = {"allocatable": there, "nodeInfo": {"kubeletVersion": "v1.36.1"}}
    return thing("Node", name, "v1", status=status)


def gpus(on: str, count: int = 1, driver: str = "gpu.nvidia.com", **attributes: str) -> Json:
    attributes = attributes or {"productName": "NVIDIA A100"}
    devices = [
        {
            "name": f"gpu-{number}",
            "attributes": {name: {"string": value} for name, value in attributes.items()},
            "capacity": {"memory": {"value": "40Gi"}},
        }
        for number in range(count)
    ]
    pool = {"name": on, "generation": 1, "resourceSliceCount": 1}
    return thing(
        "ResourceSlice", f"{on}-{driver}", spec={"driver": driver, "pool": pool, "nodeName": on, "devices": devices}
    )


def class_of(*expressions: str, name: str = "gpu") -> Json:
    return thing("DeviceClass", name, spec={"selectors": cel(*expressions)} if expressions else {})


def claim(*requests: Json, name: str = "c", namespace: str = "ml", **status: Any) -> Json:
    return thing(
        "ResourceClaim", name, namespace=namespace, spec={"devices": {"requests": list(requests)}}, status=status
    )


def request(*expressions: str, name: str = "r", count: int = 1, of: str = "gpu") -> Json:
    return {"name": name, "exactly": {"deviceClassName": of, "count": count, "selectors": cel(*expressions)}}


def pod(**source: str) -> Json:
    source = source or {"resourceClaimName": "c"}
    container = {"name": "m", "resources": {"claims": [{"name": "own"}]}}
    spec = {"containers": [container], "resourceClaims": [{"name": "own", **source}]}
    return thing("Pod", "p", "v1", spec=spec, status={"phase": "Pending"})


@pytest.fixture
def cause(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Any:
    def ask(*things: Json) -> tuple[str, str]:
        file = tmp_path / "dump.json"
        file.write_text(json.dumps(things))
        assert run(["explain", "pod/p", "-n", "ml", "-f", str(file), "-o", "json"]) == 3
        (story,) = json.loads(capsys.readouterr().out)["pods"]
        assert story["verdict"] == "pending"
        return story["cause"]["kind"], story["cause"]["sentence"]

    return ask


def asked(*expressions: str, count: int = 1) -> list[Json]:
    return [node("n1"), gpus("n1"), class_of(OF_DRIVER), claim(request(*expressions, count=count)), pod()]


@pytest.mark.parametrize(
    ("expression", "words"),
    [
        (
            PRODUCT + '"NVIDIA A1000"',
            ["The only device doesn't match the selector of request r", "NVIDIA A100 is probably meant"],
        ),
        (PRODUCT + '"AMD Instinct MI300X"', ["devices have NVIDIA A100)"]),
        (
            'device.capacity["gpu.nvidia.com"].memory.compareTo(quantity("80Gi")) >= 0',
            ["the most that any device has is 40Gi"],
        ),
        ("false", ["the selector of request r: false."]),
    ],
    ids=["slip", "another product", "too large", "no comparison"],
)
def test_a_selector_that_nothing_matches(cause: Any, expression: str, words: list[str]) -> None:
    kind, sentence = cause(*asked(expression))
    assert kind == "no-matching-device"
    assert all(part in sentence for part in words), sentence
    assert ("probably meant" in sentence) == ("probably" in " ".join(words))


def test_a_class_that_nothing_matches(cause: Any) -> None:
    named = class_of(OF_DRIVER, PRODUCT + '"NVIDIA A10"')
    kind, sentence = cause(node("n1"), gpus("n1"), named, claim(request()), pod())
    assert kind == "no-matching-device"
    assert "DeviceClass gpu:" in sentence


def test_more_devices_than_any_node_has(cause: Any) -> None:
    things = [node("n1"), node("n2"), gpus("n1"), gpus("n2", 2), class_of(OF_DRIVER), claim(request(count=4)), pod()]
    kind, sentence = cause(*things)
    assert (kind, sentence) == (
        "larger-than-any",
        "Request r wants 4 devices on one node, more than any node has: the most is 2 (n2).",
    )


def test_requests_that_no_node_serves_together(cause: Any) -> None:
    nics = class_of('device.driver == "nic.example.com"', name="nic")
    both = claim(request(), request(name="nic", of="nic"))
    things = [
        node("n1"),
        node("n2"),
        gpus("n1"),
        gpus("n2", driver="nic.example.com"),
        class_of(OF_DRIVER),
        nics,
        both,
        pod(),
    ]
    kind, sentence = cause(*things)
    assert kind == "no-matching-device"
    assert sentence == "No node has devices for all requests at once (the first is r)."


@pytest.mark.parametrize("slices", [[], [gpus("n1", driver="nic.example.com")]], ids=["none", "another driver's"])
def test_a_driver_that_publishes_nothing(cause: Any, slices: list[Json]) -> None:
    kind, sentence = cause(node("n1"), *slices, class_of(OF_DRIVER), claim(request()), pod())
    assert kind == "no-slices"
    assert "No node publishes devices of gpu.nvidia.com" in sentence
    assert ("there are slices of nic.example.com" in sentence) == bool(slices)


def test_a_class_that_doesnt_exist(cause: Any) -> None:
    kind, sentence = cause(node("n1"), gpus("n1"), class_of(OF_DRIVER), claim(request(of="gpus")), pod())
    assert kind == "class-missing"
    assert "DeviceClass gpus, which doesn't exist (gpu is probably meant)" in sentence
    kind, sentence = cause(node("n1"), gpus("n1"), claim(request(of="gpus")), pod())
    assert "the input holds no DeviceClass at all" in sentence


def test_an_attribute_that_some_devices_lack(cause: Any) -> None:
    kind, sentence = cause(*asked('device.attributes["gpu.nvidia.com"].productname == "x"'))
    assert kind == "cel-error"
    lead = "A selector reads productname (productName is probably meant), which the devices of n1 don't have"
    assert sentence.startswith(lead)
    assert "in selector #0 of claim ml/c CEL's error `no such key: productname` ends the whole attempt" in sentence


def test_a_selector_that_fails_otherwise(cause: Any) -> None:
    kind, sentence = cause(*asked("1 / 0 == 1"))
    assert kind == "cel-error"
    assert "Selector #0 of claim ml/c fails" in sentence
    assert "zero" in sentence


@pytest.mark.parametrize(
    ("source", "more", "words"),
    [
        ({"resourceClaimName": "d"}, [claim(request())], "Its ResourceClaim d isn't in the input (namespace ml)"),
        (
            {"resourceClaimTemplateName": "t"},
            [thing("ResourceClaimTemplate", "t", namespace="other", spec={"spec": {"devices": {"requests": []}}})],
            "Its ResourceClaimTemplate t isn't in the input (namespace ml) (there is other/t in another namespace,",
        ),
        (
            {"resourceClaimTemplateName": "gpu-template"},
            [thing("ResourceClaimTemplate", "gpu-templates", spec={"spec": {"devices": {"requests": []}}})],
            "(gpu-templates is probably meant)",
        ),
        (
            {"resourceClaimTemplateName": "t"},
            [thing("ResourceClaimTemplate", "t", spec={"spec": {"devices": {"requests": []}}})],
            "Its claim isn't made yet",
        ),
    ],
    ids=["claim", "template elsewhere", "template's name", "not made"],
)
def test_a_claim_that_isnt_there(cause: Any, source: dict[str, str], more: list[Json], words: str) -> None:
    kind, sentence = cause(node("n1"), gpus("n1"), class_of(OF_DRIVER), *more, pod(**source))
    assert kind == "claim-missing"
    assert words in sentence


def test_a_claim_whose_devices_are_where_the_pod_may_not_go(cause: Any) -> None:
    result = {"request": "r", "driver": "gpu.nvidia.com", "pool": "n1", "device": "gpu-0"}
    only = {"nodeSelectorTerms": [{"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["n1"]}]}]}
    held = claim(
        request(),
        allocation={"devices": {"results": [result]}, "nodeSelector": only},
        reservedFor=[{"resource": "pods", "name": "first", "uid": "u"}],
    )
    there = node("n1")
    there["spec"] = {"taints": [{"key": "team", "value": "b", "effect": "NoSchedule"}]}
    kind, sentence = cause(there, node("n2"), gpus("n1"), class_of(OF_DRIVER), held, pod())
    assert kind == "claim-elsewhere"
    assert "Its claim ml/c is allocated on n1 already for first (gpu-0)" in sentence
    assert "taint" in sentence
