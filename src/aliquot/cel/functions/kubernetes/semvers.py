"""Semantic versions as CEL's functions have them."""

from collections.abc import Callable

from aliquot.cel.functions.kubernetes.semver_complaints import semver_complaint
from aliquot.cel.values.numbers import INT_MAX
from aliquot.cel.values.value import Err, Value
from aliquot.units.semver import Semver, SemverError, normalize


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
