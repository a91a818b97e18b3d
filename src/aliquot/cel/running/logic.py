"""Operators with rules of their own for errors: `&&`, `||`, `==`, `!=`, and `or` of optionals."""

from aliquot.cel.cost.actual_sizes import equality, smaller
from aliquot.cel.operators.equality import equal
from aliquot.cel.running.frame import Frame, Run
from aliquot.cel.values.optional import NONE, Optional
from aliquot.cel.values.value import NO_SUCH_OVERLOAD, Err, Value


def all_true(terms: list[Run]) -> Run:
    """`a && b && ...`: false if one is false; errors count only if none is."""

    def run(frame: Frame) -> Value:
        failed: Err | None = None
        for term in terms:
            value = term(frame)
            if value is False:
                return False
            if value is not True and failed is None:
                failed = value if type(value) is Err else NO_SUCH_OVERLOAD
        return True if failed is None else failed

    return run


def any_true(terms: list[Run]) -> Run:
    """`a || b || ...`: true if one is true; errors count only if none is."""

    def run(frame: Frame) -> Value:
        failed: Err | None = None
        for term in terms:
            value = term(frame)
            if value is True:
                return True
            if value is not False and failed is None:
                failed = value if type(value) is Err else NO_SUCH_OVERLOAD
        return False if failed is None else failed

    return run


def equal_to(left: Run, right: Run) -> Run:
    """`left == right`."""

    def run(frame: Frame) -> Value:
        a, b = left(frame), right(frame)
        frame.cost += equality(a, b)
        return a if type(a) is Err else b if type(b) is Err else equal(a, b)

    return run


def unequal_to(left: Run, right: Run) -> Run:
    """`!=` takes a refused comparison for a difference."""

    def run(frame: Frame) -> Value:
        a, b = left(frame), right(frame)
        frame.cost += smaller(a, b)
        return a if type(a) is Err else b if type(b) is Err else equal(a, b) is not True

    return run


def or_else(left: Run, right: Run, *, unwrap: bool, strict: bool) -> Run:
    """`a.or(b)` and `a.orValue(b)`; before 1.37, what isn't an optional passes through."""

    def run(frame: Frame) -> Value:
        value = left(frame)
        if type(value) is not Optional:
            return NO_SUCH_OVERLOAD if strict and type(value) is not Err else value
        if value is NONE:
            return right(frame)
        return value.value if unwrap else value

    return run
