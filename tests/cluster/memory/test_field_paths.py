"""managedFields' sets: read, written, and what of an object they say."""

from typing import Any

import pytest

from aliquot.cluster.memory.field_paths import difference, fields_of, from_v1, to_v1
from aliquot.cluster.memory.managers import readable
from aliquot.cluster.memory.merging import merged, pruned
from aliquot.cluster.memory.shapes import shapes_of

POD = shapes_of("Pod")
PORT = {"containerPort": 80}
KEY = 'k:{"containerPort":80,"protocol":"TCP"}'
MAIN = 'k:{"name":"main"}'


def pod(**container: Any) -> dict[str, Any]:
    return {"spec": {"containers": [{"name": "main", **container}]}}


def test_fields_are_those_that_an_api_server_writes() -> None:
    thing = pod(ports=[PORT], args=["a", "b"]) | {"metadata": {"finalizers": ["x/y"], "labels": {}}}
    assert to_v1(fields_of(thing, POD)) == {
        "f:metadata": {"f:finalizers": {'v:"x/y"': {}}, "f:labels": {}},
        "f:spec": {
            "f:containers": {
                MAIN: {".": {}, "f:name": {}, "f:args": {}, "f:ports": {KEY: {".": {}, "f:containerPort": {}}}},
            }
        },
    }


def test_sets_are_read_as_they_are_written() -> None:
    fields = fields_of(pod(ports=[PORT], env=[{"name": "A", "value": "1"}]), POD)
    assert frozenset(from_v1(to_v1(fields))) == fields


def test_a_difference_names_the_leaves() -> None:
    changed, removed = difference(pod(image="a", args=["x"], env=[{"name": "A"}]), pod(image="b", args=["y"]), POD)
    here = ("f:spec", "f:containers", MAIN)
    assert changed == {(*here, "f:image"), (*here, "f:args")}
    variables = (*here, "f:env")
    assert removed == {variables, (*variables, 'k:{"name":"A"}'), (*variables, 'k:{"name":"A"}', "f:name")}


@pytest.mark.parametrize(
    ("live", "wanted", "order"),
    [("abc", "cb", "acb"), ("abc", "dc", "abdc"), ("ab", "xa", "xab"), ("", "ba", "ba"), ("ab", "", "ab")],
)
def test_items_keep_their_order_and_wanted_ones_take_theirs(live: str, wanted: str, order: str) -> None:
    def volumes(names: str) -> dict[str, Any]:
        return {"spec": {"volumes": [{"name": name} for name in names]}}

    assert merged(volumes(live), volumes(wanted), POD) == volumes(order)


def test_lists_whose_items_cannot_be_told_apart_are_one_value() -> None:
    twice = pod(env=[{"name": "A"}, {"name": "A"}])
    assert merged(pod(env=[{"name": "B"}]), twice, POD) == twice
    assert merged(pod(env=[{"name": "B"}]), pod(env=["no map"]), POD) == pod(env=["no map"])
    assert merged(pod(env=[{"name": "B"}]), pod(env=[{"value": "no key"}]), POD) == pod(env=[{"value": "no key"}])


def test_what_others_need_is_not_pruned() -> None:
    thing = pod(image="a", env=[{"name": "A", "value": "1"}, {"name": "B", "value": "2"}])
    all_fields = fields_of(thing, POD)
    inside = frozenset(path for path in all_fields if 'k:{"name":"B"}' in path)
    assert pruned(thing, all_fields, inside, POD) == {"spec": {"containers": []}}  # nobody else owns the container
    kept = inside | {("f:spec", "f:containers", MAIN)}
    assert pruned(thing, all_fields, kept, POD) == pod(env=[{"name": "B", "value": "2"}])
    assert pruned(thing, all_fields, frozenset(), POD) == {"spec": {}}


def test_paths_are_readable() -> None:
    path = ("f:spec", "f:containers", MAIN, "f:ports", KEY, "f:hostPort")
    text = '.spec.containers[name="main"].ports[containerPort=80,protocol="TCP"].hostPort'
    assert readable(path) == text
    assert readable(("f:metadata", "f:finalizers", 'v:"x"')) == '.metadata.finalizers[="x"]'
