"""The static check: gives every part of an expression its type, and every call its possible overloads."""

from collections.abc import Callable, Mapping
from typing import Final

from aliquot.cel import static_types as t
from aliquot.cel.checking.assignability import Bindings, most_general
from aliquot.cel.checking.messages import MESSAGES, NO_FIELDS
from aliquot.cel.checking.schema import QUALIFIED_ENDS, TYPE_NAMES, Schema
from aliquot.cel.functions.declarations import Function
from aliquot.cel.operator_names import AND, OPT_SELECT, OR
from aliquot.cel.static_types import Type, is_dyn, list_of, map_of, optional_of, type_of, unwrapped
from aliquot.cel.syntax.nodes import (
    Again,
    Call,
    Entry,
    Fold,
    Ident,
    ListNode,
    Literal,
    MapNode,
    Message,
    Node,
    Select,
    Tested,
)
from aliquot.cel.values.numbers import Uint

_LITERALS: Final[dict[type, Type]] = {
    bool: t.BOOL_T,
    int: t.INT_T,
    Uint: t.UINT_T,
    float: t.DOUBLE_T,
    str: t.STRING_T,
    bytes: t.BYTES_T,
    type(None): t.NULL_T,
}


def _clash(wanted: tuple[Type, ...], found: list[Type]) -> bool:
    """Whether two types certainly don't fit: both are concrete, and their kinds differ."""
    for a, b in zip(wanted, found, strict=True):  # noqa: SIM110  a generator takes three times as long
        if a.kind != b.kind and a.kind > t.PARAM and b.kind > t.NULL:
            return True
    return False


class Checker:
    """One check of one expression. `faults` collects what is wrong, as (place, message)."""

    __slots__ = ("_bindings", "_by_kind", "_opened", "_schema", "_scope", "faults")

    def __init__(self, schema: Schema) -> None:
        self._schema = schema
        self._bindings = Bindings()
        self._scope: dict[str, Type] = {"device": t.DEVICE_T}
        self._opened: list[Node] = []
        self.faults: list[tuple[int, str]] = []
        self._by_kind: dict[type[Node], Callable[..., Type]] = {
            Literal: self._literal,
            Ident: self._ident,
            Select: self._select,
            Call: self._call,
            Tested: self._call,
            ListNode: self._list,
            MapNode: self._map,
            Message: self._message,
            Again: self._again,
            Fold: self._fold,
        }

    def check(self, root: Node) -> Type:
        """Check the whole tree; the result's type, `!error!` where there are faults."""
        self._check(root)
        for node in self._opened:
            node.type = self._bindings.resolved(node.type, close=True)
        return root.type

    def _check(self, node: Node) -> Type:
        found = self._by_kind[type(node)](node)
        node.type = found
        if found.opened:
            self._opened.append(node)
        return found

    def _fault(self, at: int, message: str) -> Type:
        self.faults.append((at, message))
        return t.ERROR_T

    def _undeclared(self, at: int, name: str) -> Type:
        return self._fault(at, f"undeclared reference to '{name}' (in container '')")

    def _mismatch(self, at: int, expected: Type, found: Type) -> None:
        self._fault(at, f"expected type '{expected}' but found '{found}'")

    # --- names -------------------------------------------------------------------------------------------------------
    @staticmethod
    def _literal(node: Literal) -> Type:
        return _LITERALS[type(node.value)]

    def _ident(self, node: Ident) -> Type:
        name = node.name
        found = self._scope.get(name)
        if found is not None:
            return found
        if name[0] == ".":
            name = name[1:]
            if name in self._scope and (name == "device" or not self._schema.locals_shadow):
                node.name = name
                return self._scope[name]
        named = TYPE_NAMES.get(name)
        if named is None:
            return self._undeclared(node.at, node.name)
        node.name = name
        node.names_type = name
        return type_of(named)

    def _select(self, node: Select) -> Type:
        if node.field in QUALIFIED_ENDS and not node.test:
            name = self._qualified(node)
            if name in TYPE_NAMES:
                node.names_type = name
                return type_of(TYPE_NAMES[name])
        found = self._field(node.at, node.operand, node.field, optional=False)
        return t.BOOL_T if node.test else self._bindings.resolved(found)

    def _qualified(self, node: Node) -> str:
        """The dotted name that a selection spells, or nothing."""
        if isinstance(node, Ident):
            if self._schema.locals_shadow and node.name in self._scope:
                return ""
            return node.name.removeprefix(".")
        if isinstance(node, Select) and not node.test:
            before = self._qualified(node.operand)
            return f"{before}.{node.field}" if before else ""
        return ""

    def _field(self, at: int, operand: Node, field: str, *, optional: bool) -> Type:
        operand_type = self._bindings.resolved(self._check(operand))
        target, was_optional = unwrapped(operand_type)
        kind = target.kind
        found = t.DYN_T
        if kind == t.MAP:
            found = target.params[1]
        elif kind == t.STRUCT:
            found = self._struct_field(at, target, field)
        elif kind == t.PARAM:
            self._bindings.assignable(t.DYN_T, target)
        elif kind > t.ERROR:
            self._fault(at, f"type '{target}' does not support field selection")
        return optional_of(found) if was_optional or optional else found

    def _struct_field(self, at: int, struct: Type, field: str) -> Type:
        if struct.name != t.DEVICE_T.name:
            return self._fault(at, f"unexpected failed resolution of '{struct}'")
        found = self._schema.fields.get(field)
        return self._fault(at, f"undefined field '{field}'") if found is None else found

    # --- calls -------------------------------------------------------------------------------------------------------
    def _call(self, node: Call) -> Type:
        name, args, target = node.function, node.args, node.target
        if name == OPT_SELECT:
            field = args[1]
            assert isinstance(field, Literal)
            field.type = t.STRING_T
            node.overloads = ("select_optional_field",)
            return self._bindings.resolved(self._field(node.at, args[0], str(field.value), optional=True))
        types = [self._check(arg) for arg in args]
        if target is None:
            function = self._schema.functions.get(name)
            if function is None and name[0] == ".":
                function = self._schema.functions.get(name[1:])
            if function is None:
                return self._undeclared(node.at, name)
            node.function = function.name
            if name in {AND, OR}:
                return self._logic(node, types)
            return self._resolve(node, function, types, member=False)
        if isinstance(target, Ident):
            function = self._schema.functions.get(f"{target.name.removeprefix('.')}.{name}")
            if function is not None:
                node.function = function.name
                node.target = None
                return self._resolve(node, function, types, member=False)
        types.insert(0, self._check(target))
        function = self._schema.functions.get(name)
        if function is None:
            return self._undeclared(node.at, name)
        return self._resolve(node, function, types, member=True)

    def _logic(self, node: Call, types: list[Type]) -> Type:
        node.overloads = ("logical_and" if node.function == AND else "logical_or",)
        failed = False
        for arg, found in zip(node.args, types, strict=True):
            if found is not t.BOOL_T and not self._bindings.assignable(found, t.BOOL_T):
                self._mismatch(arg.at, t.BOOL_T, found)
                failed = True
        return t.ERROR_T if failed else t.BOOL_T

    def _resolve(self, node: Call, function: Function, types: list[Type], *, member: bool) -> Type:
        bindings = self._bindings
        result: Type | None = None
        fitting: list[str] = []
        for overload in function.shapes.get((member, len(types)), ()):
            wanted, given = overload.args, overload.result
            if _clash(wanted, types):
                continue
            if overload.generic:
                fresh: dict[str, Type] = {}
                wanted = tuple([self._instance(arg, fresh) for arg in wanted])
                given = self._instance(given, fresh)
            if bindings.all_assignable(types, wanted):
                fitting.append(overload.id)
                given = bindings.resolved(given)
                if result is None:
                    result = given
                elif not is_dyn(result) and not t.same(given, result):
                    result = t.DYN_T
        if result is None:
            shown = [str(bindings.resolved(found, close=True)) for found in types]
            before = f"{shown.pop(0)}." if member else ""
            applied = f"{before}({', '.join(shown)})"
            return self._fault(node.at, f"found no matching overload for '{function.name}' applied to '{applied}'")
        node.overloads = tuple(fitting)
        return result

    def _instance(self, generic: Type, fresh: dict[str, Type]) -> Type:
        """The type with its parameters replaced by new ones, the same for the same name."""
        if not generic.opened:
            return generic
        if generic.kind == t.PARAM:
            if generic.name not in fresh:
                fresh[generic.name] = self._bindings.fresh()
            return fresh[generic.name]
        return Type(generic.kind, generic.name, *[self._instance(param, fresh) for param in generic.params])

    # --- aggregates --------------------------------------------------------------------------------------------------
    def _joined(self, before: Type | None, found: Type) -> Type:
        """The common type of elements; cel-go falls back to dyn, and a validator complains of what differs."""
        if before is None or before is found:
            return found
        return most_general(before, found) if self._bindings.assignable(before, found) else t.DYN_T

    def _unwrapped(self, node: Node, found: Type) -> Type:
        """The type inside an element that is marked as optional."""
        inner, is_optional = unwrapped(found)
        if not is_optional and not is_dyn(inner):
            self._mismatch(node.at, optional_of(inner), inner)
        return inner

    def _list(self, node: ListNode) -> Type:
        common: Type | None = None
        for index, item in enumerate(node.items):
            found = self._check(item)
            common = self._joined(common, self._unwrapped(item, found) if index in node.optional else found)
        return list_of(self._bindings.fresh() if common is None else common)

    def _map(self, node: MapNode) -> Type:
        keys: Type | None = None
        values: Type | None = None
        for entry in node.entries:
            keys = self._joined(keys, self._check(entry.key))
            found = self._check(entry.value)
            values = self._joined(values, self._unwrapped(entry.value, found) if entry.optional else found)
        if keys is None or values is None:
            return map_of(self._bindings.fresh(), self._bindings.fresh())
        return map_of(keys, values)

    def _message(self, node: Message) -> Type:
        name = node.name.removeprefix(".")
        message = MESSAGES.get(name)
        if message is None and name not in TYPE_NAMES:
            return self._undeclared(node.at, node.name)
        node.name = name
        result: Type = t.ERROR_T
        fields: Mapping[str, Type] = NO_FIELDS
        if message is not None:
            result, fields = message.result, message.fields
        elif name == t.DEVICE_T.name:
            result, fields = t.DEVICE_T, self._schema.fields
        else:
            self._fault(node.at, f"'{name}' is not a message type")
        for entry in node.entries:
            self._message_field(entry, fields)
        return result

    def _message_field(self, entry: Entry, fields: Mapping[str, Type]) -> None:
        found = self._check(entry.value)
        assert isinstance(entry.key, Literal)
        field = str(entry.key.value)
        wanted = fields.get(field)
        if wanted is None:
            self._fault(entry.at, f"undefined field '{field}'")
            return
        if entry.optional:
            found = self._unwrapped(entry.value, found)
        if not self._bindings.assignable(found, wanted):
            shown = self._bindings.resolved(found, close=True)
            self._fault(entry.at, f"expected type of field '{field}' is '{wanted}' but provided type is '{shown}'")

    @staticmethod
    def _again(node: Again) -> Type:
        return node.original.type

    # --- loops -------------------------------------------------------------------------------------------------------
    def _fold(self, node: Fold) -> Type:
        range_type = self._bindings.resolved(self._check(node.range))
        accumulated = self._check(node.init)
        outer = self._scope
        around = {**outer, node.accumulator: accumulated}
        self._scope = {**around, **self._variables(node, range_type)}
        # the macros write conditions that are bools and steps of the accumulator's type
        self._bindings.assignable(t.BOOL_T, self._check(node.condition))
        self._bindings.assignable(accumulated, self._check(node.step))
        self._scope = around
        result = self._check(node.result)
        self._scope = outer
        return self._bindings.resolved(result)

    def _variables(self, node: Fold, range_type: Type) -> dict[str, Type]:
        kind = range_type.kind
        first = second = t.DYN_T
        if kind == t.LIST:
            first = second = range_type.params[0]
            if node.var2:
                first = t.INT_T
        elif kind == t.MAP:
            first, second = range_type.params
        elif kind in {t.DYN, t.ERROR, t.PARAM}:
            self._bindings.assignable(t.DYN_T, range_type)
        else:
            first = second = self._fault(
                node.range.at,
                f"expression of type '{range_type}' cannot be range of a comprehension (must be list, map, or dynamic)",
            )
        return {node.var: first, node.var2: second} if node.var2 else {node.var: first}
