"""YAML means what it means to kubectl."""

import json
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from aliquot.cluster.yaml_scalars import plain
from aliquot.cluster.yaml_stream import YamlError, lines, load_all


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("", None), ("~", None), ("null", None), ("Null", None),
        ("y", True), ("Yes", True), ("on", True), ("TRUE", True),
        ("n", False), ("NO", False), ("off", False), ("false", False),
        ("tRUE", "tRUE"), ("nO", "nO"),
        ("0", 0), ("-0", 0), ("+5", 5), ("1_000", 1000), ("0x1F", 31), ("0b101", 5), ("017", 15), ("0o17", 15),
        ("-017", -15), ("08", 8), ("1.0", 1), ("1.50", 1.5), (".5", 0.5), ("5.", 5), ("1e3", 1000), ("1E-3", 0.001),
        ("18446744073709551615", 2**64 - 1), ("18446744073709551616", 2.0**64), ("-9223372036854775809", -(2.0**63)),
        ("1:30", "1:30"), ("2026-11-30", "2026-11-30"), ("2026-11-30T00:00:00Z", "2026-11-30T00:00:00Z"),
        ("1.2.3", "1.2.3"), ("1Gi", "1Gi"), ("-", "-"), ("+", "+"), (".", "."), ("_1", "_1"), ("0x", "0x"), ("a", "a"),
        ("100m", "100m"), ("1e", "1e"),
    ],
)  # fmt: skip
def test_plain_scalars(text: str, value: Any) -> None:
    got = plain(text)
    assert (got, type(got)) == (value, type(value))


@pytest.mark.parametrize("text", [".nan", ".inf", "-.Inf", "9" * 500, "1e999"])
def test_numbers_that_json_has_not(text: str) -> None:
    with pytest.raises(YamlError, match="isn't a number that JSON has"):
        load_all(f"a: {text}")


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("a: 'yes'", {"a": "yes"}),
        ('a: "1"', {"a": "1"}),
        ("a: !!str 1", {"a": "1"}),
        ("a: !!int '5'", {"a": 5}),
        ("a: !!timestamp 2026-11-30", {"a": "2026-11-30"}),
        ("a: ! 1", {"a": "1"}),
        ("a: |\n  x\n  y\n", {"a": "x\ny\n"}),
        ("1: a\ntrue: b\n1.5: c", {"1": "a", "true": "b", "1.5": "c"}),
        ("off: a", {"false": "a"}),
        ("a: &x {b: 1}\nc: *x", {"a": {"b": 1}, "c": {"b": 1}}),
        ("a: &x 5\nc: [*x, *x]", {"a": 5, "c": [5, 5]}),
        ("a: &x {b: 1, c: 2}\nd: {<<: *x, c: 3}", {"a": {"b": 1, "c": 2}, "d": {"b": 1, "c": 3}}),
        ("a: {<<: [{b: 1}, {b: 2, c: 2}]}", {"a": {"b": 1, "c": 2}}),
        ("!!map {a: !!seq [1]}", {"a": [1]}),
        ("- a\n- - b", ["a", ["b"]]),
        ("&x a: *x", {"a": "a"}),
    ],
)
def test_values(text: str, value: Any) -> None:
    assert load_all(text) == [value]


def test_documents() -> None:
    assert load_all("") == []
    assert load_all("a\n---\n---\nb\n...\n") == ["a", "b"]
    assert load_all("&x a\n---\nb") == ["a", "b"]


@pytest.mark.parametrize(
    ("text", "message", "line"),
    [
        ("a: 1\nb: 2\na: 3", 'duplicate key "a"', 3),
        ("1: a\n'1': b", 'duplicate key "1"', 2),
        ("a: *x", "alias *x has no anchor", 1),
        ("&x a\n---\n*x", "alias *x has no anchor", 3),
        ("a: &x\n  b: *x", "alias *x lies inside its own anchor", 2),
        ("&x [1, *x]", "alias *x lies inside its own anchor", 1),
        ("a: !foo b", "unknown tag !foo", 1),
        ("a: !foo {b: c}", "unknown tag !foo", 1),
        ("a: !!binary aGk=", "unknown tag tag:yaml.org,2002:binary", 1),
        ("[a, b]: c", "a key that isn't a string", 1),
        ("~: c", "a key that isn't a string", 1),
        ("a: {<<: 5}", "<< takes an object", 1),
        ("a: [", "did not find expected node content", 1),
        ("\ta: b", "found character", 1),
        ("a: b\n\tc: d", "found a tab character", 2),
        ("a: %", "found character", 1),
        ("a: 'b", "found unexpected end of stream", 1),
        ("%YAML 3.0\n---\na", "found incompatible YAML document", 1),
    ],
)
def test_errors(text: str, message: str, line: int) -> None:
    with pytest.raises(YamlError) as caught:
        load_all(text)
    assert message in caught.value.message
    assert caught.value.line in {line, line + 1}


def test_a_template_is_recognised() -> None:
    with pytest.raises(YamlError) as caught:
        load_all("a: {{ .Values.b }}")
    assert "template" in caught.value.hint


def test_bombs_and_honest_aliases() -> None:
    bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n" + "".join(
        f"a{n + 1}: &a{n + 1} [{', '.join([f'*a{n}'] * 10)}]\n" for n in range(8)
    )
    with pytest.raises(YamlError, match="aliases expand to more than"):
        load_all(bomb)
    honest = "a: &a {b: [1, 2, 3]}\n" + "".join(f"k{n}: *a\n" for n in range(1000))
    assert len(load_all(honest)[0]) == 1001


def test_depth() -> None:
    assert load_all("[" * 300 + "]" * 300)
    with pytest.raises(YamlError, match="nested deeper than 400 levels"):
        load_all("[" * 401 + "]" * 401)


PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**64 - 1) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=10), inner, max_size=4),
    max_leaves=20,
)


@pytest.mark.law
@given(PLAIN)
def test_json_is_yaml(value: Any) -> None:
    """What JSON holds comes back from quoted and tagged YAML; unquoted, PyYAML's booleans aren't kubectl's."""
    expected = [] if value is None else [value]
    text: str = yaml.safe_dump(value, default_style='"')
    assert load_all(text) == expected


@pytest.mark.law
@given(PLAIN)
def test_lines_are_found_for_every_path(value: Any) -> None:
    text = json.dumps({"root": value}, indent=1)
    found = lines(text, {"root", "root.nowhere[5].x", "elsewhere"})
    assert found == {"root": 2, "root.nowhere[5].x": 2, "elsewhere": 1}
