"""Type inference: when one type may stand for another, and what type parameters then mean.

The rules are those of cel-go's checker (`checker/types.go`), which is more lenient than a textbook's: an unknown type
fits everything, and a parameter that was bound to a specific type may later be widened to an unknown one.
"""

from collections.abc import Sequence

from aliquot.cel.static_types import (
    ANY,
    BOOL,
    DURATION,
    DYN_T,
    ERROR,
    LIST,
    MAP,
    NULL,
    OPAQUE,
    PARAM,
    STRUCT,
    TIMESTAMP,
    TYPE,
    Type,
    is_dyn,
    same,
)

_NULLABLE = frozenset({OPAQUE, STRUCT, ANY, DURATION, TIMESTAMP})


class Bindings:
    """What each type parameter was found to be, with undo for attempts that fail."""

    __slots__ = ("_bound", "_count", "_trail")

    def __init__(self) -> None:
        self._bound: dict[str, Type] = {}
        self._trail: list[tuple[str, Type | None]] = []
        self._count = 0

    def fresh(self) -> Type:
        """A type parameter that nobody else has."""
        self._count += 1
        return Type(PARAM, f"_var{self._count - 1}")

    def assignable(self, left: Type, right: Type) -> bool:
        """Whether `left` may be assigned to `right`; what this says about parameters is kept only if so."""
        if not (left.opened or right.opened):
            return self._fits(left, right)
        mark = len(self._trail)
        if self._fits(left, right):
            return True
        self._undo(mark)
        return False

    def all_assignable(self, left: Sequence[Type], right: Sequence[Type]) -> bool:
        """`assignable` pair by pair, all or nothing."""
        mark = len(self._trail)
        for a, b in zip(left, right, strict=True):
            if not self._fits(a, b):
                self._undo(mark)
                return False
        return True

    def resolved(self, candidate: Type, *, close: bool = False) -> Type:
        """The type with what is known of its parameters put in; with `close`, unknown ones become dyn."""
        if not candidate.opened:
            return candidate
        if candidate.kind == PARAM:
            found = self._bound.get(candidate.name)
            if found is not None:
                return self.resolved(found, close=close)
            return DYN_T if close else candidate
        return Type(candidate.kind, candidate.name, *[self.resolved(p, close=close) for p in candidate.params])

    def _undo(self, mark: int) -> None:
        trail = self._trail
        while len(trail) > mark:
            name, before = trail.pop()
            if before is None:
                del self._bound[name]
            else:
                self._bound[name] = before

    def _bind(self, name: str, value: Type) -> None:
        self._trail.append((name, self._bound.get(name)))
        self._bound[name] = value

    def _fits(self, left: Type, right: Type) -> bool:
        kind1, kind2 = left.kind, right.kind
        if kind2 == PARAM:
            valid, bound = self._substitutes(left, right)
            if valid or bound:
                return valid
        if kind1 == PARAM:
            return self._substitutes(right, left)[0]
        if left is right or kind1 <= ERROR or kind2 <= ERROR:
            return True
        if kind1 == NULL:
            return kind2 == NULL or kind2 in _NULLABLE or right.nullable
        if kind2 == NULL:
            return kind1 in _NULLABLE or left.nullable
        if kind1 != kind2:
            return False
        if kind1 in {LIST, MAP, OPAQUE}:
            return (
                left.name == right.name
                and len(left.params) == len(right.params)
                and all(self._fits(a, b) for a, b in zip(left.params, right.params, strict=True))
            )
        return kind1 == TYPE or kind1 >= BOOL or left.name == right.name

    def _substitutes(self, value: Type, param: Type) -> tuple[bool, bool]:
        """Whether `value` may stand for the parameter, and whether the parameter was bound already."""
        if value.kind == PARAM and value.name == param.name:
            return True, True
        bound = self._bound.get(param.name)
        if bound is not None:
            if same(value, bound):
                return True, True
            if self._fits(value, bound):
                general = _most_general(value, bound)
                if self._absent(param, general):
                    self._bind(param.name, general)
                return True, True
            return False, True
        if self._absent(param, value):
            self._bind(param.name, value)
            return True, False
        return False, False

    def _absent(self, param: Type, within: Type) -> bool:
        """The occurs check."""
        if not within.opened:
            return True
        if within.kind == PARAM:
            if within.name == param.name:
                return False
            bound = self._bound.get(within.name)
            return bound is None or self._absent(param, bound)
        return all(self._absent(param, inner) for inner in within.params)


def most_general(left: Type, right: Type) -> Type:
    """The more general of two types that fit each other: the common type of a list's elements."""
    return _most_general(left, right)


def _most_general(left: Type, right: Type) -> Type:
    return left if _less_specific(left, right) else right


def _less_specific(left: Type, right: Type) -> bool:
    if is_dyn(left) or left.kind == PARAM:
        return True
    if is_dyn(right) or right.kind == PARAM or left.kind != right.kind:
        return False
    if left.kind in {LIST, MAP, OPAQUE}:
        return (
            left.name == right.name
            and len(left.params) == len(right.params)
            and all(_less_specific(a, b) for a, b in zip(left.params, right.params, strict=True))
        )
    return left.kind == TYPE or same(left, right)
