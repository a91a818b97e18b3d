"""Objects with faults: all are told, each with its path; and the slow way gives the same nouns as the fast one."""

import gzip
import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

from aliquot.dra.read import KINDS as DRA_KINDS
from aliquot.kube.pod import Pod
from aliquot.kube.reading.kind import Kind
from aliquot.kube.reading.kinds import KINDS
from aliquot.kube.reading.memo import Memo
from aliquot.kube.reading.shape import Fault, found

Json = dict[str, Any]
SHARED = Path(__file__).parents[3] / "shared"
POD = next(kind for kind in KINDS if kind.name == "Pod")


def told(thing: Any) -> tuple[Pod | None, set[str]]:
    raw = thing if isinstance(thing, bytes) else json.dumps(thing).encode()
    noun, faults = POD.read(raw, Memo())
    assert noun is None or isinstance(noun, Pod)
    return noun, {f"{fault.path}: {fault.message}" for fault in faults}


def spec(**fields: Any) -> Json:
    return {"metadata": {"name": "p"}, "spec": fields}


def limits(**amounts: Any) -> Json:
    return spec(containers=[{"name": "c", "resources": {"limits": amounts}}])


REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
SPREAD = "spec.topologySpreadConstraints[0]"
LIMITS = "spec.containers[0].resources.limits"


@pytest.mark.parametrize(
    ("thing", "faults"),
    [
        ({}, {"metadata: missing"}),
        ({"metadata": None}, {"metadata: expected an object, found null"}),
        ({"metadata": {}}, {"metadata.name: missing"}),
        ({"metadata": {"name": None}}, {"metadata.name: expected a string, found null"}),
        ({"metadata": {"name": 5}}, {"metadata.name: expected a string, found 5"}),
        ({"metadata": {"name": ["p"]}}, {"metadata.name: expected a string, found a list"}),
        ([], {": expected an object, found a list"}),
        ("text", {': expected an object, found "text"'}),
        ({"metadata": {"name": "p", "labels": {"a": 1, "b": True}}},
         {"metadata.labels.a: expected a string, found 1", "metadata.labels.b: expected a string, found true"}),
        ({"metadata": {"name": "p", "labels": "a=b"}}, {'metadata.labels: expected an object, found "a=b"'}),
        (spec(priority=True), {"spec.priority: expected an integer, found true"}),
        (spec(priority=1.5), {"spec.priority: expected an integer, found 1.5"}),
        (spec(priority="1"), {'spec.priority: expected an integer, found "1"'}),
        (spec(priority=2**31), {f"spec.priority: expected an integer from {-(2**31)} to {2**31 - 1}, found {2**31}"}),
        (spec(hostNetwork="true"), {'spec.hostNetwork: expected true or false, found "true"'}),
        (spec(hostNetwork=1), {"spec.hostNetwork: expected true or false, found 1"}),
        (spec(containers={}), {"spec.containers: expected a list, found an object"}),
        (spec(containers=[None, 5]),
         {"spec.containers[0]: expected an object, found null", "spec.containers[1]: expected an object, found 5"}),
        (spec(volumes=[{"name": 5, "persistentVolumeClaim": []}]),
         {"spec.volumes[0].name: expected a string, found 5",
          "spec.volumes[0].persistentVolumeClaim: expected an object, found a list"}),
        (spec(volumes=["a"]), {'spec.volumes[0]: expected an object, found "a"'}),
        (limits(gpu="two"), {f'{LIMITS}.gpu: expected a quantity, found "two"'}),
        (limits(gpu=True), {f"{LIMITS}.gpu: expected a quantity, found true"}),
        (limits(gpu=[1], cpu={}),
         {f"{LIMITS}.gpu: expected a quantity, found a list", f"{LIMITS}.cpu: expected a quantity, found an object"}),
        (limits(gpu=""), {f'{LIMITS}.gpu: expected a quantity, found ""'}),
        (spec(overhead={"cpu": "x"}), {'spec.overhead.cpu: expected a quantity, found "x"'}),
        (spec(tolerations=[{"tolerationSeconds": "5"}]),
         {'spec.tolerations[0].tolerationSeconds: expected an integer, found "5"'}),
        (spec(topologySpreadConstraints=[{}]), {f"{SPREAD}.maxSkew: missing", f"{SPREAD}.topologyKey: missing"}),
        (spec(nodeSelector={"a": 1}), {"spec.nodeSelector.a: expected a string, found 1"}),
        (spec(affinity={"nodeAffinity": {REQUIRED: []}}),
         {f"spec.affinity.nodeAffinity.{REQUIRED}: expected an object, found a list"}),
        (b'{"metadata": {"name": "p\xff"}}', {"metadata.name: text that isn't UTF-8"}),
        (b'{"metadata": {"name": "p", "labels": {"\xff": "v"}}}', {"metadata.labels.?: text that isn't UTF-8"}),
    ],
)  # fmt: skip
def test_faults(thing: Any, faults: set[str]) -> None:
    noun, messages = told(thing)
    assert noun is None
    assert messages == faults


def test_all_faults_at_once() -> None:
    thing = limits(**{"nvidia.com/gpu": "two"})
    thing["metadata"] = {"labels": 5}
    thing["spec"]["priority"] = "high"
    assert told(thing)[1] == {
        "metadata.name: missing",
        "metadata.labels: expected an object, found 5",
        f'{LIMITS}.nvidia.com/gpu: expected a quantity, found "two"',
        'spec.priority: expected an integer, found "high"',
    }


@pytest.mark.parametrize(
    ("meta", "status", "path"),
    [
        ({"annotations": {"a": 1}}, {}, "metadata.annotations.a"),
        ({"annotations": "x"}, {}, "metadata.annotations"),
        ({"creationTimestamp": 5}, {}, "metadata.creationTimestamp"),
        ({"generation": 2**70}, {}, "metadata.generation"),
        ({}, {"startTime": []}, "status.startTime"),
        ({}, {"conditions": [{"type": "PodScheduled", "message": 7}]}, "status.conditions[0].message"),
    ],
)  # fmt: skip
def test_a_fault_that_no_decision_meets_keeps_the_object(meta: Json, status: Json, path: str) -> None:
    noun, faults = POD.read(json.dumps({"metadata": {"name": "p", **meta}, "status": status}).encode(), Memo())
    assert isinstance(noun, Pod)
    assert noun.meta.annotations == {}
    assert [fault.path for fault in faults] == [path]


def test_minor_fault_beside_text_that_is_not_utf8() -> None:
    noun, messages = told(b'{"metadata": {"name": "p", "annotations": {"a": 1}}, "unknown": "\xff"}')
    assert noun is not None
    assert messages == {"metadata.annotations.a: expected a string, found 1"}


def test_hints() -> None:
    thing = {"metadata": {"name": "p", "labels": {"a": True}}, "spec": {"priority": "1", "hostNetwork": "true"}}
    _, faults = POD.read(json.dumps(thing).encode(), Memo())
    assert [fault.hint for fault in faults] == ["put it in quotes", "take the quotes away", "take the quotes away"]


def test_nested_too_deeply() -> None:
    raw = b'{"metadata": {"name": "p"}, "spec": {"affinity": ' + b"[" * 5000 + b"]" * 5000 + b"}}"
    assert told(raw) == (None, {": nested too deeply"})


def test_an_int_with_thousands_of_digits() -> None:
    raw = b'{"metadata": {"name": "p"}, "spec": {"priority": ' + b"9" * 6000 + b"}}"
    noun, messages = told(raw)
    assert noun is None
    assert len(messages) == 1
    raw = b'{"metadata": {"name": "p", "annotations": 1}, "unknown": ' + b"9" * 6000 + b"}"
    assert told(raw)[1] == {
        "metadata.annotations: expected an object, found 1",
    }


def test_broken_json_inside() -> None:
    noun, messages = told(b'{"metadata": {"name": "p"')
    assert noun is None
    assert len(messages) == 1


def test_shape_and_reader_disagree() -> None:
    """A fault that only the reader meets is told in its own words."""

    class Anything(msgspec.Struct):
        pass

    def refuse(_wire: Anything, _memo: Memo) -> None:
        raise ValueError("no such thing")

    kind = Kind("", ("v1",), "Anything", Anything, refuse)
    assert kind.read(b"{}", Memo()) == (None, (Fault("", "can't be read: no such thing"),))


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (None, "null"),
        (True, "true"),
        (5, "5"),
        ("a" * 61, '"' + "a" * 57 + '..."'),
        ({}, "an object"),
        ([], "a list"),
        (10**70, "1" + "0" * 56 + "..."),
    ],
)
def test_found(value: Any, words: str) -> None:
    assert found(value) == words


@pytest.mark.skipif(not SHARED.exists(), reason="../shared is missing")
def test_slow_and_fast_agree_on_good_objects() -> None:
    kinds = {
        (f"{kind.group}/{version}" if kind.group else version, kind.name): kind
        for kind in (*KINDS, *DRA_KINDS)
        for version in kind.versions
    }
    number = 0
    with gzip.open(SHARED / "cases" / "random-clusters.jsonl.gz", "rt") as file:
        for line in list(file)[:12]:
            cluster = json.loads(line)
            for thing in (*cluster["objects"], *cluster["final"]["items"]):
                kind = kinds[thing["apiVersion"], thing["kind"]]
                raw = json.dumps(thing).encode()
                fast = kind.read(raw, Memo())
                assert fast[1] == ()
                assert kind._slowly(raw, Memo(), ValueError()) == fast
                number += 1
    assert number > 300
