"""The static cost estimate: the worst case that the API server compares with its limit when an object is written.

It follows cel-go's coster (checker/cost.go) with Kubernetes' estimates of its functions. It is no strict bound: what
it doesn't know the size of counts as boundless, and a few calls cost more than it says.
"""

from collections.abc import Callable  # noqa: TC003  mypy and readers want it here
from typing import Final

from aliquot.cel import static_types as t
from aliquot.cel.cost.argument import Argument, Estimate
from aliquot.cel.cost.call_estimates import estimate_call
from aliquot.cel.cost.device_sizes import SchemaPath, device_size
from aliquot.cel.cost.ranges import MAX, ONE, UNKNOWN, ZERO, EntrySizes, Range, fixed
from aliquot.cel.operator_names import AND, CONDITIONAL, OR
from aliquot.cel.static_types import Type
from aliquot.cel.syntax.nodes import Again, Call, Fold, Ident, ListNode, Literal, MapNode, Message, Node, Select, Tested
from aliquot.cel.values.numbers import Uint


class _Local:
    """A local variable: where its value comes from, and its size."""

    __slots__ = ("entries", "path", "size")

    def __init__(self, path: SchemaPath, size: Range | None, entries: EntrySizes | None) -> None:
        self.path = path
        self.size = size
        self.entries = entries


class Estimator:
    """One estimate of one checked tree."""

    __slots__ = ("_by_kind", "_entries", "_locals", "_minor", "_paths", "_sizes", "_tested")

    def __init__(self, minor: int) -> None:
        self._minor = minor
        self._paths: dict[int, SchemaPath] = {}
        self._sizes: dict[int, Range] = {}
        self._entries: dict[int, EntrySizes] = {}
        self._tested: dict[int, Range] = {}  # the cost of what `hasValue` is asked of, which macros need once more
        self._locals: dict[str, list[_Local]] = {}
        self._by_kind: dict[type[Node], Callable[..., Range]] = {
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

    def cost(self, node: Node) -> Range:
        """The least and the most that evaluating a node costs."""
        return self._by_kind[type(node)](node)

    # --- paths and sizes ---------------------------------------------------------------------------------------------
    def _local(self, node: Node) -> _Local | None:
        if isinstance(node, Ident):
            found = self._locals.get(node.name)
            return found[-1] if found else None
        return None

    def _path(self, node: Node) -> SchemaPath:
        local = self._local(node)
        return self._paths.get(id(node), ()) if local is None else local.path

    def _size(self, node: Node) -> Range | None:
        known = self._sizes.get(id(node))
        if known is not None:
            return known
        size = _literal_size(node)
        if size is not None:
            return size
        path = self._path(node)
        size = device_size(path) if path else None
        if size is not None:
            self._sizes[id(node)] = size
            return size
        if _is_scalar(node.type):
            return ONE
        local = self._local(node)
        return None if local is None else local.size

    def _size_or_unknown(self, node: Node) -> Range:
        return self._size(node) or UNKNOWN

    def _entry_sizes(self, node: Node) -> EntrySizes | None:
        known = self._entries.get(id(node))
        if known is not None:
            return known
        local = self._local(node)
        return None if local is None else local.entries

    # --- nodes -------------------------------------------------------------------------------------------------------
    @staticmethod
    def _literal(_: Literal) -> Range:
        return ZERO

    def _ident(self, node: Ident) -> Range:
        local = self._local(node)
        self._paths[id(node)] = (node.name,) if local is None else local.path
        return ONE

    def _select(self, node: Select) -> Range:
        if node.names_type:
            return ONE
        cost = self.cost(node.operand)
        if node.test:
            return cost
        if node.operand.type.kind in {t.MAP, t.STRUCT, t.PARAM}:
            cost = cost.plus(ONE)
        self._paths[id(node)] = (*self._path(node.operand), node.field)
        return cost

    def _list(self, node: ListNode) -> Range:
        total = fixed(10)
        items = Range(MAX if node.items else 0, 0)
        for item in node.items:
            total = total.plus(self.cost(item))
            items = items.union(self._size_or_unknown(item))
        self._entries[id(node)] = EntrySizes(is_list=True, key=ONE, value=items)
        return total

    def _map(self, node: MapNode) -> Range:
        total = fixed(30)
        keys = values = Range(MAX if node.entries else 0, 0)
        for entry in node.entries:
            total = total.plus(self.cost(entry.key)).plus(self.cost(entry.value))
            keys = keys.union(self._size_or_unknown(entry.key))
            values = values.union(self._size_or_unknown(entry.value))
        self._entries[id(node)] = EntrySizes(is_list=False, key=keys, value=values)
        return total

    def _message(self, node: Message) -> Range:
        return _sum([fixed(40), *[self.cost(entry.value) for entry in node.entries]])

    # --- calls -------------------------------------------------------------------------------------------------------
    def _call(self, node: Call) -> Range:
        if node.function == "dyn":
            inner = node.args[0]
            cost = self.cost(inner).plus(ONE)
            self._copy_sizes(node, inner)
            return cost
        costs = [self.cost(arg) for arg in node.args]
        if node.function in {AND, OR}:
            return Range(costs[0].low, _sum(costs).high)
        arguments = [self._argument(arg) for arg in node.args]
        before = ZERO
        target: Argument | None = None
        if node.target is not None:
            before = self.cost(node.target)
            if isinstance(node, Tested):
                self._tested[id(node.target)] = before
            target = self._argument(node.target)
        total = Range(MAX, 0)
        result: Range | None = None
        for overload in node.overloads:
            estimate = self._overload(node, overload, target, arguments, costs)
            total = total.union(estimate.cost)
            if estimate.result is not None:
                result = estimate.result if result is None else result.union(estimate.result)
            if overload in {"index_list", "index_map"}:
                entries = self._entry_sizes(node.args[0])
                result = None if entries is None else entries.value
                last = "@items" if overload == "index_list" else "@values"
                self._paths[id(node)] = (*self._path(node.args[0]), last)
            if result is None:
                result = self._size(node)
        if result is not None:
            self._sizes[id(node)] = result
        return before.plus(total)

    def _overload(
        self, node: Call, overload: str, target: Argument | None, arguments: list[Argument], costs: list[Range]
    ) -> Estimate:
        if node.function == CONDITIONAL:
            sizes = self._size_or_unknown(node.args[1]).union(self._size_or_unknown(node.args[2]))
            self._join_entries(node, node.args[1], node.args[2])
            return Estimate(costs[0].plus(costs[1].union(costs[2])), sizes)
        if overload in {"add_string", "add_bytes", "add_list"}:
            self._join_entries(node, node.args[0], node.args[1])
        estimate = estimate_call(node.function, overload, target, arguments, self._minor)
        return Estimate(estimate.cost.plus(_sum(costs)), estimate.result)

    def _join_entries(self, node: Node, left: Node, right: Node) -> None:
        a, b = self._entry_sizes(left), self._entry_sizes(right)
        if a is not None and b is not None:
            self._entries[id(node)] = a.union(b)

    def _copy_sizes(self, node: Node, source: Node) -> None:
        size, entries = self._size(source), self._entry_sizes(source)
        if size is not None:
            self._sizes[id(node)] = size
        if entries is not None:
            self._entries[id(node)] = entries

    def _argument(self, node: Node) -> Argument:
        return Argument(node, node.type, self._size(node), self._path(node))

    def _again(self, node: Again) -> Range:
        self._paths[id(node)] = self._path(node.original)
        self._copy_sizes(node, node.original)
        return self._tested[id(node.original)]

    # --- loops -------------------------------------------------------------------------------------------------------
    def _push(self, name: str, path: SchemaPath, size: Range | None, entries: EntrySizes | None) -> None:
        self._locals.setdefault(name, []).append(_Local(path, size, entries))

    def _fold(self, node: Fold) -> Range:
        total = self.cost(node.range).plus(self.cost(node.init))
        self._push(node.accumulator, self._path(node.init), self._size(node.init), self._entry_sizes(node.init))
        if node.macro == "bind":
            total = total.plus(self.cost(node.result))
            self._locals[node.accumulator].pop()
            self._copy_sizes(node, node.result)
            return total
        self._push_variables(node)
        loop = self.cost(node.condition).plus(self.cost(node.step))
        self._locals[node.var].pop()
        if node.var2:
            self._locals[node.var2].pop()
        total = total.plus(self.cost(node.result))
        self._locals[node.accumulator].pop()
        count = self._size_or_unknown(node.range)
        total = total.plus(count.times(loop))
        if isinstance(node.init, Literal):
            self._sizes[id(node)] = ONE
        else:
            self._sizes[id(node)] = count
            entries = self._entry_sizes(node.step)
            if entries is not None:
                self._entries[id(node)] = entries
        return total

    def _push_variables(self, node: Fold) -> None:
        entries = self._entry_sizes(node.range)
        is_list = node.range.type.kind == t.LIST if entries is None else entries.is_list
        key = None if entries is None else entries.key
        value = None if entries is None else entries.value
        path = self._path(node.range)
        if node.var2:
            second = (*path, "@items" if is_list else "@values")
            # cel-go appends both last steps to one slice; where that has room, the second overwrites the first
            shared = bool(path) and len(path) & (len(path) - 1) != 0
            first = second if shared else (*path, "@indices" if is_list else "@keys")
            self._push(node.var, first, key, None)
            self._push(node.var2, second, value, None)
        elif is_list:
            self._push(node.var, (*path, "@items"), value, None)
        else:
            self._push(node.var, (*path, "@keys"), key, None)


def _sum(costs: list[Range]) -> Range:
    total = ZERO
    for cost in costs:
        total = total.plus(cost)
    return total


def _literal_size(node: Node) -> Range | None:
    if isinstance(node, Literal):
        value = node.value
        if isinstance(value, str | bytes):
            return fixed(len(value))
        assert value is None or isinstance(value, bool | int | float | Uint)
        return ONE
    if isinstance(node, ListNode):
        return fixed(len(node.items))
    return fixed(len(node.entries)) if isinstance(node, MapNode) else None


_SCALARS: Final = frozenset({t.BOOL, t.DOUBLE, t.DURATION, t.INT, t.TIMESTAMP, t.UINT})


def _is_scalar(found: Type) -> bool:
    if found.kind == t.OPAQUE and found.name == "optional_type":
        return _is_scalar(found.params[0])
    return found.kind in _SCALARS
