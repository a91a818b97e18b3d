"""Which function a call runs, and with which checks of its arguments."""

from collections.abc import Callable
from typing import Final

from aliquot.cel.cost.actual import CallCost
from aliquot.cel.functions.declarations import Function, Impl, Overload
from aliquot.cel.functions.extensions.lists import range_fault
from aliquot.cel.functions.regexes import RegexError, compile_regex
from aliquot.cel.running.calls import binary, general, unary
from aliquot.cel.running.frame import Run
from aliquot.cel.values.type_names import type_name
from aliquot.cel.values.value import NO_SUCH_OVERLOAD, Err, Value


class PatternFault(Exception):  # noqa: N818  a problem of the expression, caught by `compile`
    """A constant pattern that Go refuses."""


class Dispatch:
    """Finds the implementations of calls in one table of functions."""

    __slots__ = ("_functions", "_minor")

    def __init__(self, functions: dict[str, Function], minor: int) -> None:
        self._functions = functions
        self._minor = minor

    def implementation(self, name: str, overload: str, count: int) -> tuple[Impl, bool]:
        """The function to call, and whether its arguments are evaluated only up to the first error.

        Args:
            name: the function's name.
            overload: the one overload that is possible, or nothing where run-time types decide.
            count: the number of arguments, a target included.
        """
        function = self._functions[name]
        if function.shared is not None:
            return function.shared, False
        if name == "lists.range" and self._minor >= 37:
            return _limited(function.overloads[0]), False
        if overload:
            found = next(candidate for candidate in function.overloads if candidate.id == overload)
            run = _dispatcher(function, count) if found.impl is None else _guarded(function, found, found.impl)
            return run, found.one_by_one
        return _dispatcher(function, count), True

    @staticmethod
    def with_pattern(function: str, pattern: str, impl: Impl) -> Impl:
        """A search for a constant pattern, compiled once.

        Raises:
            PatternFault: the pattern is refused.
        """
        try:
            regex = compile_regex(pattern)
        except RegexError as error:
            raise PatternFault(str(error)) from None
        if function != "matches":
            return impl  # compiled patterns are remembered
        search = regex.search

        def matches(text: Value, _: Value) -> Value:
            return bool(search(text)) if type(text) is str else NO_SUCH_OVERLOAD

        return matches

    @staticmethod
    def runner(
        impl: Impl, args: list[Run], fixed: int, price: CallCost | None, *, by_result: bool, one_by_one: bool
    ) -> Run:
        """The closure that evaluates the arguments, charges the call and makes it."""
        if price is None and not one_by_one:
            if len(args) == 1:
                return unary(impl, args[0], fixed)
            if len(args) == 2:
                return binary(impl, args[0], args[1], fixed)
        return general(impl, args, fixed, price, by_result=by_result, one_by_one=one_by_one)


def _no_overload(name: str, args: tuple[Value, ...]) -> Err:
    return Err(f"no such overload: {name}({', '.join(type_name(arg) for arg in args)})")


def _guarded(function: Function, overload: Overload, impl: Impl) -> Impl:
    """One overload, behind a check of the run-time types."""
    checks = [(index, check) for index, check in enumerate(overload.checks) if check is not None]
    if not function.guarded or not checks:
        return impl
    name = function.name
    if len(overload.checks) == 1:
        return _guarded_unary(impl, checks[0][1], name)

    def call(*args: Value) -> Value:
        for index, check in checks:
            if not check(args[index]):
                return _no_overload(name, args)
        return impl(*args)

    return call


def _guarded_unary(impl: Impl, check: Callable[[Value], bool], name: str) -> Impl:

    def call(arg: Value) -> Value:
        return impl(arg) if check(arg) else _no_overload(name, (arg,))

    return call


def _dispatcher(function: Function, count: int) -> Impl:
    """All overloads with that many arguments: the first whose types fit runs. Member or not makes no difference."""
    candidates = [overload for overload in function.overloads if len(overload.args) == count and overload.impl]
    name, guarded = function.name, function.guarded

    def call(*args: Value) -> Value:
        for overload in candidates:
            if not guarded or all(
                check is None or check(arg) for check, arg in zip(overload.checks, args, strict=True)
            ):
                assert overload.impl is not None
                return overload.impl(*args)
        return _no_overload(name, args)

    return call


_UNLIMITED: Final = "lists.range"


def _limited(overload: Overload) -> Impl:
    """`lists.range` with 1.37's limit."""
    assert overload.impl is not None
    plain = _guarded(Function(_UNLIMITED, (overload,)), overload, overload.impl)

    def call(count: Value) -> Value:
        fault = range_fault(count) if type(count) is int else None
        return plain(count) if fault is None else fault

    return call
