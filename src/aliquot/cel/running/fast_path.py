"""The fast path: an expression as one Python lambda over a prepared device.

The lambda may answer only where its answer is certainly CEL's: whenever something unusual happens (a missing key, a
type that an operator doesn't take), it raises, and the closures compute the exact answer. Evaluation from left to right
without errors is the same in both, functions are pure, and the cost can't reach the limit. Expressions
with anything that isn't listed here have no lambda.
"""

from collections.abc import Callable
from typing import Final

from aliquot.cel import static_types as t
from aliquot.cel.devices import SMALL
from aliquot.cel.functions.extensions.strings import lower_ascii, upper_ascii
from aliquot.cel.functions.kubernetes.quantities import parse_quantity
from aliquot.cel.functions.kubernetes.semvers import parse_semver
from aliquot.cel.functions.regexes import compile_regex
from aliquot.cel.operator_names import AND, CONDITIONAL, EQUALS, IN, INDEX, NOT, NOT_EQUALS, OR
from aliquot.cel.operators.equality import equal
from aliquot.cel.operators.ordering import compare
from aliquot.cel.syntax.nodes import Call, Fold, Ident, ListNode, Literal, Node, Select
from aliquot.cel.values.lists import LISTS
from aliquot.cel.values.value import Err, Value
from aliquot.units.semver import Semver

_WALK: Final = SMALL // 10 + 1
"""What walking through a text of that length costs."""

_MAX_DEPTH: Final = 30
"""Nesting beyond which Python's own compiler could give up."""

Fast = Callable[[str, dict[str, dict[str, Value]], dict[str, dict[str, Value]], bool], Value]
"""(driver, attributes, capacity, allowMultipleAllocations) -> the result, or any exception."""


class _Unsupported(Exception):  # noqa: N818  ends the translation, nothing more
    """The expression has a part that the fast path doesn't know."""


class Unusual(Exception):  # noqa: N818  hands the evaluation over to the closures
    """The lambda met something that only the closures answer exactly."""


def _unusual() -> Value:
    raise Unusual


def _checked(answer: Value) -> Value:
    if type(answer) is Err:
        raise Unusual
    return answer


def _equal(left: Value, right: Value) -> Value:
    return _checked(equal(left, right))


def _compare(left: Value, right: Value) -> Value:
    return _checked(compare(left, right))


def _in_texts(value: Value) -> bool:
    """Membership in a list of texts, for a value that is no text."""
    if type(value) in {int, bool, float}:
        return False
    raise Unusual


_RELATIONS: Final = {"_<_": "<", "_<=_": "<=", "_>_": ">", "_>=_": ">="}
_CONSTANT_MAKERS: Final = {"quantity": parse_quantity, "semver": parse_semver}
_TEXT_TESTS: Final = {
    "startsWith": ("{text}.startswith({part})", _WALK),
    "endsWith": ("{text}.endswith({part})", _WALK),
    "contains": ("({part} in {text})", _WALK * _WALK),
}
_CASES: Final = {"lowerAscii": lower_ascii, "upperAscii": upper_ascii}


class _Translator:
    """Writes the lambda's text; constants get names in `names`."""

    __slots__ = ("_count", "_locals", "cost", "names")

    def __init__(self) -> None:
        self.names: dict[str, Value] = {
            "E": {},
            "EQ": _equal,
            "CMP": _compare,
            "UNUSUAL": _unusual,
            "IN_TEXTS": _in_texts,
            "Semver": Semver,
        }
        self.cost = 0
        self._count = 0
        self._locals: dict[str, str] = {}

    def _fresh(self, prefix: str) -> str:
        self._count += 1
        return f"{prefix}{self._count}"

    def _constant(self, value: Value) -> str:
        if type(value) in {str, int, bool}:
            return repr(value)
        name = self._fresh("k")
        self.names[name] = value
        return name

    # --- dispatch ----------------------------------------------------------------------------------------------------
    def text(self, node: Node, depth: int = 0) -> str:
        """The node as Python; it gives CEL's value or raises."""
        if depth > _MAX_DEPTH:
            raise _Unsupported
        if isinstance(node, Literal):
            if type(node.value) not in {str, int, bool, float}:
                raise _Unsupported
            return self._constant(node.value)
        if isinstance(node, Ident) and node.name in self._locals:
            self.cost += 1
            return self._locals[node.name]
        if isinstance(node, Call) and node.function != INDEX:
            return self._call(node, depth + 1)
        if isinstance(node, Fold):
            return self._loop(node, depth + 1)
        return self._path(node)

    def condition(self, node: Node, depth: int) -> str:
        """The node where a bool is needed."""
        text = self.text(node, depth)
        if node.type.kind == t.BOOL:
            return text
        name = self._fresh("t")
        return f"({name} if type({name} := {text}) is bool else UNUSUAL())"

    # --- the device --------------------------------------------------------------------------------------------------
    def _path(self, node: Node) -> str:
        """`device.driver`, `device.attributes["domain"].name` and the like."""
        keys: list[str] = []
        test = False
        while not isinstance(node, Ident):
            if isinstance(node, Select) and not node.names_type:
                test = test or node.test
                keys.append(node.field)
                node = node.operand
            elif isinstance(node, Call) and node.function == INDEX and isinstance(node.args[1], Literal):
                keys.append(str(node.args[1].value))
                if type(node.args[1].value) is not str:
                    raise _Unsupported
                node = node.args[0]
            else:
                raise _Unsupported
        if node.name != "device" or node.name in self._locals:
            raise _Unsupported
        self.cost += 4
        return _path_text(keys[::-1], test=test)

    # --- calls -------------------------------------------------------------------------------------------------------
    def _call(self, node: Call, depth: int) -> str:
        function, args = node.function, node.args
        if function in {AND, OR}:
            word = " and " if function == AND else " or "
            return f"({word.join([self.condition(arg, depth) for arg in args])})"
        if function == NOT:
            return f"(not {self.condition(args[0], depth)})"
        if function == CONDITIONAL:
            parts = [self.condition(args[0], depth), self.text(args[1], depth), self.text(args[2], depth)]
            return f"({parts[1]} if {parts[0]} else {parts[2]})"
        if function in {EQUALS, NOT_EQUALS}:
            return self._equality(node, depth)
        if function in _RELATIONS:
            return self._relation(node, depth)
        if function == IN:
            return self._membership(args[0], args[1], depth)
        if node.target is None:
            return self._made_constant(node)
        if function in _TEXT_TESTS or function in _CASES or function == "matches":
            return self._text_call(node, node.target, depth)
        if function in {"isGreaterThan", "isLessThan", "compareTo"}:
            return self._ordering(node, node.target, depth)
        raise _Unsupported

    def _equality(self, node: Call, depth: int) -> str:
        left, right = node.args
        self.cost += _WALK
        a, b = self.text(left, depth), self.text(right, depth)
        negated = node.function == NOT_EQUALS
        kinds = {left.type.kind, right.type.kind}
        if len(kinds) == 1 and kinds <= {t.STRING, t.BOOL, t.INT}:
            return f"({a} {'!=' if negated else '=='} {b})"
        # `!=` takes a refused comparison for a difference, which only the closures know how to do
        answer = f"EQ({a}, {b})"
        if isinstance(right, Literal) and type(right.value) in {str, int}:
            name, kind = self._fresh("t"), type(right.value).__name__
            answer = f"({name} == {b} if type({name} := {a}) is {kind} else EQ({name}, {b}))"
        return f"(not {answer})" if negated else answer

    def _relation(self, node: Call, depth: int) -> str:
        left, right = node.args
        sign = _RELATIONS[node.function]
        if _is_zero(right) and isinstance(left, Call) and left.function == "compareTo" and left.target is not None:
            self.cost += 1
            return self._ordering(left, left.target, depth, sign)
        self.cost += _WALK
        a, b = self.text(left, depth), self.text(right, depth)
        if left.type.kind == right.type.kind and left.type.kind in {t.INT, t.STRING}:
            return f"({a} {sign} {b})"
        if isinstance(right, Literal) and type(right.value) in {int, str}:
            name, kind = self._fresh("t"), type(right.value).__name__
            return f"({name} {sign} {b} if type({name} := {a}) is {kind} else CMP({name}, {b}) {sign} 0)"
        return f"(CMP({a}, {b}) {sign} 0)"

    def _membership(self, wanted: Node, container: Node, depth: int) -> str:
        if isinstance(container, ListNode):
            values = [item.value for item in container.items if isinstance(item, Literal) and type(item.value) is str]
            if len(values) < len(container.items) or container.optional:
                raise _Unsupported
            known = self._constant(frozenset(values))
            text = self.text(wanted, depth)
            if wanted.type.kind == t.STRING:
                return f"({text} in {known})"
            name = self._fresh("t")
            return f"({name} in {known} if type({name} := {text}) is str else IN_TEXTS({name}))"
        if container.type.kind != t.MAP or wanted.type.kind != t.STRING:
            raise _Unsupported
        self.cost += 1
        return f"({self.text(wanted, depth)} in {self.text(container, depth)})"

    def _made_constant(self, node: Call) -> str:
        """A quantity or version from a constant text: made once."""
        make = _CONSTANT_MAKERS.get(node.function)
        argument = node.args[0] if len(node.args) == 1 else None
        if make is None or not isinstance(argument, Literal) or type(argument.value) is not str:
            raise _Unsupported
        self.cost += len(argument.value) // 10 + 1
        value = make(argument.value)
        if type(value) is Err:
            raise _Unsupported
        return self._constant(value)

    def _text_call(self, node: Call, target: Node, depth: int) -> str:
        function = node.function
        text = self.text(target, depth)
        name, before = "", text
        if target.type.kind != t.STRING:
            text = name = self._fresh("t")
        if function in _CASES:
            self.cost += _WALK
            helper = self._constant(_CASES[function])
            call = f"{helper}({text})"
        elif function == "matches":
            call = self._search(node.args[0], text)
        else:
            form, cost = _TEXT_TESTS[function]
            part = node.args[0]
            if part.type.kind != t.STRING:
                raise _Unsupported
            self.cost += cost
            call = form.format(text=text, part=self.text(part, depth))
        return f"({call} if type({name} := {before}) is str else UNUSUAL())" if name else call

    def _search(self, pattern: Node, text: str) -> str:
        if not isinstance(pattern, Literal) or type(pattern.value) is not str:
            raise _Unsupported
        self.cost += (_WALK + 1) * (len(pattern.value) // 4 + 1)
        return f"({self._constant(compile_regex(pattern.value).search_short)}({text}) is not None)"

    def _ordering(self, node: Call, target: Node, depth: int, sign: str = "") -> str:
        """isGreaterThan, isLessThan, or `compareTo(...)` with what stands behind it, on quantities or versions."""
        self.cost += 1
        other = node.args[0]
        a, b = self.text(target, depth), self.text(other, depth)
        comparison = {"isGreaterThan": ">", "isLessThan": "<"}.get(node.function, sign)
        if other.type.name == t.QUANTITY_T.name and target.type.name == t.QUANTITY_T.name:
            return f"({a}.nanos {comparison} {b}.nanos)" if comparison else f"{a}.compare({b})"
        if other.type.name != t.SEMVER_T.name or not isinstance(other, Call):
            raise _Unsupported
        name = self._fresh("t")
        call = f"{name} {comparison} {b}" if comparison else f"{name}.compare({b})"
        return f"({call} if type({name} := {a}) is Semver else UNUSUAL())"

    # --- loops -------------------------------------------------------------------------------------------------------
    def _loop(self, node: Fold, depth: int) -> str:
        """`all` and `exists` over a map's keys or a list of the device."""
        if node.macro not in {"all", "exists"} or node.var2 or node.var in self._locals:
            raise _Unsupported
        over = self._path(node.range)
        if node.range.type.kind != t.MAP:
            over = f"ITERATED({over})"
            self.names["ITERATED"] = _iterated
        before = self.cost
        name = self._fresh("v")
        self._locals[node.var] = name
        test = self.condition(node.parts[0], depth)
        del self._locals[node.var]
        self.cost = before + SMALL * (self.cost - before + 4) + 4
        return f"{'all' if node.macro == 'all' else 'any'}({test} for {name} in {over})"


def _iterated(value: Value) -> Value:
    if type(value) not in LISTS:
        raise Unusual
    return value


def _is_zero(node: Node) -> bool:
    return isinstance(node, Literal) and type(node.value) is int and node.value == 0


def _path_text(keys: list[str], *, test: bool) -> str:
    if keys == ["driver"]:
        return "True" if test else "D"
    if keys == ["allowMultipleAllocations"]:
        return "True" if test else "M"
    if not keys or keys[0] not in {"attributes", "capacity"}:
        raise _Unsupported
    root = "A" if keys[0] == "attributes" else "C"
    if len(keys) == 1 and not test:
        return root
    if len(keys) == 2 and not test:
        return f"{root}.get({keys[1]!r}, E)"
    if len(keys) == 3:
        domain = f"{root}.get({keys[1]!r}, E)"
        return f"({keys[2]!r} in {domain})" if test else f"{domain}[{keys[2]!r}]"
    raise _Unsupported


def translate(root: Node, limit: int) -> Fast | None:
    """The expression as a lambda, or None where it has parts that the fast path doesn't know.

    Args:
        root: the checked tree of an expression that was compiled.
        limit: the run-time cost limit, which must be out of reach.
    """
    translator = _Translator()
    try:
        text = translator.text(root)
    except _Unsupported:
        return None
    if translator.cost > limit:
        return None
    fast: Fast = eval(f"lambda D, A, C, M: {text}", {"__builtins__": _BUILTINS, **translator.names})  # noqa: S307  our own text; strings in it are repr()ed
    return fast


_BUILTINS: Final = {"type": type, "str": str, "int": int, "bool": bool, "all": all, "any": any}
