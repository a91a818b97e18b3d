"""Kubernetes' quantities as CEL's functions have them."""

import re
from typing import Final

from aliquot.cel.values.numbers import INT_MAX, INT_MIN
from aliquot.cel.values.quantities import ComputedQuantity, quantity_of
from aliquot.cel.values.value import Err, Value
from aliquot.units.quantity import Format, Quantity, QuantityError

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


def plus(amount: Value, other: Value) -> ComputedQuantity:
    """A quantity and another, or an int, added."""
    return ComputedQuantity(quantity_of(amount).add(_amount(other)))


def minus(amount: Value, other: Value) -> ComputedQuantity:
    """A quantity without another, or without an int."""
    left, right = quantity_of(amount), _amount(other)
    return ComputedQuantity(left.add(right) if _negation_wraps(left, right) else left.sub(right))


def _negation_wraps(left: Quantity, right: Quantity) -> bool:
    """Whether Go adds what it should subtract: it negates an int64, and the least one has no opposite.

    apimachinery's `int64Amount.Sub`; where its addition then overflows, it computes anew with big decimals.
    """
    if left.big or right.big or right.unscaled != INT_MIN:
        return False
    if left.nanos == 0:
        return True
    places = left.scale - right.scale
    return left.nanos > 0 and places >= 0 and left.unscaled * 10**places <= INT_MAX


def compare_quantities(left: Value, right: Value) -> int:
    """-1, 0 or 1."""
    return quantity_of(left).compare(quantity_of(right))


def quantity_above(left: Value, right: Value) -> bool:
    """Whether the first is more."""
    return quantity_of(left) > quantity_of(right)


def quantity_below(left: Value, right: Value) -> bool:
    """Whether the first is less."""
    return quantity_of(left) < quantity_of(right)
