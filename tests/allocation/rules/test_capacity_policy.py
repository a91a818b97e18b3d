"""What a request takes of a capacity, and whether the policy allows it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aliquot.allocation.rules.capacity import CapacityError, breaks_policy, consumption_of, unknown_names
from aliquot.dra.device import Capacity, RequestPolicy, ValidRange
from aliquot.units.quantity import Quantity


def q(text: str | None) -> Quantity | None:
    return None if text is None else Quantity.parse(text)


def within(lowest: str | None, highest: str | None, step: str | None, default: str | None = None) -> RequestPolicy:
    return RequestPolicy(q(default), (), ValidRange(q(lowest), q(highest), q(step)))


def listed(*values: str, default: str | None = None) -> RequestPolicy:
    return RequestPolicy(q(default), tuple(Quantity.parse(value) for value in values))


@pytest.mark.parametrize(
    ("requested", "policy", "taken", "broken"),
    [
        (None, None, "10", False),
        ("3", None, "3", False),
        ("30", None, "30", False),
        (None, RequestPolicy(q("2")), "2", False),
        ("3", RequestPolicy(q("2")), "3", False),
        ("1", within("2", "8", "2"), "2", False),
        ("3", within("2", "8", "2"), "4", False),
        ("9", within("2", "8", "2"), "10", True),
        ("9", within("2", None, None), "9", False),
        ("9", within(None, "8", None), "9", True),
        ("500m", within("500m", None, "500m"), "1", False),
        ("1500m", within("1", None, "1"), "2", False),
        ("3", listed("1", "4", "8"), "4", False),
        ("9", listed("1", "4", "8"), "9", True),
        (None, listed("1", "4", default="3"), "3", False),
        ("3", listed("1", "4", default="3"), "4", False),
        (None, within("2", "8", "2", default="5"), "5", False),
    ],
)
def test_rounding_and_the_policy(
    requested: str | None, policy: RequestPolicy | None, taken: str, *, broken: bool
) -> None:
    found = consumption_of(q(requested), Capacity(Quantity.parse("10"), policy))
    assert found.amount == Quantity.parse(taken)
    assert breaks_policy(found.amount, policy) == broken


@pytest.mark.parametrize(
    ("text", "default", "broken"),
    [
        ("5", "5", False),
        ("5000m", "5", True),
        ("5.0", "5", True),
        ("2.5Gi", "2.5Gi", True),
        ("2560Mi", "2560Mi", False),
    ],
)
def test_only_what_go_holds_in_the_same_way_is_the_default(text: str, default: str, *, broken: bool) -> None:
    """Upstream compares Go structs, so an equal amount in other words is not the default."""
    assert breaks_policy(Quantity.parse(text), listed("1", default=default)) == broken


@pytest.mark.parametrize(
    ("requested", "policy", "as_requested"),
    [
        ("3", None, False),
        ("3", RequestPolicy(), True),
        ("3", within("1", None, None), True),
        ("3", within("1", None, "1"), False),
        ("9", listed("1"), True),
        ("1", listed("1"), False),
        (None, RequestPolicy(), False),
    ],
)
def test_which_amounts_are_the_request_itself(
    requested: str | None, policy: RequestPolicy | None, *, as_requested: bool
) -> None:
    assert consumption_of(q(requested), Capacity(Quantity.parse("10"), policy)).as_requested == as_requested


@pytest.mark.parametrize(
    ("requested", "policy", "taken"),
    [
        ("600m", within("500m", None, "250m"), "750m"),
        ("750m", within("500m", "2", "250m"), "750m"),
        ("800m", within("500m", "2", "250m"), "1"),
        ("3", within("1", None, "1"), "3"),
        ("3", within("1", None, "100u"), None),
        ("3", within("1n", None, "1"), "3"),
    ],
)
def test_fractional_steps(requested: str, policy: RequestPolicy, taken: str | None) -> None:
    """1.37, DRAFractionalCapacityRange: in thousandths, unless that isn't exact or the step is below one."""
    capacity = Capacity(Quantity.parse("10"), policy)
    if taken is None:
        taken = str(consumption_of(q(requested), capacity, strict=True).amount)
    found = consumption_of(q(requested), capacity, fractional=True, strict=True)
    assert found.amount == Quantity.parse(taken)
    assert not breaks_policy(found.amount, policy, fractional=True)


def test_an_amount_off_the_fractional_steps_breaks_the_policy() -> None:
    assert breaks_policy(Quantity.parse("600m"), within("500m", None, "250m"), fractional=True)
    assert breaks_policy(Quantity.parse("600100u"), within("500m", None, "250m"), fractional=True)


@pytest.mark.parametrize(
    ("requested", "policy", "fractional", "error"),
    [
        ("10E", within("1", None, "1"), False, "request 10E exceeds MaxInt64"),
        ("9223372036854775807", within("0", None, "4"), False, "passes MaxInt64"),
        ("1u", within("0", None, "1m"), True, "is not a representable milli value"),
        ("9223372036854775807m", within("0", None, "2"), True, "passes the milli-value range"),
        ("3", within("1", None, "0"), False, "integer divide by zero"),
    ],
)
def test_what_cannot_be_calculated(requested: str, policy: RequestPolicy, *, fractional: bool, error: str) -> None:
    with pytest.raises(CapacityError, match=error):
        consumption_of(q(requested), Capacity(Quantity.parse("10"), policy), fractional=fractional, strict=True)


def test_a_step_without_a_minimum() -> None:
    with pytest.raises(CapacityError, match="nil pointer"):
        breaks_policy(Quantity.parse("3"), within(None, None, "1"))


def test_names_are_compared_literally() -> None:
    one = Quantity.parse("1")
    assert unknown_names({"mem": one, "drv/mem": one}, {"mem": Capacity(one)}) == ("drv/mem",)
    assert unknown_names(None, {}) == ()


@given(st.integers(0, 10**6), st.integers(0, 1000), st.integers(1, 1000))
def test_rounding_goes_up_to_the_next_step(requested: int, lowest: int, step: int) -> None:
    """Law: the amount taken is on a step, at least the request and the minimum, and less than a step above them."""
    policy = RequestPolicy(None, (), ValidRange(Quantity.of(lowest), None, Quantity.of(step)))
    found = consumption_of(Quantity.of(requested), Capacity(Quantity.of(1), policy)).amount.value()
    assert (found - lowest) % step == 0
    assert max(requested, lowest) <= found < max(requested, lowest) + step
