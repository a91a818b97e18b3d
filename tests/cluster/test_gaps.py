"""What is missing from the input is told as missing, with the line that takes it; it isn't judged as absent."""

import json
from pathlib import Path
from typing import Any

import pytest

from aliquot.cli.entry import run

NODE = """
apiVersion: v1
kind: Node
metadata: {name: gpu-1}
status: {allocatable: {cpu: "8", memory: 32Gi, pods: "110"}, nodeInfo: {kubeletVersion: v1.36.2}}
"""
POD = """
apiVersion: v1
kind: Pod
metadata: {name: NAME, namespace: NAMESPACE}
spec:
  containers: [{name: main}]
  CLAIMS
"""
CLAIMS = "resourceClaims: [{name: gpu, resourceClaimName: gpu}]"


def pod(name: str = "p", namespace: str = "ml", claims: str = "") -> str:
    return POD.replace("NAMESPACE", namespace).replace("NAME", name).replace("CLAIMS", claims)


@pytest.fixture
def explain(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Any:
    def of(*documents: str, ask: str = "--all-pending") -> tuple[int, str, str]:
        file = tmp_path / "dump.yaml"
        file.write_text("---".join(documents))
        capsys.readouterr()
        status = run(["explain", ask, "-f", str(file)])
        out, err = capsys.readouterr()
        return status, out, err.replace(str(tmp_path) + "/", "")

    return of


@pytest.mark.parametrize("ask", ["--all-pending", "pod/p"])
def test_no_nodes(explain: Any, ask: str) -> None:
    status, out, err = explain(pod(), ask=ask)
    assert (status, out) == (2, "")
    assert "error: the input has no nodes\n" in err
    assert "take them with this line" in err
    assert "kubectl get nodes -A -o yaml > nodes.yaml" in err


def test_no_pods(explain: Any) -> None:
    status, out, err = explain(NODE)
    assert (status, out) == (2, "")
    assert "error: the input has no pods\n" in err
    assert "kubectl get pods -A -o yaml > pods.yaml" in err


def test_no_pod_is_pending_is_said_of_pods_that_are_there(explain: Any) -> None:
    bound = pod().replace("spec:", "spec:\n  nodeName: gpu-1")
    status, out, _ = explain(NODE, bound)
    assert status == 0
    assert out.startswith("No pod waits, of 1.")


def test_claims_without_slices(explain: Any) -> None:
    claim = "apiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata: {name: gpu, namespace: ml}\n"
    request = "spec: {devices: {requests: [{name: r, exactly: {deviceClassName: gpu}}]}}\n"
    device_class = "apiVersion: resource.k8s.io/v1\nkind: DeviceClass\nmetadata: {name: gpu}\nspec: {}\n"
    status, _, err = explain(NODE, pod(claims=CLAIMS), "\n" + claim + request, "\n" + device_class)
    assert status == 3
    assert "no ResourceSlices, and ml/p asks for devices by claims: if the cluster has some" in err
    assert "kubectl get resourceslices -A -o yaml > resourceslices.yaml" in err
    _, _, err = explain(NODE, pod())
    assert "ResourceSlices" not in err


@pytest.mark.parametrize(
    ("written", "found"),
    [("y", "true"), ("on", "true"), ("No", "false"), ("5", "5"), ("1.5", "1.5"), ("0x1F", "31"), ("~", "null")],
)
@pytest.mark.parametrize("field", ["name", "namespace"])
def test_a_name_that_is_no_text_is_told(explain: Any, written: str, found: str, field: str) -> None:
    """YAML reads an unquoted y as true: the pod isn't there by that name, and is never dropped in silence."""
    if (field, written) == ("namespace", "~"):
        return  # null is absent: namespace default
    status, out, err = explain(NODE, pod(**{field: written}))
    assert (status, out) == (2, "")
    place = f"expected a string, found {found}" + ("" if found == "null" else " (put it in quotes)")
    assert f"warning: dump.yaml, document 2, line 9: metadata.{field}: {place}" in err
    assert "error: the input has no pods that could be read" in err


def test_one_name_that_is_no_text_among_others(explain: Any) -> None:
    bound = pod("fine").replace("spec:", "spec:\n  nodeName: gpu-1")
    status, out, err = explain(NODE, pod("y"), bound)
    assert status == 0
    assert out.startswith("No pod waits, of 1 that could be read.")
    assert "line 9: metadata.name: expected a string, found true (put it in quotes)" in err


def test_a_reference_that_is_no_text_is_told(explain: Any) -> None:
    status, _, err = explain(NODE, pod(claims="priorityClassName: on"), pod("fine"))
    assert status == 0
    assert "line 12: spec.priorityClassName: expected a string, found true (put it in quotes)" in err


def test_a_live_cluster_that_was_asked_and_has_none(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A dump of ours says what was asked for."""
    listed = [{"kind": kind, "resource": kind.lower() + "s", "state": "listed"} for kind in ("Node", "Pod")]
    header = {"apiVersion": "aliquot.dev/v1alpha1", "kind": "Dump", "metadata": {"name": "aliquot"}, "listed": listed}
    namespace = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "ml"}}
    (tmp_path / "dump.json").write_text(json.dumps([header, namespace]))
    assert run(["explain", "--all-pending", "-f", str(tmp_path / "dump.json")]) == 2
    assert "error: the cluster has no nodes" in capsys.readouterr().err
