"""What can't be read isn't called missing: whoever names it is told where it stands and what is wrong with it."""

import re
from pathlib import Path
from typing import Any

import pytest

from aliquot.cli.entry import run

NODE = """\
apiVersion: v1
kind: Node
metadata: {name: n0}
status: {allocatable: {cpu: "8", memory: 32Gi, pods: "110"}}
---
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: s}
spec:
  {driver: d, nodeName: n0, pool: {name: n0, generation: 1, resourceSliceCount: 1}, devices: [{name: gpu-0}]}
---
"""
CLASS = "apiVersion: resource.k8s.io/v1\nkind: DeviceClass\nmetadata: {name: %s}\nspec: {}\n---\n"
DEVICES = "{devices: {requests: [{name: r, exactly: {deviceClassName: %s, allocationMode: ExactCount, count: 1}}]}}"
CLAIM = "apiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata: {name: %s, namespace: ml}\nspec: %s\n---\n"
TEMPLATE = (
    "apiVersion: resource.k8s.io/v1\nkind: ResourceClaimTemplate\nmetadata: {name: %s, namespace: ml}\n"
    "spec: {spec: %s}\n---\n"
)
POD = """\
apiVersion: v1
kind: Pod
metadata: {name: p, namespace: ml}
spec:
  containers: [{name: main}]
  resourceClaims: [{name: c, %s: "%s"}]
"""


@pytest.fixture
def told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Any:
    def ask(text: str) -> str:
        dump = tmp_path / "dump.yaml"
        dump.write_text(text, encoding="utf-8")
        assert run(["explain", "pod/p", "-f", str(dump)]) == 3
        return re.sub(r"\s+", " ", capsys.readouterr().out)

    return ask


def test_a_claim(told: Any) -> None:
    text = told(NODE + CLASS % "gpu" + CLAIM % ("y", DEVICES % "gpu") + POD % ("resourceClaimName", "y"))
    assert "ResourceClaim y isn't among what could be read: a ResourceClaim of the input couldn't be (" in text
    assert "dump.yaml, document 4, line 19: metadata.name: expected a string, found true), and may be this one." in text
    assert "isn't in the input" not in text


def test_a_template(told: Any) -> None:
    named = POD % ("resourceClaimTemplateName", "n")
    text = told(NODE + CLASS % "gpu" + TEMPLATE % ("n", DEVICES % "gpu") + named)
    assert "ResourceClaimTemplate n isn't among what could be read" in text
    assert "metadata.name: expected a string, found false" in text


def test_a_class(told: Any) -> None:
    named = POD % ("resourceClaimName", "c")
    text = told(NODE + CLASS % "on" + CLASS % "off" + CLAIM % ("c", DEVICES % '"on"') + named)
    assert "DeviceClass on isn't among what could be read: 2 objects of this kind in the input couldn't be (" in text
    assert "and one of them may be this." in text


def test_a_volume_claim_isnt_called_missing(told: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    claims = "".join(
        f"apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {{name: {name}, namespace: ml}}\nspec: {{}}\n---\n"
        for name in ("other", "yes")
    )
    volumes = '  volumes: [{name: d, persistentVolumeClaim: {claimName: "yes"}}]\n'
    waiting = f"apiVersion: v1\nkind: Pod\nmetadata: {{name: p, namespace: ml}}\nspec:\n{volumes}"
    dump = tmp_path / "dump.yaml"
    dump.write_text(f"{NODE}{claims}{waiting}  containers: [{{name: main}}]\n", encoding="utf-8")
    run(["explain", "pod/p", "-f", str(dump)])
    assert "doesn't exist" not in capsys.readouterr().out
