"""Configurations of claims and classes: the requests that they name, and the kind of the devices; check and explain."""

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from aliquot.cli.entry import run

CLASS = "device.driver == 'gpu.nvidia.com' && device.attributes['gpu.nvidia.com'].type == '{}'"


def opaque(kind: str, *requests: str, **sharing: Any) -> dict[str, Any]:
    parameters = {
        "apiVersion": "resource.nvidia.com/v1beta1",
        "kind": kind,
        **({"sharing": sharing} if sharing else {}),
    }
    named = {"requests": list(requests)} if requests else {}
    return {**named, "opaque": {"driver": "gpu.nvidia.com", "parameters": parameters}}


def device_class(name: str, *expressions: str, config: list[Any] | None = None) -> dict[str, Any]:
    selectors = [{"cel": {"expression": each}} for each in expressions]
    return {
        "apiVersion": "resource.k8s.io/v1", "kind": "DeviceClass", "metadata": {"name": name},
        "spec": {"selectors": selectors, "config": config or []},
    }  # fmt: skip


def claim(requests: list[dict[str, Any]], *config: dict[str, Any]) -> dict[str, Any]:
    devices = {"requests": requests, "config": list(config)}
    return {
        "apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaim",
        "metadata": {"name": "c", "namespace": "ml", "uid": "u"}, "spec": {"devices": devices},
    }  # fmt: skip


def one(name: str, class_name: str, *expressions: str) -> dict[str, Any]:
    recipe: dict[str, Any] = {"deviceClassName": class_name}
    if expressions:
        recipe["selectors"] = [{"cel": {"expression": each}} for each in expressions]
    return {"name": name, "exactly": recipe}


def problems(capsys: pytest.CaptureFixture[str], folder: Path, *documents: dict[str, Any]) -> dict[str, str]:
    """What `node check` says, by path."""
    path = folder / "claims.yaml"
    path.write_text(yaml.safe_dump_all(documents), encoding="utf-8")
    status = run(["node", "check", str(path), "-o", "json"])
    found = json.loads(capsys.readouterr().out)["problems"]
    assert status == (1 if found else 0)
    assert all(each["line"] for each in found)
    return {each["path"]: f"{each['message']} | {each.get('hint', '')}" for each in found}


def test_requests_that_are_not_there(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    alternatives = {"name": "b", "firstAvailable": [{"name": "big", "deviceClassName": "shop"}, {"x": 1}, 7]}
    document = claim(
        [one("a", "shop"), alternatives, {"name": 7}],
        opaque("GpuConfig", "a", "b", "b/big", "zzz", "b/tiny", "a/big"),
    )
    here = "spec.devices.config[0].requests"
    its = "its requests: a, b, b/big"
    assert problems(capsys, tmp_path, document) == {
        f"{here}[{index}]": f"the claim has no request {name!r} | {its}"
        for index, name in ((3, "zzz"), (4, "b/tiny"), (5, "a/big"))
    }
    assert problems(capsys, tmp_path, claim([], opaque("GpuConfig", "a"))) == {
        f"{here}[0]": "the claim has no request 'a' | it has none"
    }


def test_kinds_that_the_classes_do_not_give(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    alternatives = [
        {"name": "big", "deviceClassName": "halves"},
        {"name": "small", "deviceClassName": "mig.nvidia.com"},
    ]
    document = claim(
        [one("a", "gpu.nvidia.com"), {"name": "b", "firstAvailable": alternatives}, one("v", "vfio.gpu.nvidia.com")],
        opaque("MigDeviceConfig", "a"),
        opaque("GpuConfig", "b"),
        opaque("GpuConfig", "a"),
        opaque("MigDeviceConfig", "b/small"),
        opaque("GpuConfig", "v"),
        opaque("MigDeviceConfig"),
    )
    # the class stands behind the claim that uses it
    said = problems(capsys, tmp_path, document, device_class("halves", CLASS.format("mig")))
    path = "spec.devices.config[{}].opaque.parameters.kind"
    assert said == {
        path.format(0): "MigDeviceConfig for request 'a', whose class gpu.nvidia.com gives whole GPUs: NVIDIA's driver "
        "refuses to prepare them so | write a GpuConfig",
        path.format(
            1
        ): "GpuConfig for request 'b/small', whose class mig.nvidia.com gives MIG devices: NVIDIA's driver "
        "refuses to prepare them so | write a MigDeviceConfig",  # the last of two at this path
        path.format(4): "GpuConfig for request 'v', whose class vfio.gpu.nvidia.com gives GPUs for virtual machines: "
        "NVIDIA's driver refuses to prepare them so | leave it out",
    }


def test_older_versions_and_templates(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    devices = {"requests": [{"name": "a", "deviceClassName": "gpu.nvidia.com"}], "config": [opaque("MigDeviceConfig")]}
    template = {
        "apiVersion": "resource.k8s.io/v1beta1", "kind": "ResourceClaimTemplate", "metadata": {"name": "t"},
        "spec": {"spec": {"devices": devices}},
    }  # fmt: skip
    assert problems(capsys, tmp_path, template) == {
        "spec.spec.devices.config[0].opaque.parameters.kind": "MigDeviceConfig for all requests, and none of them "
        "asks for MIG devices: it sets nothing up | "
    }


@pytest.mark.parametrize(
    "expression",
    [
        CLASS.format("mig") + " || device.driver == 'x'",
        "!(device.attributes['gpu.nvidia.com'].type == 'mig')",
        "device.attributes['gpu.nvidia.com'].type != 'mig'",
        "has(device.attributes['gpu.nvidia.com'].x) ? device.attributes['gpu.nvidia.com'].type == 'mig' : false",
        CLASS.format("mig") + " && device.attributes['gpu.nvidia.com'].type == 'gpu'",
        "device.driver == 'gpu.nvidia.com'",
    ],
)
def test_what_a_class_does_not_say_plainly_is_no_fault(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, expression: str
) -> None:
    document = claim([one("a", "any")], opaque("GpuConfig", "a"))
    assert problems(capsys, tmp_path, document, device_class("any", expression)) == {}
    assert problems(capsys, tmp_path, document) == {}
    own = claim([one("a", "any", CLASS.format("mig"))], opaque("GpuConfig", "a"))
    assert list(problems(capsys, tmp_path, own)) == ["spec.devices.config[0].opaque.parameters.kind"]


def test_configurations_of_classes(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    halves = device_class("halves", CLASS.format("mig"), config=[opaque("MigDeviceConfig"), opaque("GpuConfig")])
    assert problems(capsys, tmp_path, {"apiVersion": "v1", "kind": "List", "items": [halves]}) == {
        "items[0].spec.config[1].opaque.parameters.kind": "GpuConfig for the class halves, which gives MIG devices: "
        "NVIDIA's driver refuses to prepare them so | write a MigDeviceConfig"
    }


def test_a_misspelt_driver(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    near = opaque("GpuConfig", "a", strategy="MPSS")
    near["opaque"]["driver"] = "gpu.nvidia.co"
    far = opaque("GpuConfig", "a")
    far["opaque"]["driver"] = "gpu.example.com"
    none = opaque("GpuConfig", "a")
    del none["opaque"]["driver"]
    said = problems(capsys, tmp_path, claim([one("a", "gpu.nvidia.com")], near, far, none))
    here = "spec.devices.config[{}].opaque"
    passed = "isn't gpu.nvidia.com, which passes this over | did you mean gpu.nvidia.com?"
    assert said[f"{here.format(0)}.driver"] == f'"gpu.nvidia.co" {passed}'
    assert said[f"{here.format(1)}.driver"] == f'"gpu.example.com" {passed}'
    assert '"MPSS" isn\'t known' in said[f"{here.format(0)}.parameters.sharing.strategy"]
    assert said[f"{here.format(2)}.driver"] == "missing | did you mean gpu.nvidia.com?"
    assert len(said) == 4


def test_other_drivers_are_left_alone(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    channel = opaque("ComputeDomainChannelConfig", "a")
    channel["opaque"]["driver"] = "compute-domain.nvidia.com"
    other = {"requests": ["a"], "opaque": {"driver": "gpu.amd.com", "parameters": {"apiVersion": "x/v1"}}}
    assert problems(capsys, tmp_path, claim([one("a", "gpu.nvidia.com")], opaque("GpuConfig"), channel, other)) == {}


def test_a_gpu_for_a_virtual_machine(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    right = opaque("VfioDeviceConfig", "v")
    right["opaque"]["parameters"]["iommu"] = {"backendPolicy": "PreferIommuFD", "enableAPIDevice": True}
    requests = [one("v", "vfio.gpu.nvidia.com"), one("a", "gpu.nvidia.com")]
    assert problems(capsys, tmp_path, claim(requests, opaque("VfioDeviceConfig", "v"), right)) == {}
    path = str(tmp_path / "claims.yaml")
    assert run(["node", "check", path, "--host", "preset:l4-node"]) == 0
    told = "VfioDeviceConfig: its fields are right, what it does isn't judged here: it hands a whole GPU"
    assert capsys.readouterr().out.count(told) == 2
    for words, status in ((["--request", "v"], 2), ([], 2), (["--request", "a"], 2)):
        assert run(["node", "setup", "gpu-0", "--config", path, "--host", "preset:l4-node", *words]) == status
    assert "VfioDeviceConfig can't be set up here: it hands a whole GPU" in capsys.readouterr().err
    wrong = opaque("VfioDeviceConfig", "v")
    parameters = wrong["opaque"]["parameters"]
    parameters |= {"apiVersion": "resource.nvidia.com/v1", "iommu": {"backendPolicy": "Foo", "x": 1}, "driver": "x"}
    empty = opaque("VfioDeviceConfig", "v")
    empty["opaque"]["parameters"]["iommu"] = {"enableAPIDevice": "yes"}
    said = problems(capsys, tmp_path, claim(requests, wrong, empty))
    here = "spec.devices.config[{}].opaque.parameters.{}"
    policies = "LegacyOnly or PreferIommuFD"
    assert said == {
        here.format(0, "apiVersion"): '"resource.nvidia.com/v1" isn\'t known | resource.nvidia.com/v1beta1',
        here.format(0, "iommu.backendPolicy"): f'"Foo" isn\'t known | {policies}',
        here.format(0, "iommu.x"): "no such field | known: backendPolicy, enableAPIDevice",
        here.format(0, "driver"): "no such field | known: apiVersion, kind, iommu",
        here.format(1, "iommu.backendPolicy"): f"missing | {policies}",
        here.format(1, "iommu.enableAPIDevice"): 'expected true or false, found "yes" | ',
    }


# --- explain ---------------------------------------------------------------------------------------------------------
def cluster(folder: Path, pod: dict[str, Any], *documents: dict[str, Any]) -> str:
    ready = [{"type": "Ready", "status": "True"}]
    node = {
        "apiVersion": "v1", "kind": "Node", "metadata": {"name": "node"},
        "status": {"allocatable": {"cpu": "8", "memory": "32Gi", "pods": "100"}, "conditions": ready},
    }  # fmt: skip
    sliced = {
        "apiVersion": "resource.k8s.io/v1", "kind": "ResourceSlice", "metadata": {"name": "s"},
        "spec": {
            "driver": "gpu.nvidia.com", "nodeName": "node",
            "pool": {"name": "node", "generation": 1, "resourceSliceCount": 1},
            "devices": [{"name": "gpu-0", "attributes": {"type": {"string": "gpu"}}}],
        },
    }  # fmt: skip
    waiting = {
        "apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p", "namespace": "ml"},
        "spec": {"containers": [{"name": "c", "image": "x", "resources": {"claims": [{"name": "g"}]}}],
                 "resourceClaims": [{"name": "g", **pod}]},
        "status": {"phase": "Pending"},
    }  # fmt: skip
    path = folder / "dump.yaml"
    path.write_text(yaml.safe_dump_all([node, sliced, waiting, *documents]), encoding="utf-8")
    return str(path)


WRONG = (
    "spec.devices.config[0].opaque.parameters.kind: MigDeviceConfig for request 'a', whose class gpu.nvidia.com gives "
    "whole GPUs: NVIDIA's driver refuses to prepare them so"
)
PERCENT = (
    "spec.devices.config[1].opaque.parameters.sharing.mpsConfig.defaultActiveThreadPercentage: 150 is no percentage: "
    "NVIDIA's driver refuses it"
)
CONFIGS = (
    opaque("MigDeviceConfig", "a"),
    opaque("GpuConfig", "a", strategy="MPS", mpsConfig={"defaultActiveThreadPercentage": 150}),
    opaque("VfioDeviceConfig", "a"),
)
GPUS = device_class("gpu.nvidia.com", CLASS.format("gpu"))


def test_explain_tells_what_keeps_a_claim_from_being_prepared(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    dump = cluster(tmp_path, {"resourceClaimName": "c"}, claim([one("a", "gpu.nvidia.com")], *CONFIGS), GPUS)
    assert run(["explain", "-A", "-f", dump, "-o", "json"]) == 0
    (pod,) = json.loads(capsys.readouterr().out)["pods"]
    assert pod["verdict"] == "placeable"
    assert pod["note"].startswith(f"ResourceClaim c: {WRONG}. ResourceClaim c: {PERCENT}.")
    run(["explain", "claim/c", "-n", "ml", "-f", dump, "-o", "json"])
    about = json.loads(capsys.readouterr().out)
    assert about["problems"] == [WRONG, PERCENT]
    assert WRONG not in about["sentence"]  # it isn't why the claim has no devices


def test_explain_tells_it_of_templates_and_classes(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    spec = claim([one("a", "gpu.nvidia.com")], CONFIGS[0])["spec"]
    template = {
        "apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaimTemplate",
        "metadata": {"name": "t", "namespace": "ml"}, "spec": {"spec": spec},
    }  # fmt: skip
    gpus = device_class("gpu.nvidia.com", CLASS.format("gpu"), config=[opaque("MigDeviceConfig")])
    dump = cluster(tmp_path, {"resourceClaimTemplateName": "t"}, template, gpus)
    run(["explain", "-A", "-f", dump, "-o", "json"])
    (pod,) = json.loads(capsys.readouterr().out)["pods"]
    note = pod.get("note", "")
    assert f"ResourceClaimTemplate t: {WRONG.replace('spec.devices', 'spec.spec.devices')}." in note
    assert (
        "DeviceClass gpu.nvidia.com: spec.config[0].opaque.parameters.kind: MigDeviceConfig for the class "
        "gpu.nvidia.com, which gives whole GPUs: NVIDIA's driver refuses to prepare them so."
    ) in note
