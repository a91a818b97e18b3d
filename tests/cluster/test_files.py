"""Every form that a cluster comes in, read into the same objects."""

import gzip
import io
import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from aliquot.cluster.files import FileCluster
from aliquot.cluster.reading import Reading, key_of
from aliquot.kube.node import Node
from aliquot.kube.pod import Pod
from aliquot.kube.workload import Workload
from tests.conftest import SHARED

Json = dict[str, Any]

POD: Json = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {"name": "p", "namespace": "ns"},
    "spec": {"containers": [{"name": "c", "resources": {"limits": {"nvidia.com/gpu": "1"}}}]},
}
NODE: Json = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "gpu"}, "status": {"capacity": {"cpu": "8"}}}
OTHER: Json = {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "c"}, "data": {"a": "---\nb: 1\n"}}
LIST: Json = {"apiVersion": "v1", "kind": "List", "items": [NODE, OTHER, POD], "metadata": {"resourceVersion": ""}}


def kindless(thing: Json) -> Json:
    return {key: value for key, value in thing.items() if key not in {"apiVersion", "kind"}}


def dump(*things: Any, indent: int | None = None) -> bytes:
    return "\n".join(json.dumps(thing, indent=indent) for thing in things).encode()


def documents(*things: Any) -> bytes:
    text: str = yaml.safe_dump_all(things)
    return text.encode()


POD_LIST: Json = {"apiVersion": "v1", "kind": "PodList", "items": [kindless(POD)]}
NODE_LIST: Json = {"kind": "NodeList", "apiVersion": "v1", "metadata": {}, "items": [kindless(NODE)]}
LOGS = b"\n==== START logs for container c of pod p ====\n{ not JSON }\n==== END logs for container c of pod p ====\n"

FORMS: dict[str, bytes] = {
    "YAML documents": documents(NODE, OTHER, POD),
    "YAML documents, CRLF": documents(NODE, OTHER, POD).replace(b"\n", b"\r\n"),
    "a YAML List": documents(LIST),
    "a YAML sequence": documents([NODE, OTHER, POD]),
    "documents with comments": b"# a\n---\n# b\n--- # c\n" + documents(NODE) + b"...\n---\n" + documents(POD, OTHER),
    "directives and end marks": b"%YAML 1.1\n---\n" + documents(NODE) + b"...\n---\n" + documents(POD, OTHER),
    "a JSON List": dump(LIST),
    "an indented JSON List": dump(LIST, indent=4),
    "a JSON array": dump([NODE, OTHER, POD]),
    "JSON lines": dump(NODE, OTHER, POD),
    "concatenated JSON": dump(NODE, indent=2).replace(b"\n", b" ") + dump(OTHER) + dump(POD),
    "JSON documents between ---": dump(NODE) + b"\n---\n" + dump(OTHER) + b"\n---\n" + dump(POD) + b"\n---\n",
    "YAML and JSON mixed": documents(NODE) + b"---\n" + dump(POD, OTHER),
    "YAML in flow style": b"{kind: List, items: [" + dump(NODE) + b"," + dump(OTHER) + b"," + dump(POD) + b"]}",
    "typed lists": dump(NODE_LIST, POD_LIST, OTHER),
    "a List of lists": dump({"apiVersion": "v1", "kind": "List", "items": [NODE_LIST, LIST]}),
    "a list without kind": dump({"items": [NODE, OTHER, POD]}),
    "gzip": gzip.compress(dump(LIST)),
    "two gzip members": gzip.compress(dump(NODE, OTHER)) + gzip.compress(b"\n" + dump(POD)) + b"\0" * 20,
    "UTF-8 with a byte order mark": b"\xef\xbb\xbf" + dump(LIST),
    "UTF-16 little-endian": documents(LIST).decode().encode("utf-16"),
    "UTF-16 big-endian": b"\xfe\xff" + documents(LIST).decode().encode("utf-16-be"),
    "UTF-16 little-endian without mark": documents(LIST).decode().encode("utf-16-le"),
    "UTF-16 big-endian without mark": documents(LIST).decode().encode("utf-16-be"),
    "kubectl cluster-info dump": dump(NODE_LIST) + LOGS + dump(POD_LIST, OTHER) + LOGS,
    "cut-off logs at the end": dump(LIST) + b"\n==== START logs for container c of pod ns/p ====\nhello",
}  # fmt: skip


def read(*paths: Path) -> Reading:
    return FileCluster(paths).read()


@pytest.mark.parametrize("name", sorted(FORMS))
def test_forms(tmp_path: Path, name: str) -> None:
    file = tmp_path / "dump"
    file.write_bytes(FORMS[name])
    reading = read(file)
    assert [str(problem) for problem in reading.warnings] == []
    assert {key_of(thing) for thing in reading.objects} == {("Node", "gpu"), ("Pod", "ns/p")}
    assert set(reading.skipped) == {"Service"}
    assert reading.snapshot.pods["ns/p"].containers[0].requests == {"nvidia.com/gpu": 1}
    assert reading.snapshot.nodes["gpu"].allocatable == {"cpu": 8000}


def test_large_json_documents_between_separators(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("aliquot.cluster.documents.LOOK_AGAIN_BELOW_BYTES", 10)
    file = tmp_path / "dump"
    file.write_bytes(dump(NODE) + b"\n---\n\n---\n" + dump({**POD, "spec": {"priority": 1.5}}) + b"\n---")
    reading = read(file)
    assert [key_of(thing) for thing in reading.objects] == [("Node", "gpu")]
    (problem,) = reading.warnings
    assert (problem.document, problem.line, problem.path) == (2, None, "spec.priority")
    file.write_bytes(dump(NODE) + b" ---\n" + dump(POD))
    (problem,) = read(file).warnings
    assert "not JSON" in problem.message


def test_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    reading = FileCluster(["-"], stdin=io.BytesIO(dump(LIST))).read()
    assert len(reading.objects) == 2
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"nonsense: [")))
    reading = FileCluster(["-"]).read()
    assert [problem.file for problem in reading.warnings] == ["-"]


def test_folders(tmp_path: Path) -> None:
    """As `kubectl cluster-info dump --output-directory` leaves them; names sort, hidden files and logs are left out."""
    (tmp_path / "n" / "p").mkdir(parents=True)
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "config.yaml").write_text("- broken: [")
    (tmp_path / "nodes.json").write_bytes(dump(NODE_LIST))
    (tmp_path / "n" / "pods.json.gz").write_bytes(gzip.compress(dump(POD_LIST)))
    (tmp_path / "n" / "p" / "logs.txt").write_text("hello")
    (tmp_path / "n" / "manifest").write_bytes(documents(OTHER))
    for name in ("README.md", "a.png", "b.txt", "c.txt"):
        (tmp_path / name).write_text("words")
    reading = read(tmp_path)
    assert {key_of(thing) for thing in reading.objects} == {("Node", "gpu"), ("Pod", "ns/p")}
    assert reading.skipped == {"Service": 1}
    assert [problem.message for problem in reading.warnings] == [
        "skipped, since they aren't manifests: README.md, a.png, b.txt and 1 more"
    ]


def test_unreadable_files_are_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "locked").write_bytes(dump(POD))

    def locked(*_: object) -> bytes:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", locked)
    monkeypatch.setattr(Path, "read_bytes", locked)
    reading = read(tmp_path)
    assert [problem.message for problem in reading.warnings] == ["can't be opened: Permission denied"]


def test_later_objects_count(tmp_path: Path) -> None:
    old, new, more = tmp_path / "old.json", tmp_path / "new.json", tmp_path / "more.json"
    changed = {**POD, "status": {"phase": "Running"}}
    others = [{**POD, "metadata": {"name": f"p{number}"}} for number in range(5)]
    old.write_bytes(dump(POD, NODE, *others))
    new.write_bytes(dump(changed, NODE))
    more.write_bytes(dump(*({**other, "status": {"phase": "Failed"}} for other in others)))
    reading = read(old, new, more)
    assert [key_of(thing)[1] for thing in reading.objects][:2] == ["ns/p", "gpu"]
    assert isinstance(reading.objects[0], Pod)
    assert reading.objects[0].phase == "Running"
    assert [problem.message for problem in reading.warnings] == [
        "Pod ns/p: described before, differently; the later counts",
        "Pod default/p0, Pod default/p1, Pod default/p2 and 2 more: described before, differently; the later counts",
    ]


def test_kinds_that_no_decision_needs(tmp_path: Path) -> None:
    """Counted, not told; so are other groups' kinds of the same name."""
    things = [
        OTHER,
        {"apiVersion": "v1", "kind": "Endpoints", "metadata": {"name": "s"}},
        {"apiVersion": "v1", "kind": "Endpoints", "metadata": {"name": "t"}},
        {"apiVersion": "example.com/v1", "kind": "Pod", "metadata": {"name": "x"}},
        {"apiVersion": "example.com/v1", "kind": "AllowList", "spec": {}},
        {"apiVersion": "v1", "kind": "PodList", "items": None},
    ]
    file = tmp_path / "f.json"
    file.write_bytes(dump(*things))
    reading = read(file)
    assert reading == Reading((), (), {"AllowList": 1, "Service": 1, "Pod": 1, "Endpoints": 2})


ITEM = "- apiVersion: v1\n  kind: Pod\n"


@pytest.mark.parametrize(
    ("text", "line", "path"),
    [
        (f"kind: List\nitems:\n{ITEM}  metadata:\n    name: 5\n", 6, "items[0].metadata.name"),
        ("---\n\n---\nkind: Pod\napiVersion: v1\nmetadata: {}\n", 6, "metadata.name"),
        ('{"apiVersion": "v1",\n"kind": "Pod","metadata":{"name": ""},\n"spec": {"priority": ""}}', 3, "spec.priority"),
        (f"{ITEM}  metadata: {{name: p}}\n  spec:\n    nodeName:\n    - c\n", 5, "[0].spec.nodeName"),
        ("apiVersion: v1\nkind: Pod\n? [a]\n: b\nmetadata: {name: 1}\n", 3, ""),
    ],
)  # fmt: skip
def test_faults_have_lines(tmp_path: Path, text: str, line: int, path: str) -> None:
    file = tmp_path / "f"
    file.write_text(text)
    (problem,) = read(file).warnings
    assert (problem.line, problem.path) == (line, path)


def test_lines_of_a_later_json_document(tmp_path: Path) -> None:
    file = tmp_path / "f"
    file.write_bytes(dump(NODE, indent=1) + b"\n\n" + dump({**POD, "spec": {"priority": "x"}}, indent=1))
    (problem,) = read(file).warnings
    lines = file.read_text().splitlines()
    assert problem.line is not None
    assert '"priority": "x"' in lines[problem.line - 1]
    assert problem.document == 2


def test_article_manifests(tmp_path: Path) -> None:
    """A bare pod of the first article, and a v1beta1 claim with the recipe straight in the request of the second."""
    file = tmp_path / "article.yaml"
    file.write_text(
        """\
apiVersion: v1
kind: Pod
metadata:
  name: gpu-pod
spec:
  restartPolicy: OnFailure
  containers:
  - name: main
    image: vllm/vllm-openai
    env:
    - {name: NVIDIA_DRIVER_CAPABILITIES, value: "compute,utility"}
    resources:
      limits:
        nvidia.com/gpu: "1"
  tolerations:
  - key: nvidia.com/gpu
    operator: Exists
    effect: NoSchedule
---
apiVersion: resource.k8s.io/v1beta1
kind: ResourceClaim
metadata:
  name: gpu-claim
spec:
  devices:
    requests:
    - name: gpu
      deviceClassName: gpu.nvidia.com
      allocationMode: ExactCount
      count: 1
"""
    )
    reading = read(file)
    assert reading.warnings == ()
    pod = reading.snapshot.pods["default/gpu-pod"]
    assert pod.containers[0].requests == {"nvidia.com/gpu": 1}
    assert (pod.tolerations[0].key, pod.tolerations[0].operator, pod.phase) == ("nvidia.com/gpu", "Exists", "Pending")
    exactly = reading.snapshot.claims["default/gpu-claim"].spec.requests[0].exactly
    assert exactly is not None
    assert (exactly.class_name, exactly.mode, exactly.count) == ("gpu.nvidia.com", "ExactCount", 1)


@pytest.mark.skipif(not SHARED.exists(), reason="../shared is missing")
def test_shared_dumps_and_demos() -> None:
    for file in sorted((SHARED / "cases" / "dumps").glob("*/dump.yaml")):
        reading = read(file)
        assert (reading.warnings, reading.skipped) == ((), {})
        assert reading.snapshot.nodes
        assert reading.snapshot.pending()
        assert all(thing.template is not None for thing in reading.objects if isinstance(thing, Workload))
    for file in sorted((SHARED / "cases" / "nvidia-demos" / "layouts").glob("*.yaml")):
        reading = read(file)
        assert reading.warnings == ()
        assert any(isinstance(thing, Node) for thing in reading.objects)
        assert reading.snapshot.slices
