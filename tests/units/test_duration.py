"""Laws of durations, and what a person reads when one is wrong."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aliquot.units.duration import HOUR, MINUTE, DurationError, format_duration, parse_duration


@pytest.mark.law
@given(st.one_of(st.integers(-(2**63), 2**63 - 1), st.integers(-(10**10), 10**10)))
def test_printing_and_reading_back(nanoseconds: int) -> None:
    assert parse_duration(format_duration(nanoseconds)) == nanoseconds


def test_terms_add_up() -> None:
    assert parse_duration("1h30m") == HOUR + 30 * MINUTE


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "write numbers with units"),
        ("5", "a unit is missing, one of ns, us, ms, s, m, h"),
        ("1d", "'d' is no unit; write ns, us, ms, s, m or h"),
        ("1h.m", "a number is missing before '.m'"),
        ("3000000h", "is longer than 2562047h"),
        ("1.9223372036854775808s2562047.99999h", "is longer than 2562047h"),
        ("2562047h2562047h", "is longer than 2562047h"),
    ],
)
def test_what_is_said_of_a_wrong_one(text: str, said: str) -> None:
    with pytest.raises(DurationError) as caught:
        parse_duration(text)
    assert said in str(caught.value)
