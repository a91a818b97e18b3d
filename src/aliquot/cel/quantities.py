"""Kubernetes' quantities and semantic versions as CEL's functions have them."""

import re
from collections.abc import Callable
from typing import Final

from aliquot.cel.operators import quantity_of
from aliquot.cel.values import INT_MAX, Err, Sum, Value
from aliquot.units.quantity import Format, Quantity, QuantityError
from aliquot.units.semver import Semver, SemverError, normalize

_SHAPE: Final = re.compile(r"[+-]?[0-9]*(\.[0-9]*)?[eEinumkKMGTP]*[-+]?[0-9]*", re.ASCII)


def _complaint(text: str) -> str:
    """Why apimachinery refuses a quantity, in its words."""
    if text and _SHAPE.fullmatch(text):
        return "unable to parse quantity's suffix"
    return "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"


def parse_quantity(text: str) -> Value:
    """`quantity(text)`."""
    try:
        known = Quantity.parse(text)
    except QuantityError:
        return Err(_complaint(text))
    return Quantity(known.nanos, known.form, known.text)  # a new one each time: as keys they are told apart


def is_quantity(text: str) -> bool:
    """Whether `quantity(text)` works."""
    return not isinstance(parse_quantity(text), Err)


def sign(amount: Value) -> int:
    """-1, 0 or 1."""
    return quantity_of(amount).sign


def as_integer(amount: Value) -> Value:
    """The amount as an int, if it was written as one."""
    number = quantity_of(amount).as_int64()
    return Err("cannot convert value to integer") if number is None else number


def is_integer(amount: Value) -> bool:
    """Whether `as_integer` works."""
    return quantity_of(amount).is_integer


def as_float(amount: Value) -> float:
    """The nearest double."""
    return quantity_of(amount).as_float()


def _amount(value: Value) -> Quantity:
    return Quantity.of(value, Format.DECIMAL_EXPONENT) if type(value) is int else quantity_of(value)


def plus(amount: Value, other: Value) -> Sum:
    """A quantity and another, or an int, added."""
    return Sum(quantity_of(amount).add(_amount(other)))


def minus(amount: Value, other: Value) -> Sum:
    """A quantity without another, or without an int."""
    return Sum(quantity_of(amount).sub(_amount(other)))


def compare_quantities(left: Value, right: Value) -> int:
    """-1, 0 or 1."""
    return quantity_of(left).compare(quantity_of(right))


def quantity_above(left: Value, right: Value) -> bool:
    """Whether the first is more."""
    return quantity_of(left) > quantity_of(right)


def quantity_below(left: Value, right: Value) -> bool:
    """Whether the first is less."""
    return quantity_of(left) < quantity_of(right)


def parse_semver(text: Value, tolerant: Value = False) -> Value:
    """`semver(text)`; with `tolerant`, a leading v, leading zeros and missing numbers are put right first."""
    try:
        return Semver.parse(normalize(text) if tolerant else text)
    except SemverError:
        return Err(semver_complaint(text, tolerant=tolerant))


def is_semver(text: Value, tolerant: Value = False) -> bool:
    """Whether `semver(text, tolerant)` works."""
    return not isinstance(parse_semver(text, tolerant), Err)


def _part(name: str) -> Callable[[Value], int]:
    def part(version: Semver) -> int:
        number: int = getattr(version, name)
        return number if number <= INT_MAX else number - 2**64  # Go converts uint64 to int64

    return part


major = _part("major")
minor = _part("minor")
patch = _part("patch")


def compare_versions(left: Semver, right: Semver) -> int:
    """-1, 0 or 1."""
    return left.compare(right)


def version_above(left: Semver, right: Semver) -> bool:
    """Whether the first is newer."""
    return left > right


def version_below(left: Semver, right: Semver) -> bool:
    """Whether the first is older."""
    return left < right


_DIGITS: Final = re.compile(r"[0-9]+", re.ASCII)
_ALPHANUMERIC: Final = re.compile(r"[0-9A-Za-z-]+", re.ASCII)


def semver_complaint(text: str, *, tolerant: bool = False) -> str:
    """Why github.com/blang/semver refuses a version, in its words."""
    if tolerant:
        try:
            text = normalize(text)
        except SemverError:
            return "short version cannot contain PreRelease/Build meta data"
    if not text:
        return "Version string empty"
    parts = text.split(".", 2)
    if len(parts) != 3:
        return "No Major.Minor.Patch elements found"
    rest, _, build = parts[2].partition("+")
    number, _, prerelease = rest.partition("-")
    for name, digits in (("major", parts[0]), ("minor", parts[1]), ("patch", number)):
        if not _DIGITS.fullmatch(digits):
            if not digits:
                return 'strconv.ParseUint: parsing "": invalid syntax'
            return f'Invalid character(s) found in {name} number "{digits}"'
        if len(digits) > 1 and digits[0] == "0":
            return f'{name.capitalize()} number must not contain leading zeroes "{digits}"'
        if int(digits[:30]) >= 2**64:
            return f'strconv.ParseUint: parsing "{digits}": value out of range'
    return _identifier_complaint(prerelease.split(".") if "-" in rest else [], build.split("."))


def _identifier_complaint(prerelease: list[str], build: list[str]) -> str:
    for identifier in prerelease:
        if not identifier:
            return "Prerelease is empty"
        if _DIGITS.fullmatch(identifier):
            if len(identifier) > 1 and identifier[0] == "0":
                return f'Numeric PreRelease version must not contain leading zeroes "{identifier}"'
            if int(identifier[:30]) >= 2**64:
                return f'strconv.ParseUint: parsing "{identifier}": value out of range'
        elif not _ALPHANUMERIC.fullmatch(identifier):
            return f'Invalid character(s) found in prerelease "{identifier}"'
    for identifier in build:
        if identifier and not _ALPHANUMERIC.fullmatch(identifier):
            return f'Invalid character(s) found in build meta data "{identifier}"'
    return "Build meta data is empty"
