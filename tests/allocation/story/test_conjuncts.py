"""The parts of an expression that `&&` joins."""

import pytest

from aliquot.allocation.story.conjuncts import conjuncts


@pytest.mark.parametrize(
    ("expression", "parts"),
    [
        ("a", ("a",)),
        (" a && b ", ("a", "b")),
        ("a && (b || c) && d", ("a", "b || c", "d")),
        ("a && (b && c)", ("a", "b", "c")),
        ("((a && b))", ("a", "b")),
        ("(a) && (b)", ("a", "b")),
        ("a || b && c", ("a || b && c",)),
        ("a ? b && c : d", ("a ? b && c : d",)),
        ("x == 'a && b' && y", ("x == 'a && b'", "y")),
        ('x == "\\"&&" && y', ('x == "\\"&&"', "y")),
        ("x == r'\\' && y", ("x == r'\\'", "y")),
        ("x == '''a' && b''' && y", ("x == '''a' && b'''", "y")),
        ("f(a && b) && [c && d][0]", ("f(a && b)", "[c && d][0]")),
        ("m.?x.orValue(true) && m[?'a'].hasValue()", ("m.?x.orValue(true)", "m[?'a'].hasValue()")),
        ("'unclosed && a", ("'unclosed && a",)),
        ("(a && b", ("(a && b",)),
        ("(a) + (b)", ("(a) + (b)",)),
        ("(x == ')' && y)", ("x == ')'", "y")),
        ("((a && b)", ("((a && b)",)),
        ("", ("",)),
    ],
)
def test_split(expression: str, parts: tuple[str, ...]) -> None:
    assert conjuncts(expression) == parts
