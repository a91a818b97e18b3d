"""Where the limits of cost, size and nesting end an evaluation."""

import sys

import pytest

from aliquot import cel
from aliquot.cel.functions.extensions.formatting import format_text
from aliquot.cel.running.deep_stack import FRAMES, deep_stack
from aliquot.cel.values.stops import TEXT_LIMIT, TooCostly
from tests.cel.answered import Attribute, Device

DEVICE = Device("d.io", {"s": Attribute("string", "x")}, {})
LONG = f"cel.bind(s, '{'a' * 40_000}' + device.driver, "
"""Comparing it with itself costs 4,001."""


def program(expression: str) -> cel.Program:
    made = cel.compile(expression, cel.environment("1.36"))
    assert isinstance(made, cel.Program)
    return made


@pytest.mark.parametrize(
    "test",
    [
        "lists.range(1000).exists_one(x, s == s)",
        "lists.range(1000).transformMap(k, v, s == s).size() > 0",
        "lists.range(1000).transformMap(k, v, s != s, v).size() > 0",
        "lists.range(1000).map(x, s == s).size() > 0",
        "lists.range(1000).all(x, s == s)",
        "lists.range(1000).exists(x, s != s)",
    ],
)
def test_the_cost_ends_it(test: str) -> None:
    answer = program(f"{LONG}{test})").evaluate(DEVICE)
    assert answer == cel.EvaluationError("operation cancelled: actual cost limit exceeded")


@pytest.mark.parametrize("constant", ["[?dyn(1)]", "{?'a': dyn(1)}"])
def test_a_constant_of_that_kind(constant: str) -> None:
    made = cel.compile(f"{constant}.size() == 1", cel.environment("1.36"))
    assert isinstance(made, cel.CompileError)
    assert "from non-optional value" in made.message


def test_the_cost_is_looked_at_once_more_in_the_end() -> None:
    terms = " && ".join(["s == s"] * 260)
    answer, cost = program(f"{LONG}{terms})").trace(DEVICE)
    assert answer == cel.EvaluationError("operation cancelled: actual cost limit exceeded")
    assert cost == 1_000_001


def test_a_replaced_text_that_stays_short() -> None:
    short = program(f"device.driver.replace('zz', '{'b' * 9_000}').size() == 4")
    assert short.evaluate(Device("d.io", {}, {})) is True
    text, new = "a" * 9_000, "b" * 9_000
    assert program(f"('{text}' + device.driver).replace('d', '{new}').size() == 18003").evaluate(DEVICE) is True


def test_a_formatted_text_ends_at_the_limit() -> None:
    half = "x" * (TEXT_LIMIT // 2)
    assert format_text("%s%s", [half, half]) == half + half
    with pytest.raises(TooCostly):
        format_text("%s%s!", [half, half + "x"])


def test_the_deep_stack_is_lowered_by_its_last_user() -> None:
    before = sys.getrecursionlimit()
    with deep_stack():
        with deep_stack():
            assert sys.getrecursionlimit() == max(before, FRAMES)
        assert sys.getrecursionlimit() == max(before, FRAMES)
    assert sys.getrecursionlimit() == before


@pytest.mark.parametrize(
    "expression",
    [
        "[?dyn(device.driver)].size() == 2",
        "{?3: dyn(device.driver)}.size() == 1",
    ],
)
def test_an_optional_element_of_unknown_type_that_is_no_optional(expression: str) -> None:
    # Go's validator panics on these (index out of range), so the words are those of cel-go's evaluator.
    made = cel.compile(expression, cel.environment("1.36"))
    assert isinstance(made, cel.Program)
    answer = made.evaluate(DEVICE)
    assert isinstance(answer, cel.EvaluationError)
    assert "from non-optional value" in answer.message


@pytest.mark.parametrize(
    "expression",
    ["Foo{a: 1}.optMap(x, x).hasValue()", "a.b.Foo{a: 1, b: c}.optFlatMap(x, x) == 1", "Foo{?a: optional.of(1)} == 1"],
)
def test_messages_are_unknown(expression: str) -> None:
    made = cel.compile(expression, cel.environment("1.36"))
    assert isinstance(made, cel.CompileError)
    assert "undeclared reference to" in made.message


@pytest.mark.parametrize("expression", ["{b'a': 1}.size() == 1", "{'a': {b'a': 1}}.size() == 1"])
def test_bytes_are_no_keys(expression: str) -> None:
    # Go panics while it makes the program; we refuse it with the words of the panic
    made = cel.compile(expression, cel.environment("1.36"))
    assert isinstance(made, cel.CompileError)
    assert "hash of unhashable type types.Bytes" in made.message
