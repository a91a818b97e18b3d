"""How functions are declared: overloads with typed signatures and the Python functions behind them."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from aliquot.cel.functions.argument_checks import Check, checker_of
from aliquot.cel.functions.signatures import read_signature
from aliquot.cel.static_types import Type
from aliquot.cel.values.value import Value

Impl = Callable[..., Value]


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Overload:
    """One signature of a function."""

    id: str
    member: bool
    """Whether it's called as `x.f(y)`; the target is then the first argument."""
    args: tuple[Type, ...]
    result: Type
    impl: Impl | None
    generic: bool
    """Whether type parameters occur in it."""
    checks: tuple[Check | None, ...] = field(default=(), repr=False)
    """Tests of run-time arguments against `args`."""
    one_by_one: bool = False
    """Whether evaluation stops at the first argument that is an error (cel-go's functions of any arity)."""


@dataclass(frozen=True, slots=True, eq=False)
class Function:
    """A function: its overloads in order, and how calls are dispatched."""

    name: str
    overloads: tuple[Overload, ...]
    shared: Impl | None = None
    """One implementation for all overloads, which checks its arguments itself."""
    guarded: bool = True
    """Whether run-time arguments are checked against the declared types."""
    shapes: dict[tuple[bool, int], tuple[Overload, ...]] = field(init=False, repr=False)
    """The overloads by member or not, and number of arguments."""

    def __post_init__(self) -> None:
        shapes: dict[tuple[bool, int], tuple[Overload, ...]] = {}
        for overload in self.overloads:
            shape = (overload.member, len(overload.args))
            shapes[shape] = (*shapes.get(shape, ()), overload)
        object.__setattr__(self, "shapes", shapes)


Row = tuple[str, str, str, Impl | None]
"""(function, overload, signature, implementation)."""


def declared(
    rows: Iterable[Row], shared: dict[str, Impl], unguarded: frozenset[str], one_by_one: frozenset[str]
) -> dict[str, Function]:
    """Functions by name, from rows in the order in which cel-go's libraries add overloads."""
    overloads: dict[str, list[Overload]] = {}
    for name, identifier, signature, impl in rows:
        member, args, result = read_signature(signature)
        generic = result.opened or any(arg.opened for arg in args)
        checks = tuple(checker_of(arg) for arg in args)
        sequential = len(args) > 2 or identifier in one_by_one
        overload = Overload(
            id=identifier,
            member=member,
            args=args,
            result=result,
            impl=impl,
            generic=generic,
            checks=checks,
            one_by_one=sequential,
        )
        overloads.setdefault(name, []).append(overload)
    return {
        name: Function(name, tuple(found), shared.get(name), name not in unguarded) for name, found in overloads.items()
    }
