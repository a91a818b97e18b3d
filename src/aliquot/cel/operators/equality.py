"""Equality of run-time values."""

from aliquot.cel.operators.ordering import compare_numbers
from aliquot.cel.values.lists import LISTS, Joined
from aliquot.cel.values.map_keys import find
from aliquot.cel.values.maps import entries_of, is_map, size_of
from aliquot.cel.values.numbers import NUMBERS
from aliquot.cel.values.optional import NONE, Optional
from aliquot.cel.values.quantities import ComputedQuantity, quantity_of
from aliquot.cel.values.times import Duration, Timestamp
from aliquot.cel.values.type_value import TypeValue
from aliquot.cel.values.value import NO_SUCH_OVERLOAD, Err, Value
from aliquot.units.quantity import Quantity


def equal(left: Value, right: Value) -> Value:
    """`left == right`: a bool, or an error where Kubernetes' types refuse what stands on the right.

    Values of different types are unequal, numbers are equal by value; a double is compared with an integer's nearest
    double.
    """
    kind: type[object] = left.__class__
    other: type[object] = right.__class__
    if kind is str or kind is bool or kind is bytes or kind is TypeValue or kind is Duration:
        return kind is other and left == right
    if kind in NUMBERS:
        if other not in NUMBERS or left != left or right != right:  # noqa: PLR0124  NaN
            return False
        return compare_numbers(left, right) == 0
    if left is None or right is None:
        return left is right
    if kind is Err:
        return left
    if kind is Timestamp:
        return other is Timestamp and left.nanos == right.nanos
    if kind in LISTS:
        return other in LISTS and _equal_lists(left, right)
    if is_map(left):
        return is_map(right) and _equal_maps(left, right)
    if kind is Optional:
        return _equal_optionals(left, right)
    return equal_opaque(left, right)


def equal_opaque(left: Value, right: Value) -> Value:
    """Equality of Kubernetes' own types: only with the same type."""
    kind: type[object] = left.__class__
    other: type[object] = right.__class__
    if kind is Quantity or kind is ComputedQuantity:
        if other is not Quantity:  # a computed quantity isn't recognised on the right, see `ComputedQuantity`
            return right if other is Err else NO_SUCH_OVERLOAD
        return quantity_of(left) == right
    if kind is not other:
        return right if other is Err else NO_SUCH_OVERLOAD
    return left == right


def _equal_lists(left: Value, right: Value) -> Value:
    if len(left) != len(right):
        return False
    failed: Value = None
    for a, b in zip(left, right, strict=True):
        answer = equal(a, b)
        if answer is False:
            return False
        if answer is not True and failed is None:
            failed = answer
    # a plain list of Go takes an error for equality; a joined one reports it
    return failed if failed is not None and type(left) is Joined else True


def _equal_maps(left: Value, right: Value) -> Value:
    if size_of(left) != size_of(right):
        return False
    for key, value in entries_of(left):
        found, other = find(right, key)
        if not found or equal(value, other) is False:
            return False
    return True


def _equal_optionals(left: Value, right: Value) -> Value:
    if type(right) is not Optional or type(left) is not Optional:
        return False
    if left is NONE or right is NONE:
        return left is right
    return equal(left.value, right.value)
