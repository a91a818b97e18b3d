"""JSON merge patches and JSON patches, by the RFCs' own kinds of cases."""

from typing import Any

import pytest

from aliquot.cluster.memory.patches import json_patched, merge_patched
from aliquot.cluster.objects.status import StatusError


@pytest.mark.parametrize(
    ("thing", "patch", "after"),
    [
        ({"a": "b"}, {"a": "c"}, {"a": "c"}),
        ({"a": "b"}, {"b": "c"}, {"a": "b", "b": "c"}),
        ({"a": "b"}, {"a": None}, {}),
        ({"a": [1]}, {"a": [2, 3]}, {"a": [2, 3]}),
        ({"a": {"b": "c"}}, {"a": {"b": "d", "c": None}}, {"a": {"b": "d"}}),
        ({"a": [1]}, {"a": {"b": {"c": None}}}, {"a": {"b": {}}}),
        ({"a": "b"}, ["c"], ["c"]),
    ],
)
def test_merge(thing: Any, patch: Any, after: Any) -> None:
    assert merge_patched(thing, patch) == after


@pytest.mark.parametrize(
    ("thing", "operation", "after"),
    [
        ({"a": 1}, {"op": "add", "path": "/b", "value": 2}, {"a": 1, "b": 2}),
        ({"a": [1, 3]}, {"op": "add", "path": "/a/1", "value": 2}, {"a": [1, 2, 3]}),
        ({"a": [1]}, {"op": "add", "path": "/a/-", "value": 2}, {"a": [1, 2]}),
        ({"a": {"b": 1}}, {"op": "remove", "path": "/a/b"}, {"a": {}}),
        ({"a": [1, 2]}, {"op": "remove", "path": "/a/0"}, {"a": [2]}),
        ({"a": [{"b": 1}]}, {"op": "replace", "path": "/a/0/b", "value": 2}, {"a": [{"b": 2}]}),
        ({"a": [1, 2]}, {"op": "replace", "path": "/a/1", "value": 3}, {"a": [1, 3]}),
        ({"a": {"b": 1}, "c": {}}, {"op": "move", "from": "/a/b", "path": "/c/d"}, {"a": {}, "c": {"d": 1}}),
        ({"a": 1}, {"op": "copy", "from": "/a", "path": "/b"}, {"a": 1, "b": 1}),
        ({"a/b": {"~": 1}}, {"op": "test", "path": "/a~1b/~0", "value": 1}, {"a/b": {"~": 1}}),
        ({"a": 1}, {"op": "replace", "path": "", "value": {"b": 2}}, {"b": 2}),
    ],
)
def test_json(thing: Any, operation: Any, after: Any) -> None:
    assert json_patched(thing, [operation]) == after


@pytest.mark.parametrize(
    ("operation", "code"),
    [
        ({"op": "test", "path": "/a", "value": 2}, 422),
        ({"op": "remove", "path": "/b"}, 422),
        ({"op": "replace", "path": "/b", "value": 1}, 422),
        ({"op": "add", "path": "/b/c", "value": 1}, 422),
        ({"op": "add", "path": "/l/3", "value": 1}, 422),
        ({"op": "remove", "path": "/l/-"}, 422),
        ({"op": "add", "path": "/a/b", "value": 1}, 422),
        ({"op": "test", "path": "/a/b", "value": 1}, 422),
        ({"op": "jump", "path": "/a"}, 400),
        ({"path": "/a"}, 400),
        ({"op": "add", "path": "/a"}, 400),
        ({"op": "add", "path": "a", "value": 1}, 400),
        (7, 400),
    ],
)
def test_json_patches_that_fail(operation: Any, code: int) -> None:
    with pytest.raises(StatusError) as raised:
        json_patched({"a": 1, "l": [1]}, [operation])
    assert raised.value.code == code
