"""NVIDIA's demo claims on slices as `aliquot node slices` prints them: `aliquot explain` places them as the real
kube-scheduler did on NVIDIA's own slices (../shared/cases/nvidia-demos, which stays beside the project).
"""

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from aliquot.cli.entry import run
from tests.conftest import SHARED

DEMOS = SHARED / "cases" / "nvidia-demos"
pytestmark = pytest.mark.skipif(not DEMOS.exists(), reason="NVIDIA's demo manifests aren't here")

EIGHT = "{model: A100-40GB}"
HALF = '{model: A100-40GB, mig: true, instances: ["3g.20gb@4", "2g.10gb@0", "1g.5gb@2", "1g.5gb@3"]}'
SEVEN = f"{{model: GH200-96GB, mig: true, instances: [{', '.join(f'1g.12gb@{start}' for start in range(7))}]}}"
LAYOUTS: dict[str, tuple[Any, ...]] = {
    "gpu8": ([EIGHT] * 8, "static"),
    "dynamic-mig": (["{model: A100-40GB, mig: true}"] * 8, "dynamic"),
    "static-half-balanced": ([HALF] * 4 + [EIGHT] * 4, "static"),
    "gh200-7x1g12gb": ([SEVEN] * 2, "static"),
    "shares-4": ([EIGHT] * 8, "dynamic", "4"),
    "shares-memory": ([EIGHT] * 8, "dynamic", "memory"),
    "shares-unlimited": ([EIGHT] * 8, "dynamic", "unlimited"),
}
"""The same nodes as hosts; the others have attributes of another driver, and devices for virtual machines."""
PRESETS = {"gpu8": "dgx-a100"}
"""The layout of which is a preset's too."""


def runs() -> list[Any]:
    if not DEMOS.exists():
        return []
    truth = json.loads((DEMOS / "truth.json").read_text(encoding="utf-8"))
    found = [one for one in truth["runs"] if one["layout"] in LAYOUTS and one["pods"]]
    named = [(f"{Path(one['spec'][-1]).stem}@{one['layout']}", one) for one in found]
    there = [(f"{name}-{PRESETS[one['layout']]}", one) for name, one in named if one["layout"] in PRESETS]
    return [
        *(pytest.param(one, False, id=name) for name, one in named),
        *(pytest.param(one, True, id=name) for name, one in there),
    ]


def documents(path: Path) -> list[Any]:
    return [one for one in yaml.load_all(path.read_text(encoding="utf-8"), Loader=yaml.CSafeLoader) if one]


def slices(layout: str, folder: Path, capsys: pytest.CaptureFixture[str], *, preset: bool) -> list[Any]:
    """What our host publishes, or a preset."""
    gpus, mig, *shares = LAYOUTS[layout]
    if preset:
        name = ("--host", f"preset:{PRESETS[layout]}", "--node", "gpu-node-1")
        assert run(["node", "slices", *name, "--mig", mig, "--kubernetes", "1.36", "-o", "json"]) == 0
        offered: list[Any] = json.loads(capsys.readouterr().out)["items"]
        return offered
    host = folder / "host.yaml"
    lines = "".join(f"  - {gpu}\n" for gpu in gpus)
    host.write_text(f"name: gpu-node-1\ndriver: {{version: 580.95.05}}\ngpus:\n{lines}", encoding="ascii")
    words = ["--host", f"sim:{host}", "--mig", mig, "--kubernetes", "1.36", "-o", "json"]
    assert run(["node", "slices", *words, "--consumable-shares", *(shares or [""])]) == 0
    items: list[Any] = json.loads(capsys.readouterr().out)["items"]
    return items


def asked(demo: Any) -> list[Any]:
    """The demo's objects, as its controllers make them: pods of Deployments, and claims of templates."""
    given = [one for spec in demo["spec"] for one in documents(DEMOS / spec)]
    pods = {f"{one['metadata']['namespace']}/{one['metadata']['name']}": one for one in given if one["kind"] == "Pod"}
    for deployment in (one for one in given if one["kind"] == "Deployment"):
        namespace, name = deployment["metadata"]["namespace"], deployment["metadata"]["name"]
        template = deployment["spec"]["template"]
        for key in demo["pods"]:
            if key.startswith(f"{namespace}/{name}-"):
                labels = template["metadata"]["labels"]
                metadata = {"namespace": namespace, "name": key.partition("/")[2], "labels": labels}
                pods[key] = {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": template["spec"]}
    claims = []
    for key, claim in demo["claims"].items():
        if "resource.kubernetes.io/extended-resource-claim" in claim["annotations"]:
            continue  # the scheduler makes it
        namespace, name = key.split("/")
        owners = [
            {"apiVersion": "v1", "kind": "Pod", "name": owner.removeprefix("Pod/"), "uid": owner, "controller": True}
            for owner in claim["owner"]
        ]
        metadata = {
            "namespace": namespace,
            "name": name,
            "annotations": claim["annotations"],
            "uid": key,
            "ownerReferences": owners,
        }
        claims.append(
            {
                "apiVersion": "resource.k8s.io/v1",
                "kind": "ResourceClaim",
                "metadata": metadata,
                "spec": claim["spec"],
                "status": {},
            }
        )
        for owner in claim["owner"]:
            pod = pods[f"{namespace}/{owner.removeprefix('Pod/')}"]
            status = pod.setdefault("status", {}).setdefault("resourceClaimStatuses", [])
            status.append(
                {"name": claim["annotations"]["resource.kubernetes.io/pod-claim-name"], "resourceClaimName": name}
            )
    classes = [one for one in given if one["kind"] == "DeviceClass"]
    for key in demo["pods"]:
        pods[key].setdefault("status", {})
        pods[key]["metadata"]["uid"] = f"Pod/{pods[key]['metadata']['name']}"
    return [*classes, *claims, *(pods[key] for key in demo["pods"])]


def bind(cluster: list[Any], name: str, answer: Any, demo: Any) -> None:
    """What the scheduler writes after the pod has got its devices; of a share, what the real one took of it."""
    pod = next(one for one in cluster if one["kind"] == "Pod" and one["metadata"]["name"] == name)
    pod["spec"] = {**pod["spec"], "nodeName": answer["node"]}
    names = [one["resourceClaimName"] for one in pod["status"].get("resourceClaimStatuses", [])]
    names += [one["resourceClaimName"] for one in pod["spec"].get("resourceClaims", []) if "resourceClaimName" in one]
    devices = list(answer["devices"])
    for claim in cluster:
        if claim["kind"] != "ResourceClaim" or claim["metadata"]["name"] not in names or claim["status"]:
            continue
        requests = [one["name"] for one in claim["spec"]["devices"]["requests"]]
        results = [
            dict(zip(("driver", "pool", "device"), devices.pop(0).split("/"), strict=True), request=request)
            for request in requests
        ]
        for result, truth in zip(results, demo["claims"][claim["metadata"]["uid"]]["devices"], strict=True):
            result.update({part: truth[part] for part in ("shareID", "consumedCapacity") if part in truth})
        claim["status"] = {"allocation": {"devices": {"results": results}}}


@pytest.mark.parametrize(("demo", "preset"), runs())
def test_placed_as_the_real_scheduler_did(
    demo: Any, preset: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    layout = documents(DEMOS / "layouts" / f"{demo['layout']}.yaml")
    cluster = [one for one in layout if one["kind"] != "ResourceSlice"]
    cluster += [*slices(demo["layout"], tmp_path, capsys, preset=preset), *asked(demo)]
    given = {}
    for key, truth in demo["pods"].items():
        namespace, name = key.split("/")
        (tmp_path / "dump.json").write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": cluster}))
        words = ["explain", f"pod/{name}", "-n", namespace, "-f", str(tmp_path / "dump.json"), "-o", "json"]
        status = run([*words, "--kubernetes", "1.36", "--feature-gates", "DRADeviceTaintRules=true"])
        (answer,) = json.loads(capsys.readouterr().out)["pods"]
        assert status == (0 if truth["scheduled"] else 3), answer
        if truth["scheduled"]:
            given[key] = answer["devices"]
            bind(cluster, name, answer, demo)
        else:
            assert (answer["reason"], answer["schedulerMessage"]) == (truth["reason"], truth["schedulerMessage"])
    # which pod of a Deployment came first isn't told: what they got, is
    real = [
        [one.partition("#")[0] for one in truth["devices"]] for truth in demo["pods"].values() if truth["scheduled"]
    ]
    assert sorted(given.values()) == sorted(real)
