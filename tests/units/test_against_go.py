"""Every answer of tests/cases/units was given by Go."""

import json
from math import isinf
from typing import Any

import pytest
from _pytest.mark.structures import ParameterSet

from aliquot.units.duration import DurationError, format_duration, parse_duration
from aliquot.units.quantity import Quantity, QuantityError
from aliquot.units.semver import Semver, SemverError
from tests.conftest import ROOT

Case = dict[str, Any]


def rows(kind: str, *, ok: bool, compared: bool = False) -> list[ParameterSet]:
    """The cases of a kind, each named by its line and its text."""
    lines = (ROOT / "tests/cases/units" / f"{kind}.jsonl").read_text(encoding="utf-8").splitlines()
    cases = enumerate(map(json.loads, lines), 1)
    return [
        pytest.param(case, id=f"{line} {case['a']!a}")
        for line, case in cases
        if case["ok"] is ok and (not compared or "cmp" in case)
    ]


def described(amount: Quantity) -> list[str]:
    whole = amount.as_int64()
    numbers = [str(amount.value()), str(amount.milli_value()), "null" if whole is None else str(whole)]
    return [amount.format.value, str(amount), *numbers]


@pytest.mark.parametrize("case", rows("quantity", ok=True))
def test_quantity(case: Case) -> None:
    amount = Quantity.parse(case["a"])
    assert described(amount) == [
        case["format"], case["string"], case["value"], case["milli"], case.get("int64", "null"),
    ]  # fmt: skip
    assert amount.canonical() == case["canonical"]
    assert amount.as_float() == float(case["float"])
    assert (amount.sign, str(-amount)) == (case["sign"], case["neg"])
    assert amount.is_integer == ("int64" in case)


@pytest.mark.parametrize("case", rows("quantity", ok=True, compared=True))
def test_two_quantities(case: Case) -> None:
    a, b = Quantity.parse(case["a"]), Quantity.parse(case["b"])
    assert a.compare(b) == case["cmp"]
    for result, expected in ((a + b, case["add"]), (a - b, case["sub"])):
        assert described(result) == expected[:5]
        # JSON holds no infinity
        assert result.as_float() == float(expected[5]) if expected[5] else isinf(result.as_float())


@pytest.mark.parametrize("case", rows("quantity", ok=False))
def test_no_quantity(case: Case) -> None:
    with pytest.raises(QuantityError, match="is not a quantity: "):
        Quantity.parse(case["a"])


@pytest.mark.parametrize("case", rows("semver", ok=True))
def test_semver(case: Case) -> None:
    version = Semver.parse(case["a"])
    assert str(version) == case["string"]
    if "cmp" in case:
        assert version.compare(Semver.parse(case["b"])) == case["cmp"]


@pytest.mark.parametrize("case", rows("semver", ok=False))
def test_no_semver(case: Case) -> None:
    with pytest.raises(SemverError, match="is not a semantic version: "):
        Semver.parse(case["a"])


@pytest.mark.parametrize("case", rows("tolerant", ok=True))
def test_tolerant_semver(case: Case) -> None:
    assert str(Semver.parse_tolerant(case["a"])) == case["string"]


@pytest.mark.parametrize("case", rows("tolerant", ok=False))
def test_no_tolerant_semver(case: Case) -> None:
    with pytest.raises(SemverError):
        Semver.parse_tolerant(case["a"])


@pytest.mark.parametrize("case", rows("duration", ok=True))
def test_duration(case: Case) -> None:
    nanoseconds = parse_duration(case["a"])
    assert str(nanoseconds) == case["value"]
    assert format_duration(nanoseconds) == case["string"]


@pytest.mark.parametrize("case", rows("duration", ok=False))
def test_no_duration(case: Case) -> None:
    with pytest.raises(DurationError, match="is not a duration: "):
        parse_duration(case["a"])
