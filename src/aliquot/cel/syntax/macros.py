"""Macros: calls that the parser rewrites into loops, bindings and tests before anything is checked."""

from collections.abc import Callable
from typing import Final

from aliquot.cel.operator_names import ADD, AND, CONDITIONAL, EQUALS, NOT, NOT_STRICTLY_FALSE, OR
from aliquot.cel.syntax.nodes import Again, Call, Fold, Ident, ListNode, Literal, MapNode, Node, Select, Tested

RESULT: Final = "@result"
"""The accumulator of a loop; no expression can spell it."""

_LEGACY_RESULT: Final = "__result__"
_UNUSED: Final = "#unused"
_SORT_INPUT: Final = "@__sortBy_input__"


class MacroError(Exception):
    """A macro's argument has the wrong form."""

    def __init__(self, at: int, message: str) -> None:
        super().__init__(message)
        self.at = at
        self.message = message


Expander = Callable[[int, Node | None, list[Node]], Node | None]
"""(place, target, arguments) -> the expansion, or None where the call isn't meant as the macro."""


def _variable(argument: Node, complaint: str) -> str:
    if not isinstance(argument, Ident):
        raise MacroError(argument.at, complaint)
    return argument.name


def _loop_variable(argument: Node, complaint: str = "argument must be a simple name") -> str:
    name = _variable(argument, complaint)
    if name in {RESULT, _LEGACY_RESULT}:
        raise MacroError(argument.at, "iteration variable overwrites accumulator variable")
    return name


def _result(at: int) -> Ident:
    return Ident(at, RESULT)


def _marked(fold: Fold, macro: str, *parts: Node) -> Fold:
    """Remember what the loop was written as."""
    fold.macro = macro
    fold.parts = parts
    return fold


def _loop(
    at: int,
    target: Node,
    variables: tuple[str, str],
    init: Node,
    condition: Node,
    step: Node,
    result: Node | None = None,
) -> Fold:
    """A loop that gives what it has accumulated, or something made of it."""
    return Fold(
        at,
        target,
        var=variables[0],
        var2=variables[1],
        accumulator=RESULT,
        init=init,
        condition=condition,
        step=step,
        result=result or _result(at),
    )


def _all(at: int, target: Node, var: str, var2: str, test: Node) -> Fold:
    condition = Call(at, NOT_STRICTLY_FALSE, None, [_result(at)])
    step = Call(at, AND, None, [_result(at), test])
    fold = _loop(at, target, (var, var2), Literal(at, value=True), condition, step)
    return _marked(fold, "all", test)


def _exists(at: int, target: Node, var: str, var2: str, test: Node) -> Fold:
    condition = Call(at, NOT_STRICTLY_FALSE, None, [Call(at, NOT, None, [_result(at)])])
    step = Call(at, OR, None, [_result(at), test])
    fold = _loop(at, target, (var, var2), Literal(at, value=False), condition, step)
    return _marked(fold, "exists", test)


def _exists_one(at: int, target: Node, var: str, var2: str, test: Node) -> Fold:
    counted = Call(at, ADD, None, [_result(at), Literal(at, 1)])
    step = Call(at, CONDITIONAL, None, [test, counted, _result(at)])
    result = Call(at, EQUALS, None, [_result(at), Literal(at, 1)])
    fold = _loop(at, target, (var, var2), Literal(at, 0), Literal(at, value=True), step, result)
    return _marked(fold, "exists_one", test)


def _gathered(at: int, target: Node, var: str, var2: str, start: Node, step: Node, test: Node | None) -> Fold:
    if test is not None:
        step = Call(at, CONDITIONAL, None, [test, step, _result(at)])
    return _loop(at, target, (var, var2), start, Literal(at, value=True), step)


def _mapped(at: int, target: Node, var: str, var2: str, item: Node, test: Node | None) -> Fold:
    step = Call(at, ADD, None, [_result(at), ListNode(at, [item])])
    fold = _gathered(at, target, var, var2, ListNode(at, []), step, test)
    return _marked(fold, "map", *((item,) if test is None else (test, item)))


def _bound(at: int, name: str, value: Node, body: Node) -> Fold:
    empty = ListNode(at, [])
    fold = Fold(
        at,
        empty,
        var=_UNUSED,
        var2="",
        accumulator=name,
        init=value,
        condition=Literal(at, value=False),
        step=Ident(at, name),
        result=body,
    )
    return _marked(fold, "bind")


def _one_variable(make: Callable[[int, Node, str, str, Node], Fold]) -> Expander:
    def expand(at: int, target: Node | None, args: list[Node]) -> Node:
        assert target is not None
        return make(at, target, _loop_variable(args[0]), "", args[1])

    return expand


def _two_variables(args: list[Node]) -> tuple[str, str]:
    names = [_variable(args[0], "argument must be a simple name"), _variable(args[1], "argument must be a simple name")]
    if names[0] == names[1]:
        raise MacroError(args[1].at, f"duplicate variable name: {names[0]}")
    return _loop_variable(args[0]), _loop_variable(args[1])


def _two_variable(make: Callable[[int, Node, str, str, Node], Fold]) -> Expander:
    def expand(at: int, target: Node | None, args: list[Node]) -> Node:
        assert target is not None
        return make(at, target, *_two_variables(args), args[2])

    return expand


def _has(at: int, _: Node | None, args: list[Node]) -> Node:
    argument = args[0]
    if isinstance(argument, Select):
        return Select(at, argument.operand, argument.field, test=True)
    raise MacroError(argument.at, "invalid argument to has() macro")


def _map(at: int, target: Node | None, args: list[Node]) -> Node:
    assert target is not None
    var = _loop_variable(args[0], "argument is not an identifier")
    test = args[1] if len(args) == 3 else None
    return _mapped(at, target, var, "", args[-1], test)


def _filter(at: int, target: Node | None, args: list[Node]) -> Node:
    assert target is not None
    var = _loop_variable(args[0], "argument is not an identifier")
    return _mapped(at, target, var, "", args[0], args[1])


def _transform_list(at: int, target: Node | None, args: list[Node]) -> Node:
    assert target is not None
    test = args[2] if len(args) == 4 else None
    return _mapped(at, target, *_two_variables(args), args[-1], test)


def _transform_map(at: int, target: Node | None, args: list[Node]) -> Node:
    assert target is not None
    var, var2 = _two_variables(args)
    step = Call(at, "cel.@mapInsert", None, [_result(at), Ident(at, var), args[-1]])
    return _gathered(at, target, var, var2, MapNode(at, []), step, args[2] if len(args) == 4 else None)


def _transform_entry(at: int, target: Node | None, args: list[Node]) -> Node:
    assert target is not None
    var, var2 = _two_variables(args)
    step = Call(at, "cel.@mapInsert", None, [_result(at), args[-1]])
    return _gathered(at, target, var, var2, MapNode(at, []), step, args[2] if len(args) == 4 else None)


def _bind(at: int, target: Node | None, args: list[Node]) -> Node | None:
    if not (isinstance(target, Ident) and target.name == "cel"):
        return None
    name = _variable(args[0], "cel.bind() variable names must be simple identifiers")
    return _bound(at, name, args[1], args[2])


def _opt_map(at: int, target: Node | None, args: list[Node]) -> Node:
    assert target is not None
    name = _variable(args[0], "optMap() variable name must be a simple identifier")
    body = _bound(at, name, Call(at, "value", Again(target.at, target), []), args[1])
    some = Call(at, "optional.of", None, [body])
    return _if_present(at, target, some)


def _opt_flat_map(at: int, target: Node | None, args: list[Node]) -> Node:
    assert target is not None
    name = _variable(args[0], "optFlatMap() variable name must be a simple identifier")
    return _if_present(at, target, _bound(at, name, Call(at, "value", Again(target.at, target), []), args[1]))


def _if_present(at: int, target: Node, value: Node) -> Node:
    none = Call(at, "optional.none", None, [])
    return Call(at, CONDITIONAL, None, [Tested(at, "hasValue", target, []), value, none])


def _sort_by(at: int, target: Node | None, args: list[Node]) -> Node:
    assert target is not None
    if not isinstance(target, ListNode | Select | Ident | Fold | Call):
        raise MacroError(
            target.at, "sortBy can only be applied to a list, identifier, comprehension, call or select expression"
        )
    keys = _map(at, Ident(at, _SORT_INPUT), args)
    return _bound(at, _SORT_INPUT, target, Call(at, "@sortByAssociatedKeys", Ident(at, _SORT_INPUT), [keys]))


_GLOBAL: Final[dict[tuple[str, int], Expander]] = {("has", 1): _has}
_MEMBER: Final[dict[tuple[str, int], Expander]] = {
    ("all", 2): _one_variable(_all),
    ("all", 3): _two_variable(_all),
    ("exists", 2): _one_variable(_exists),
    ("exists", 3): _two_variable(_exists),
    ("exists_one", 2): _one_variable(_exists_one),
    ("exists_one", 3): _two_variable(_exists_one),
    ("existsOne", 3): _two_variable(_exists_one),
    ("map", 2): _map,
    ("map", 3): _map,
    ("filter", 2): _filter,
    ("transformList", 3): _transform_list,
    ("transformList", 4): _transform_list,
    ("transformMap", 3): _transform_map,
    ("transformMap", 4): _transform_map,
    ("transformMapEntry", 3): _transform_entry,
    ("transformMapEntry", 4): _transform_entry,
    ("bind", 3): _bind,
    ("optMap", 2): _opt_map,
    ("optFlatMap", 2): _opt_flat_map,
    ("sortBy", 2): _sort_by,
}
"""By name and number of arguments. Kubernetes has `existsOne` only with two variables."""

MACRO_NAMES: Final = frozenset(name for name, _ in (*_GLOBAL, *_MEMBER))


def expander(function: str, count: int, *, member: bool) -> Expander | None:
    """The macro that a call stands for, if any."""
    return (_MEMBER if member else _GLOBAL).get((function, count))
