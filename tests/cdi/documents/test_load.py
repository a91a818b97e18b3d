"""YAML and JSON as plain data: scalars, keys, aliases, and where each thing stands."""

from typing import Any

import pytest

from aliquot.cdi.documents.load import NotReadable, has_more_documents, lines, load, path_text
from aliquot.cdi.documents.yaml_scalar import float_text, resolve, whole


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0600", 384), ("0o600", 384), ("0x1F", 31), ("0b11", 3), ("-0b11", -3), ("1_000", 1000), ("+5", 5), ("-0", 0),
        ("08", 8.0), ("1.", 1.0), (".5", 0.5), ("1e3", 1000.0), ("18446744073709551615", 2**64 - 1),
        ("-9223372036854775808", -(2**63)),
        ("18446744073709551616", 1.8446744073709552e19), ("-9223372036854775809", -9.223372036854775809e18),
        ("1e999", "1e999"), ("9" * 400, "9" * 400), (".", "."), (".e5", ".e5"), ("0o8", "0o8"), ("0x", "0x"),
        ("-", "-"), ("+", "+"),
        ("y", True), ("On", True), ("NO", False), ("yEs", "yEs"), ("~", None), ("", None), ("Null", None),
        ("nil", "nil"),
        (".inf", float("inf")), ("-.INF", float("-inf")), ("12:30:45", "12:30:45"), ("2001-01-01", "2001-01-01"),
        ("2001-1-1t1:2:3Z", "2001-1-1t1:2:3Z"), ("<<", "<<"), ("=", "="), ("word", "word"),
    ],
)  # fmt: skip
def test_plain_words(text: str, value: Any) -> None:
    found = resolve(text, None, plain=True)
    assert found == value
    assert type(found) is type(value)
    assert resolve(text, None, plain=False) == text


@pytest.mark.parametrize(
    ("text", "tag", "value"),
    [
        ("1", "str", "1"), ("yes", "str", "yes"), ("1", "float", 1.0), ("0x10", "int", 16), ("on", "bool", True),
        ("~", "null", None), ("2001-01-01", "timestamp", "2001-01-01"), ("aGk=", "binary", "hi"), ("1", "set", "1"),
    ],
)  # fmt: skip
def test_tags(text: str, tag: str, value: Any) -> None:
    assert resolve(text, f"tag:yaml.org,2002:{tag}", plain=False) == value
    assert resolve("1", "!own", plain=True) == "1"


@pytest.mark.parametrize(
    ("text", "tag"),
    [("a", "int"), ("1.5", "int"), ("a", "timestamp"), ("1", "bool"), ("%", "binary"), ("/w==", "binary")],
)
def test_a_tag_must_fit(text: str, tag: str) -> None:
    with pytest.raises(ValueError, match=r"isn't a|base64"):
        resolve(text, f"tag:yaml.org,2002:{tag}", plain=True)


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (0.3, "0.3"), (1.0, "1"), (100.0, "100"), (123456.0, "123456"), (1234567.0, "1.234567e+06"), (1e6, "1e+06"),
        (1e-5, "1e-05"), (0.0001, "0.0001"), (-2.5, "-2.5"), (-0.0, "-0"), (1e39, "+Inf"), (-1e39, "-Inf"),
        (float("inf"), "+Inf"), (float("-inf"), "-Inf"), (float("nan"), "NaN"), (3.14159265358979, "3.1415927"),
    ],
)  # fmt: skip
def test_floats_become_text_as_in_go(number: float, text: str) -> None:
    assert float_text(number) == text


def test_whole_numbers_among_floats() -> None:
    assert whole(1.0) == 1
    assert whole(1e20) == 10**20
    assert whole(1.5) is whole(1e21) is whole(float("inf")) is whole(float("nan")) is None


@pytest.mark.parametrize(
    ("text", "data"),
    [
        ('{"a": [1, null]}', {"a": [1, None]}),
        ("{a: 1, 2: x, true: w, 1.5: z}", {"a": 1, "2": "x", "true": "w", "1.5": "z"}),
        ("{false: 1}", {"false": 1}),
        ('{"a": 1,}', {"a": 1}),
        ('{"a":\n 1}', {"a": 1}),
        ("\ufeffa: 1", {"a": 1}),
        ("a: &x [1]\nb: *x", {"a": [1], "b": [1]}),
        ("a: &x 1\nb: &x 2\nc: *x", {"a": 1, "b": 2, "c": 2}),
        ("a: &x {b: 1}\nc: {<<: *x, d: 2}", {"a": {"b": 1}, "c": {"b": 1, "d": 2}}),
        ("c: {<<: [{a: 1}, {b: 2}]}", {"c": {"b": 2, "a": 1}}),
        ('c: {"<<": 1}', {"c": {"<<": 1}}),
        ("a: 1\n---\nb: [", {"a": 1}),
        ("", None),
        ("# nothing", None),
        ("--- ", None),
        ('{"a": "\x85"}', {"a": " "}),
    ],
)  # fmt: skip
def test_documents(text: str, data: Any) -> None:
    assert load(text) == (data, [])


@pytest.mark.parametrize(
    ("text", "said", "line"),
    [
        ("a: [", "did not find", 1),
        ("a: 1\n b: 2", "mapping values are not allowed", 2),
        ("a:\n\t- b", "found character that cannot start any token", 2),
        ("a: *x", "isn't defined before its use", 1),
        ("a: &x\n  - *x", "contains itself", 2),
        ("{<<: 1}", "`<<` takes a mapping", 1),
        ("{[a]: 1}", "a key must be text", 1),
        ("{~: 1}", "a key must be text", 1),
        ("a: !!int b", "isn't a int", 1),
        ("[" * 60 + "]" * 60, "more than 50 levels", 1),
        ("[" * 100_000, "depth", 1),
        ('{"a":' * 100_000, "50 levels deep", None),
        ("a: \x00", "control characters", None),
        ("a: \ud800", "surrogates", None),
        ('{"a": "\\ud83d\\ude00"}', "Unicode", 1),
        ('{"a": NaN', "did not find", None),
        ('{"a": 1} "', "unexpected end of stream", 1),
    ],
)  # fmt: skip
def test_unreadable_documents(text: str, said: str, line: int | None) -> None:
    with pytest.raises(NotReadable, match=said) as error:
        load(text)
    if line is not None:
        assert error.value.problem.line == line


def test_every_repeated_key_is_told() -> None:
    data, problems = load('{"a": 1, "b": {"c": 1,\n "c": 2}, "a": 3, "x": {<<: {c: 1}, c: 2}}')
    assert data == {"a": 1, "b": {"c": 1}, "x": {"c": 1}}
    assert [(problem.path, problem.line) for problem in problems] == [("b.c", 2), ("a", 2), ("x.c", 2)]


def test_aliases_cant_explode() -> None:
    bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n"
    bomb += "".join(f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 10)}]\n" for i in range(1, 12))
    with pytest.raises(NotReadable, match="comes from aliases"):
        load(bomb)
    fair = "a: &a [" + "1, " * 50 + "]\n" + "".join(f"b{i}: *a\n" for i in range(90))
    assert load(fair)[1] == []


def test_lines() -> None:
    text = "a: 1\nb:\n  - c: x\n    d:\n      e: 1\n  - *a\n"
    assert lines(text) == {"": 1, "a": 1, "b": 2, "b[0]": 3, "b[0].c": 3, "b[0].d": 4, "b[0].d.e": 5, "b[1]": 6}


def test_paths() -> None:
    assert path_text(None) == ""
    assert path_text((((None, "a"), 1), "b")) == "a[1].b"


def test_a_second_document_is_found() -> None:
    assert has_more_documents("a: 1\n---\nb: 1\n") == 2
    assert has_more_documents("---\na: 1\n...\n") is None
