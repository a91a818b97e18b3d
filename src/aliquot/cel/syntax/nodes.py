"""The syntax tree: what the parser builds, the checker annotates and the compiler turns into code."""

from aliquot.cel.static_types import Type


class Node:
    """A part of an expression. `at` is where it stands, in characters; the checker fills `type`."""

    __slots__ = ("at", "type")

    at: int
    type: Type


class Literal(Node):
    """A constant: None, a bool, int, Uint, float, str or bytes."""

    __slots__ = ("value",)

    def __init__(self, at: int, value: object) -> None:
        self.at = at
        self.value = value


class Ident(Node):
    """A variable, or the name of a type."""

    __slots__ = ("name", "names_type")

    def __init__(self, at: int, name: str) -> None:
        self.at = at
        self.name = name
        self.names_type = ""
        """The type that the name stands for, once the checker knows that it does."""


class Select(Node):
    """`operand.field`; with `test`, `has(operand.field)`."""

    __slots__ = ("field", "names_type", "operand", "test")

    def __init__(self, at: int, operand: Node, field: str, *, test: bool = False) -> None:
        self.at = at
        self.operand = operand
        self.field = field
        self.test = test
        self.names_type = ""
        """As in `Ident`, for a qualified name like `net.IP`."""


class Call(Node):
    """A function call or operator; `target` is what stands before the dot of a member call."""

    __slots__ = ("args", "function", "overloads", "target")

    def __init__(self, at: int, function: str, target: Node | None, args: list[Node]) -> None:
        self.at = at
        self.function = function
        self.target = target
        self.args = args
        self.overloads: tuple[str, ...] = ()
        """The overloads that the argument types leave possible, filled by the checker."""


class ListNode(Node):
    """`[a, ?b]`; `optional` holds the indices of elements marked with `?`."""

    __slots__ = ("items", "optional")

    def __init__(self, at: int, items: list[Node], optional: frozenset[int] = frozenset()) -> None:
        self.at = at
        self.items = items
        self.optional = optional


class Entry:
    """One entry of a map or one field of a message."""

    __slots__ = ("at", "key", "optional", "value")

    def __init__(self, at: int, key: Node, value: Node, *, optional: bool) -> None:
        self.at = at
        self.key = key
        self.value = value
        self.optional = optional


class MapNode(Node):
    """`{k: v, ?k: v}`."""

    __slots__ = ("entries",)

    def __init__(self, at: int, entries: list[Entry]) -> None:
        self.at = at
        self.entries = entries


class Message(Node):
    """`name{field: value}`; the keys of its entries are string literals."""

    __slots__ = ("entries", "name")

    def __init__(self, at: int, name: str, entries: list[Entry]) -> None:
        self.at = at
        self.name = name
        self.entries = entries


class Tested(Call):
    """`target.hasValue()` whose target is needed once more: see `Again`."""

    __slots__ = ()


class Again(Node):
    """The target of a `Tested` that was evaluated before: optMap needs its target twice.

    cel-go copies it, and so doubles the tree at each step of a chain; here nothing is checked or evaluated twice.
    """

    __slots__ = ("original",)

    def __init__(self, at: int, original: Node) -> None:
        self.at = at
        self.original = original


class Fold(Node):
    """A loop over `range`, which the macros (all, exists, map, bind, ...) are written in."""

    __slots__ = ("accumulator", "condition", "init", "macro", "parts", "range", "result", "step", "var", "var2")

    def __init__(
        self,
        at: int,
        range_: Node,
        *,
        var: str,
        var2: str,
        accumulator: str,
        init: Node,
        condition: Node,
        step: Node,
        result: Node,
    ) -> None:
        self.at = at
        self.range = range_
        self.var = var
        self.var2 = var2
        """The second variable; empty for the usual form with one."""
        self.accumulator = accumulator
        self.init = init
        self.condition = condition
        self.step = step
        self.result = result
        self.macro = ""
        """What it was written as (`all`, `exists`, `exists_one`, `map`, `bind`), where that has a faster way to run."""
        self.parts: tuple[Node, ...] = ()
        """The macro's own arguments: the test, or the item, or test and item."""
