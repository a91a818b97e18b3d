"""Calls: their arguments evaluated, the cost charged, the function run."""

from aliquot.cel.cost.actual import CallCost
from aliquot.cel.functions.declarations import Impl
from aliquot.cel.running.frame import Frame, Run
from aliquot.cel.values.stops import TooCostly
from aliquot.cel.values.value import Err, Value


def unary(impl: Impl, arg: Run, cost: int) -> Run:
    """A call with one argument and a fixed cost."""

    def run(frame: Frame) -> Value:
        value = arg(frame)
        frame.cost += cost
        return value if type(value) is Err else impl(value)

    return run


def binary(impl: Impl, left: Run, right: Run, cost: int) -> Run:
    """A call with two arguments and a fixed cost."""

    def run(frame: Frame) -> Value:
        a, b = left(frame), right(frame)
        frame.cost += cost
        return a if type(a) is Err else b if type(b) is Err else impl(a, b)

    return run


def general(
    impl: Impl, args: list[Run], fixed: int, price: CallCost | None, *, by_result: bool, one_by_one: bool
) -> Run:
    """Any call; without a price, the cost is `fixed`."""

    def run(frame: Frame) -> Value:
        values: list[Value] = []
        failed: Err | None = None
        for arg in args:
            value = arg(frame)
            values.append(value)
            if type(value) is Err:
                if one_by_one and len(values) < len(args):
                    return value  # without cost: cel-go charges a call only if all arguments were evaluated
                failed = failed or value
        if by_result:
            result = impl(*values) if failed is None else failed
            _charge(frame, fixed if price is None else price([*values, result]))
            return result
        _charge(frame, fixed if price is None else price(values))  # before the work is done
        return impl(*values) if failed is None else failed

    return run


def _charge(frame: Frame, cost: int) -> None:
    limit = frame.limit
    if frame.cost > limit:
        raise TooCostly(limit + 1)
    frame.cost += cost
    if frame.cost > limit:
        raise TooCostly(frame.cost)
