"""The public face of the package: environments, problems with hints, prepared devices."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aliquot import cel
from aliquot.cel.checking import hints
from aliquot.units.quantity import Quantity
from tests.cel.answered import Attribute, Device

ENVIRONMENT = cel.environment()
DEVICE = Device(
    "d.io",
    {"s": Attribute("string", "x"), "i": Attribute("int", 3), "v": Attribute("version", "1.2.3")},
    {"m": Quantity.parse("1Gi")},
)


@pytest.mark.parametrize(
    ("given", "known"),
    [("1.36", "1.36"), ("v1.37.2", "1.37"), ("1.99", "1.37"), ("1.34.0-rc.1", "1.34"), ("1.35", "1.35")],
)
def test_versions(given: str, known: str) -> None:
    environment = cel.environment(given, list_attributes=True)
    assert environment.kubernetes == known
    assert environment.verified == (known in {"1.36", "1.37"})
    assert environment.list_attributes == (environment.minor >= 36)
    assert isinstance(cel.compile("true", environment), cel.Program)


@pytest.mark.parametrize("given", ["", "1", "2.36", "1.x", "1.33", "newest", "1.²"])
def test_no_such_version(given: str) -> None:
    with pytest.raises(ValueError, match="Kubernetes"):
        cel.environment(given)


def problems(expression: str, environment: cel.Environment = ENVIRONMENT) -> tuple[cel.Problem, ...]:
    error = cel.compile(expression, environment)
    assert isinstance(error, cel.CompileError)
    assert str(error) == error.message
    return error.problems


@pytest.mark.parametrize(
    ("expression", "hint"),
    [
        ("device.drivr == 'x'", "did you mean device.driver?"),
        ("device.memory == 1", "write device.attributes['domain'].memory for an attribute"),
        ("devise.driver == 'x'", "did you mean device?"),
        ("qqqqqq", ""),
        ("device.driver.startWith('x')", "did you mean startsWith?"),
        ("device.capacity['d.io'].m > quantity('1')", "quantities have no >: use isGreaterThan"),
        ("device.capacity['d.io'].m.isGreaterThan('1')", "wrap the text in quantity('...')"),
        ("semver('1.0.0').isGreaterThan('1.0.0')", "wrap the text in semver('...')"),
        ("device.attributes['d.io'] == 1", "is a map"),
        ("1 + 1.5 == 2.5", "ints and doubles don't mix"),
        ("'a' + 1 == 'a'", ""),
        ("device.driver", "compare the value with something"),
        ("device.driver && true", "take bools"),
        ("has(device)", "write has("),
        ("device.attributes['d.io'].s.exists(x, x == 1)", "DRAListTypeAttributes"),
    ],
)
def test_hints(expression: str, hint: str) -> None:
    found = problems(expression)
    assert any(hint in problem.hint if hint else not problem.hint for problem in found), found


def test_the_gate_is_named() -> None:
    new = cel.environment("1.36", mode="new")
    assert "DRAConsumableCapacity" in problems("device.allowMultipleAllocations", new)[0].hint


def test_all_problems_with_their_places() -> None:
    first, second = problems("device.nope1 == 1 &&\n device.nope2 == 2")
    assert (first.line, first.column, second.line, second.column) == (1, 7, 2, 8)
    assert str(first).startswith("1:7: undefined field")
    error = cel.compile("device.nope1 == 1 &&\n device.nope2 == 2", ENVIRONMENT)
    assert isinstance(error, cel.CompileError)
    assert error.source_line(second) == " device.nope2 == 2"
    assert error.message.endswith(" |  device.nope2 == 2\n | .......^")


def test_a_problem_without_a_place() -> None:
    (problem,) = problems("(" * 300 + "true" + ")" * 300)
    error = cel.CompileError("x", (problem,))
    assert not problem.line
    assert str(problem) == problem.message
    assert not error.source_line(problem)
    assert "<input>:-1:0" in error.message


def program(expression: str, environment: cel.Environment = ENVIRONMENT) -> cel.Program:
    made = cel.compile(expression, environment)
    assert isinstance(made, cel.Program)
    return made


def test_what_a_program_tells() -> None:
    made = program("device.driver == 'd.io'")
    assert made.output_type == "bool"
    assert made.expression == "device.driver == 'd.io'"
    assert made.environment == ENVIRONMENT
    assert made.actual_cost(DEVICE) == 3
    assert made.max_cost >= 3
    assert made.evaluate(DEVICE) is True
    assert made.evaluate(cel.prepare(DEVICE)) is True


def test_an_attribute_that_cannot_be_converted_fails_everything() -> None:
    device = Device("d.io", {"v": Attribute("version", "v1")}, {})
    answer = program("true").evaluate(device)
    assert isinstance(answer, cel.EvaluationError)
    assert "parse semantic version" in str(answer)
    assert program("true").trace(device)[1] is None


def test_lists_need_their_gate() -> None:
    device = Device("d.io", {"l": Attribute("strings", ["a"]), "m": Attribute("ints", [1])}, {})
    refused = program("true").evaluate(device)
    assert isinstance(refused, cel.EvaluationError)
    assert refused.message == "attribute l: unsupported attribute value"
    lists = cel.environment("1.36", list_attributes=True)
    assert program("'a' in device.attributes['d.io'].l", lists).evaluate(device) is True


def test_unset_attributes_and_the_first_of_several() -> None:
    device = Device(
        "d.io", {"a": Attribute("unset", None), "b": Attribute("version", "x"), "c": Attribute("other", 1)}, {}
    )
    answer = program("true").evaluate(device)
    assert isinstance(answer, cel.EvaluationError)
    assert answer.message == "attribute a: unsupported attribute value"
    reverse = Device("d.io", {"b": Attribute("version", "x"), "c": Attribute("version", "y")}, {})
    answer = program("true").evaluate(reverse)
    assert isinstance(answer, cel.EvaluationError)
    assert answer.message.startswith("attribute b")


def test_half_surrogates_are_replaced() -> None:
    device = Device("d.io", {"s": Attribute("string", "a\ud800")}, {})
    assert program("device.attributes['d.io'].s == 'a\\ufffd'").evaluate(device) is True


def test_what_is_near() -> None:
    assert hints.nearest("Drivr", ["driver", "capacity"]) == "driver"
    assert hints.nearest("zzz", ["driver"]) == ""


PIECES = [
    *"()[]{}.,?:!-+*/%<>=&|'\"\\\n \0é", "==", "&&", "||", "<=", "in", "true", "null", "1", "1u", "1.5", "'x'", "b'x'",
    "r'", "device", ".driver", ".attributes", "['d.io']", ".i", ".v", ".exists(", ".map(x,", "x", "has(", "size(",
    "cel.bind(", "quantity('1')", "semver('1.0.0')", "optional.of(", "[1, 2]", "{'a': 1}", ".?a", "'''", "0x", "1e",
    "dyn(", "int(",
]  # fmt: skip


@given(st.lists(st.sampled_from(PIECES), max_size=14).map("".join) | st.text(max_size=30))
@settings(max_examples=400, deadline=None)
def test_any_text_gives_an_answer_and_always_the_same(text: str) -> None:
    made = cel.compile(text, ENVIRONMENT)
    if isinstance(made, cel.CompileError):
        assert made.problems
        assert made == cel.compile(text, ENVIRONMENT)
        return
    prepared = cel.prepare(DEVICE)
    exact, _ = made.trace(prepared)
    assert [made.evaluate(prepared) for _ in range(10)] == [exact] * 10
