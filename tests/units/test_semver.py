"""Laws of versions, and what a person reads when one is wrong."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aliquot.units.semver import Semver, SemverError, normalize

numbers = st.one_of(st.integers(0, 3), st.integers(0, 2**64 - 1))
identifiers = st.one_of(numbers, st.from_regex("[0-9A-Za-z-]{0,3}[A-Za-z-]", fullmatch=True))
versions = st.builds(
    Semver,
    numbers,
    numbers,
    numbers,
    st.lists(identifiers, max_size=3).map(tuple),
    st.lists(st.from_regex("[0-9A-Za-z-]{1,3}", fullmatch=True), max_size=2).map(tuple),
)


@pytest.mark.law
@given(versions)
def test_printing_and_reading_back(version: Semver) -> None:
    again = Semver.parse(str(version))
    assert again == version
    assert (again.prerelease, again.build) == (version.prerelease, version.build)
    assert Semver.parse_tolerant(f"v{version}") == version


@pytest.mark.law
@given(versions, versions, versions)
def test_a_total_order(a: Semver, b: Semver, c: Semver) -> None:
    assert [a < b, a == b, a > b].count(True) == 1
    assert (a <= b, a >= b) == (not a > b, not a < b)
    assert a.compare(b) == -b.compare(a)
    assert (a != b) or hash(a) == hash(b)
    low, middle, high = sorted((a, b, c))
    assert low <= middle <= high
    assert low <= high


def test_the_order_of_the_specification() -> None:
    rising = "1.0.0-alpha 1.0.0-alpha.1 1.0.0-alpha.beta 1.0.0-beta 1.0.0-beta.2 1.0.0-beta.11 1.0.0-rc.1 1.0.0"
    order = [Semver.parse(text) for text in rising.split()]
    assert all(low < high for low, high in pairwise(order))


def test_build_metadata_does_not_count() -> None:
    assert Semver.parse("1.0.0+a") == Semver.parse("1.0.0+b")
    assert Semver.parse("1.0.0") != "1.0.0"


@pytest.mark.parametrize(("text", "expected"), [("v1", "1.0.0"), ("570.86", "570.86.0"), ("01.002.0003", "1.2.3")])
def test_normalize(text: str, expected: str) -> None:
    assert normalize(text) == expected


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("1.2", "write MAJOR.MINOR.PATCH"),
        ("1.x.3", "its minor part is 'x', which is no number"),
        ("01.2.3", "its major number 01 has a leading zero"),
        ("1.2.18446744073709551616", "its patch number doesn't fit 64 bits"),
        ("1.2.3-a..b", "'' in its prerelease must be letters, digits and hyphens"),
        ("1.2.3+é", "'é' in its build metadata must be letters, digits and hyphens"),
    ],
)
def test_what_is_said_of_a_wrong_one(text: str, said: str) -> None:
    with pytest.raises(SemverError) as caught:
        Semver.parse(text)
    assert said in str(caught.value)


def test_a_short_version_with_a_prerelease_is_not_filled_up() -> None:
    with pytest.raises(SemverError, match=r"not all of MAJOR\.MINOR\.PATCH"):
        normalize("1.2-rc1")
