"""Every answer of tests/cases/units was given by Go."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from aliquot.units.duration import DurationError, format_duration, parse_duration
from aliquot.units.quantity import Quantity, QuantityError
from aliquot.units.semver import Semver, SemverError
from tests.conftest import ROOT

Case = dict[str, Any]


def cases(kind: str, *, ok: bool) -> Iterator[Case]:
    lines = (ROOT / "tests/cases/units" / f"{kind}.jsonl").read_text(encoding="utf-8").splitlines()
    return (case for case in map(json.loads, lines) if case["ok"] is ok)


def described(amount: Quantity) -> list[str]:
    whole = amount.as_int64()
    numbers = [str(amount.value()), str(amount.milli_value()), "null" if whole is None else str(whole)]
    return [amount.format.value, str(amount), *numbers]


@pytest.mark.parametrize("case", cases("quantity", ok=True), ids=lambda case: repr(case["a"]))
def test_quantity(case: Case) -> None:
    amount = Quantity.parse(case["a"])
    assert described(amount) == [
        case["format"], case["string"], case["value"], case["milli"], case.get("int64", "null"),
    ]  # fmt: skip
    assert amount.canonical() == case["canonical"]
    assert amount.as_float() == float(case["float"])
    assert (amount.sign, str(-amount)) == (case["sign"], case["neg"])
    assert amount.is_integer == ("int64" in case)


@pytest.mark.parametrize(
    "case", (case for case in cases("quantity", ok=True) if "cmp" in case), ids=lambda c: f"{c['a']!r} {c['b']!r}"
)
def test_two_quantities(case: Case) -> None:
    a, b = Quantity.parse(case["a"]), Quantity.parse(case["b"])
    assert a.compare(b) == case["cmp"]
    for result, expected in ((a + b, case["add"]), (a - b, case["sub"])):
        assert described(result) == expected[:5]
        assert result.as_float() == float(expected[5])


@pytest.mark.parametrize("case", cases("quantity", ok=False), ids=lambda case: repr(case["a"]))
def test_no_quantity(case: Case) -> None:
    with pytest.raises(QuantityError, match="is not a quantity: "):
        Quantity.parse(case["a"])


@pytest.mark.parametrize("case", cases("semver", ok=True), ids=lambda case: f"{case['a']!r} {case['b']!r}")
def test_semver(case: Case) -> None:
    version = Semver.parse(case["a"])
    assert str(version) == case["string"]
    if "cmp" in case:
        assert version.compare(Semver.parse(case["b"])) == case["cmp"]


@pytest.mark.parametrize("case", cases("semver", ok=False), ids=lambda case: repr(case["a"]))
def test_no_semver(case: Case) -> None:
    with pytest.raises(SemverError, match="is not a semantic version: "):
        Semver.parse(case["a"])


@pytest.mark.parametrize("case", cases("tolerant", ok=True), ids=lambda case: repr(case["a"]))
def test_tolerant_semver(case: Case) -> None:
    assert str(Semver.parse_tolerant(case["a"])) == case["string"]


@pytest.mark.parametrize("case", cases("tolerant", ok=False), ids=lambda case: repr(case["a"]))
def test_no_tolerant_semver(case: Case) -> None:
    with pytest.raises(SemverError):
        Semver.parse_tolerant(case["a"])


@pytest.mark.parametrize("case", cases("duration", ok=True), ids=lambda case: repr(case["a"]))
def test_duration(case: Case) -> None:
    nanoseconds = parse_duration(case["a"])
    assert str(nanoseconds) == case["value"]
    assert format_duration(nanoseconds) == case["string"]


@pytest.mark.parametrize("case", cases("duration", ok=False), ids=lambda case: repr(case["a"]))
def test_no_duration(case: Case) -> None:
    with pytest.raises(DurationError, match="is not a duration: "):
        parse_duration(case["a"])
