"""Laws of quantities, and what a person reads when one is wrong."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aliquot.units.quantity import Format, Quantity, QuantityError, parse_milli, parse_quantity, parse_value

suffixes = st.sampled_from(["", "n", "u", "m", "k", "M", "G", "T", "P", "E", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei", "e3"])
texts = st.builds(
    lambda sign, whole, fraction, suffix: f"{sign}{whole}{fraction}{suffix}",
    st.sampled_from(["", "-", "+"]),
    st.integers(0, 10**20),
    st.one_of(st.just(""), st.from_regex(r"\.[0-9]{1,14}", fullmatch=True)),
    suffixes,
)
quantities = texts.map(Quantity.parse)
moderate = quantities.filter(lambda amount: abs(amount.nanos) < 10**30)
"""Those below 1000E, from where Go prints no suffix."""


@pytest.mark.law
@given(moderate)
def test_printing_and_reading_back_keeps_the_value(amount: Quantity) -> None:
    assert Quantity.parse(str(amount)) == amount
    assert Quantity.parse(amount.canonical()) == amount


@pytest.mark.law
@given(moderate)
def test_the_canonical_form_is_its_own_canonical_form(amount: Quantity) -> None:
    assert Quantity.parse(amount.canonical()).canonical() == amount.canonical()


@pytest.mark.law
@given(quantities, quantities)
def test_exactly_one_of_less_equal_greater(a: Quantity, b: Quantity) -> None:
    assert [a < b, a == b, a > b].count(True) == 1
    assert (a <= b, a >= b) == (not a > b, not a < b)
    assert (a < b, a > b) == (b > a, b < a)
    assert a.compare(b) == (a - b).sign == -b.compare(a)
    assert (a != b) or hash(a) == hash(b)


@pytest.mark.law
@given(quantities, quantities, quantities)
def test_sums(a: Quantity, b: Quantity, c: Quantity) -> None:
    assert a + b == b + a
    assert (a + b) + c == a + (b + c)
    assert (a + b) - b == a
    assert a - b == a + -b
    assert (a < b) == (a + c < b + c)


@pytest.mark.law
@given(quantities)
def test_whole_units_round_up(amount: Quantity) -> None:
    if 0 <= amount.nanos < 2**63 * 10**6:
        assert amount.value() == -(-amount.nanos // 10**9)
        assert amount.milli_value() == -(-amount.nanos // 10**6)


@pytest.mark.parametrize(
    ("a", "b"),
    [("1Gi", "1073741824"), ("1e3", "1k"), ("0.5", "500m"), ("80Gi", "85899345920"), ("0", "0Ei"), ("1u", "1000n")],
)
def test_equality_is_by_value(a: str, b: str) -> None:
    assert Quantity.parse(a) == Quantity.parse(b)
    assert len({Quantity.parse(a), Quantity.parse(b)}) == 1


def test_a_quantity_equals_no_other_thing() -> None:
    assert Quantity.parse("1") != 1


@pytest.mark.parametrize(
    ("number", "printed"), [(2, "2"), (2.5, "2500m"), (1e22, "10e21"), (1e-9, "1e-09"), (-3, "-3"), (0, "0")]
)
def test_json_numbers(number: float, printed: str) -> None:
    assert str(Quantity.parse(number)) == printed


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "an empty text is not a quantity: write a number and one of the suffixes"),
        ("8GB", "'8GB' is not a quantity: the suffix has no B, write G"),
        ("8GiB", "'8GiB' is not a quantity: the suffix has no B, write Gi"),
        ("8K", "'8K' is not a quantity: write k for powers of 1000 or Ki for powers of 1024"),
        ("8gi", "'8gi' is not a quantity: write G for powers of 1000 or Gi for powers of 1024"),
        (" 8", "' 8' is not a quantity: leave out the spaces around it"),
        ("x" * 99, f"'{'x' * 37}...' is not a quantity: write a number"),
        ("1e1001", "'1e1001' has an exponent beyond the 1000 that are read"),
        ("1e-99999999999999999999", "'1e-99999999999999999999' has an exponent beyond the 1000 that are read"),
        ("1" * 1001, "a quantity of 1001 digits is longer than the 1000 that are read"),
        (True, "True is not a quantity: write a number"),
    ],
)
def test_what_is_said_of_a_wrong_one(text: str, said: str) -> None:
    with pytest.raises(QuantityError) as caught:
        Quantity.parse(text)
    assert str(caught.value).startswith(said)


def test_a_long_hostile_text_takes_no_time() -> None:
    with pytest.raises(QuantityError):
        Quantity.parse("0" * 200_000 + "1" * 200_000 + "x")


def test_the_largest_that_is_read_is_printed_and_compared() -> None:
    huge, tiny = Quantity.parse("9" * 1000 + "e1000"), Quantity.parse("1e-1000")
    assert huge > tiny == Quantity.parse("1n")
    assert str(huge).endswith("990e999")
    assert len(str(huge + tiny)) > 2000
    assert huge.as_float() == float("inf")
    assert (-huge).as_float() == float("-inf")
    assert Quantity.parse("1e400").as_float() == float("inf")


def test_made_from_numbers() -> None:
    assert str(Quantity.of(2**31, Format.BINARY_SI)) == "2Gi"
    assert str(Quantity.of(5)) == "5"
    assert str(Quantity.of_milli(1500)) == "1500m"
    assert Quantity.of(2**63).as_int64() is None
    assert Quantity.of(2**63 - 1).as_int64() == 2**63 - 1
    assert Quantity.of_milli(2**63).big
    assert repr(Quantity.of(2**31, Format.BINARY_SI)) == "Quantity('2Gi')"


@pytest.mark.parametrize(
    ("amount", "scale", "expected"),
    [
        # what Go's Quantity answers beyond 64 bits
        (Quantity.of(2**63 - 1), -3, -1000),
        (Quantity.parse("10E"), 0, 0),
        (Quantity.parse("16Ei"), -3, -1000),
        (Quantity.parse("16Ei"), -9, -(10**9)),
        (Quantity.of(-(2**64) - 1), 3, 1),
        (Quantity.of(2**64 + 1), 3, 18446744073709552),
        (Quantity.of(2**64 + 5), 0, 5),
    ],
)
def test_scaled_values_beyond_64_bits(amount: Quantity, scale: int, expected: int) -> None:
    assert amount.scaled_value(scale) == expected


def test_short_cuts_give_the_same() -> None:
    assert (parse_value("1500m"), parse_milli("1500m")) == (2, 1500)
    assert parse_quantity("8Gi") is parse_quantity("8Gi")
    with pytest.raises(QuantityError):
        parse_value("much")
    with pytest.raises(QuantityError):
        parse_milli("much")
