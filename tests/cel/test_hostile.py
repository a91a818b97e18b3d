"""Expressions written to hang or crash the evaluator: each ends quickly, with a value or an error of CEL."""

import time

import pytest

from aliquot import cel
from aliquot.units.quantity import Quantity
from tests.cel.answered import Attribute, Device

DEVICE = Device("d.io", {"s": Attribute("string", "x"), "i": Attribute("int", 3)}, {"m": Quantity.parse("1Gi")})
SECONDS = 5.0
"""Of processor time: far above what they need (less than 1 s each)."""

DOUBLING = (
    'cel.bind(x0, "aaaaaaaa", '
    + "".join(f"cel.bind(x{i}, x{i - 1} + x{i - 1}, " for i in range(1, 60))
    + "size(x59) > 0"
    + ")" * 60
)
EXPRESSIONS = {
    "parentheses": "(" * 10_000 + "true" + ")" * 10_000,
    "parentheses at the limit": "(" * 249 + "true" + ")" * 249,
    "lists": "[" * 10_000 + "]" * 10_000,
    "nots": "!" * 100_000 + "true",
    "nested nots": "!(" * 249 + "true" + ")" * 249,
    "minuses": "-" * 50_000 + "1 == 1",
    "sum": "+".join(["1"] * 10_000) + " > 0",
    "sum at the limit": "+".join(["1"] * 240) + " > 0",
    "relations": " == ".join(["1"] * 10_000),
    "products": "*".join(["1"] * 10_000) + " > 0",
    "and": " && ".join(["true"] * 2_000),
    "fields": "device" + ".a" * 30_000,
    "indexes": "device" + '["a"]' * 10_000,
    "ternaries": "true ? " * 10_000 + "true",
    "ternary chain": "true ? true : " * 249 + "true",
    "calls": "size(" * 10_000,
    "quotes": '"' * 50_000,
    "too long": "true" + " " * 200_000,
    "list literal": "size([" + "1," * 5_000 + "]) > 0",
    "long number": "9" * 99_000 + " == 1",
    "long exponent": "1e" + "9" * 9_000 + " > 0.0",
    "backtracking": '"' + "a" * 40 + '".matches("(a+)+$b")',
    "many stars": '"aa".matches("' + "(a*)*" * 200 + 'b")',
    "repetitions": '"a".matches("((a{1000}){1000}){1000}")',
    "alternatives": '"a".matches("' + "a|" * 45_000 + 'b")',
    "range": "lists.range(1000000000).size() > 0",
    "range mapped": "lists.range(900000).map(x, x).size() > 0",
    "range filtered": "lists.range(900000).filter(x, true).size() > 0",
    "range any": "lists.range(900000).exists(x, false)",
    "range one": "lists.range(900000).exists_one(x, false)",
    "range transformed": "lists.range(900000).transformMap(k, v, v).size() > 0",
    "nested loops": "lists.range(1000).all(a, lists.range(1000).all(b, lists.range(1000).all(c, true)))",
    "attribute loops": "lists.range(1000).all(a, lists.range(1000).all(b, device.driver == 'd.io'))",
    "distinct": "lists.range(100000).distinct().size() > 0",
    "contains": "lists.range(300000).all(x, x in lists.range(300000))",
    "replace": '"' + "a" * 9_000 + '".replace("", "' + "b" * 9_000 + '").replace("", "bbbbbbbbbbbb").size() > 0',
    "join": 'lists.range(90000).map(x, "' + "a" * 900 + '").join("' + "b" * 900 + '").size() > 0',
    "join much": 'lists.range(9000).map(x, "' + "a" * 20_000 + '").join(",").size() > 0',
    "doubling": DOUBLING,
    "optMap": "optional.of(1)" + ".optMap(x, x)" * 40 + ".hasValue()",
    "precision": '"%.999999999f".format([1.5]) == ""',
    "formats": '"' + "%s" * 400 + '".format([' + ",".join(['"' + "a" * 90 + '"'] * 400) + "]).size() > 0",
    "deep maps": "[1]" + ".map(a, a)" * 240 + ".size() == 1",
    "deep all": "[1].all(x, " * 100 + "true" + ")" * 100,
    "int": 'int("' + "9" * 90_000 + '") == 1',
    "version": 'isSemver("' + "1" * 90_000 + '.1.1")',
    "quantity": 'isQuantity("' + "1" * 90_000 + '")',
    "duration": 'duration("' + "1h" * 40_000 + '") > duration("1s")',
    "address": 'isIP("' + "1" * 90_000 + '")',
    "url": 'isURL("http://' + "a" * 90_000 + '")',
    "label": 'format.dns1123Subdomain().validate("' + "a-" * 40_000 + '!").hasValue()',
    "matches found": '"' + "a" * 50_000 + '".findAll("").size() > 0',
    "flatten": "[[1]].flatten(9223372036854775807).size() > 0",
    "slice": "[1].slice(0, 9223372036854775807).size() > 0",
    "zone": 'timestamp(0).getHours("../../etc/passwd") > 0',
    "texts compared": 'lists.range(100000).map(x, "' + "a" * 50 + '") == lists.range(100000)',
    "surrogates": '"\ud800" == "x"',
    "nul": "\0",
}


@pytest.mark.parametrize("kubernetes", ["1.36", "1.37"])
@pytest.mark.parametrize("name", list(EXPRESSIONS))
def test_it_ends(name: str, kubernetes: str) -> None:
    start = time.process_time()
    program = cel.compile(EXPRESSIONS[name], cel.environment(kubernetes))
    if isinstance(program, cel.Program):
        answer = program.evaluate(DEVICE)
        assert answer in {True, False} if isinstance(answer, bool) else answer.message
        assert program.max_cost >= 0
    else:
        assert program.problems
        assert program.message
    assert time.process_time() - start < SECONDS


@pytest.mark.parametrize("name", ["nested loops", "range any", "range mapped", "contains", "doubling"])
def test_cost_ends_it_as_in_go(name: str) -> None:
    program = cel.compile(EXPRESSIONS[name], cel.environment("1.36"))
    assert isinstance(program, cel.Program)
    answer = program.evaluate(DEVICE)
    assert isinstance(answer, cel.EvaluationError)
    assert answer.message == "operation cancelled: actual cost limit exceeded"
