"""What the API server refuses of a new expression beside its validity: its length and its estimated cost, with advice.

Source: Kubernetes 1.34 to 1.37, resource.k8s.io's CELSelectorExpressionMaxLength (10 KiB of UTF-8) and
CELSelectorExpressionMaxCost (1,000,000). Objects that are stored already aren't measured again.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from aliquot.cel import Problem
from aliquot.cel.running.deep_stack import deep_stack
from aliquot.cel.syntax.cursor import SyntaxFault
from aliquot.cel.syntax.nodes import Call, Fold, Ident, Node
from aliquot.cel.syntax.parser import Parser
from aliquot.cel.syntax.tokens import tokenize
from aliquot.cel.syntax.trees import children

if TYPE_CHECKING:
    from aliquot.cel import Program

COST_LIMIT: Final = 1_000_000
LENGTH_LIMIT: Final = 10 * 1024

_UNCOUNTED: Final = 2**64 - 1
_SPLIT: Final = "split it at && into several selectors of the request: each is measured by itself"


def refusals(program: "Program") -> tuple[Problem, ...]:
    """Why the API server doesn't take a valid expression in a new object; none where it does."""
    found: list[Problem] = []
    length = len(program.expression.encode())
    if length > LENGTH_LIMIT:
        message = f"the expression has {length:,} bytes, and the API server takes {LENGTH_LIMIT:,} (10 KiB)"
        hint = "for many values of one attribute write device.attributes['domain'].name in ['a', 'b', ...]"
        found.append(Problem(message, 0, 0, f"{hint}; or {_SPLIT}"))
    cost = program.max_cost
    if cost > COST_LIMIT:
        endless = " (no limit that it can count to)" if cost >= _UNCOUNTED else ""
        message = f"its cost may be {cost:,}{endless} by the API server's estimate, and the limit is {COST_LIMIT:,}"
        costly = _costly(program.expression)
        line = column = 0
        if costly is not None and costly.at >= 0:
            line = program.expression.count("\n", 0, costly.at) + 1
            column = costly.at - program.expression.rfind("\n", 0, costly.at)
        found.append(Problem(message, line, column, f"{costly.advice}; or {_SPLIT}" if costly is not None else _SPLIT))
    return tuple(found)


@dataclass(frozen=True, slots=True)
class _Costly:
    """What makes an expression dear, and where."""

    at: int
    advice: str


def parsed(expression: str) -> Node | None:
    """The syntax tree, or None where it has none."""
    tokens = tokenize(expression)
    if tokens.bad >= 0:
        return None
    try:
        return Parser(tokens, escaped_names=True).parse()
    except SyntaxFault:
        return None


def _costly(expression: str) -> _Costly | None:
    with deep_stack():
        root = parsed(expression)
        return next(_costs(root, ()), None) if root is not None else None


def _costs(node: Node, loops: tuple[Fold, ...]) -> Iterator[_Costly]:
    """Calls on what a loop goes through, and loops in loops: the estimate multiplies sizes that it doesn't know."""
    if isinstance(node, Fold) and node.macro != "bind":
        if loops:
            advice = f"{_shown(node)} stands in the loop of {_shown(loops[-1])}, and the turns of both are multiplied"
            yield _Costly(node.at, f"{advice}: loop once, or compare whole texts with ==, contains() or matches()")
        made = _made_by(node.range)
        if made:
            advice = f"{_shown(node)} goes through what {made} made, and the estimate doesn't know how much that is"
            yield _Costly(node.at, f"{advice}: go through split() of the attribute, or compare it as a whole")
        yield from _costs(node.range, loops)
        for part in children(node):
            if part is not node.range:
                yield from _costs(part, (*loops, node))
        return
    if isinstance(node, Call) and node.function.isidentifier():
        used = sorted(_names(node) & {name for fold in loops for name in (fold.var, fold.var2)})
        if used:
            yield _Costly(
                node.at,
                f"{node.function}() is called on {used[0]} in every turn of {_shown(loops[-1])}, and the estimate "
                f"doesn't know how long {used[0]} is: call it once before the loop, on the whole text, or leave the "
                "loop out and compare the whole text with ==, contains() or matches()",
            )
    for part in children(node):
        yield from _costs(part, loops)


def _made_by(node: Node) -> str:
    """What makes lists or texts of unknown size in a loop's range: another loop, or join()."""
    if isinstance(node, Fold) and node.macro != "bind":
        return _shown(node)
    if isinstance(node, Call) and node.function == "join":
        return "join()"
    return next(filter(None, map(_made_by, children(node))), "")


def _shown(fold: Fold) -> str:
    return f"{fold.macro}()" if fold.macro else "a loop"


def _names(node: Node) -> set[str]:
    if isinstance(node, Ident):
        return {node.name}
    return {name for part in children(node) for name in _names(part)}
