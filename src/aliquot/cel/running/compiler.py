"""From a checked tree to closures: constants are folded, calls are bound to their overloads, costs are charged.

What cel-go refuses while it plans a program (a bad conversion of a constant, a bad pattern, an impossible index) is
refused here, as a `ProgramFault`.
"""

from collections.abc import Callable  # noqa: TC003  mypy and readers want it here
from typing import Final

from aliquot.cel.checking.schema import TYPE_NAMES, Schema
from aliquot.cel.cost.actual import cost_of_call
from aliquot.cel.operator_names import AND, CONDITIONAL, EQUALS, INDEX, NOT_EQUALS, OPT_INDEX, OPT_SELECT, OR
from aliquot.cel.operators.indexing import is_qualifier
from aliquot.cel.running import comprehensions as loops
from aliquot.cel.running.aggregates import list_maker, map_maker
from aliquot.cel.running.attributes import Choice, Path
from aliquot.cel.running.compiled import Compiled, ProgramFault, constant
from aliquot.cel.running.constant_lists import membership
from aliquot.cel.running.dispatch import Dispatch
from aliquot.cel.running.frame import Frame, Run
from aliquot.cel.running.logic import all_true, any_true, equal_to, or_else, unequal_to
from aliquot.cel.running.messages import message_maker
from aliquot.cel.running.qualifiers import computed_qualifier, constant_qualifier, test_qualifier
from aliquot.cel.running.recalling import recalled, remembered
from aliquot.cel.static_types import OPAQUE, TYPE, Type, is_dyn
from aliquot.cel.syntax.nodes import Again, Call, Fold, Ident, ListNode, Literal, MapNode, Message, Node, Select, Tested
from aliquot.cel.values.stops import Panic
from aliquot.cel.values.type_names import go_type_name
from aliquot.cel.values.type_value import TypeValue
from aliquot.cel.values.value import Err, Value

_FOLDED: Final = frozenset({
    "bool", "bytes", "double", "duration", "dyn", "int", "string", "timestamp", "type", "uint",
})  # fmt: skip
"""Functions that cel-go computes while planning, if their argument is constant."""


class Compiler:
    """Compiles one checked expression. `places` tells how many local variables a frame must hold."""

    __slots__ = ("_by_kind", "_calls", "_lazy", "_minor", "_recalled", "_scope", "_touched", "places")

    def __init__(self, schema: Schema, minor: int) -> None:
        self._minor = minor
        self._calls = Dispatch(schema.functions, minor)
        self._scope: dict[str, Run] = {}
        self._lazy: dict[Run, int] = {}  # readers of accumulators, and the places that hold these
        self._touched: set[int] = set()
        self._recalled: dict[int, Run] = {}
        self.places = 0
        self._by_kind: dict[type[Node], Callable[..., Compiled]] = {
            Literal: self._literal,
            Ident: self._ident,
            Select: self._select,
            Call: self._call,
            Tested: self._tested,
            ListNode: self._list,
            MapNode: self._map,
            Message: self._message,
            Again: self._again,
            Fold: self._fold,
        }

    def compiled(self, node: Node) -> Compiled:
        """Compile a node.

        Raises:
            ProgramFault: cel-go would refuse to make a program of it.
        """
        return self._by_kind[type(node)](node)

    def _tested(self, node: Tested) -> Compiled:
        assert node.target is not None
        place, touched = self._place(), self._touched
        self._touched = set()
        run = self.compiled(node.target).run
        outer = tuple(sorted(each for each in self._touched if each < place))
        self._touched |= touched
        self._recalled[id(node.target)] = recalled(place, run)
        target = Compiled(remembered(place, run, outer))
        return self._function(node, [target], [target.run])

    def _again(self, node: Again) -> Compiled:
        return Compiled(self._recalled[id(node.original)])

    # --- names and what is read from them ----------------------------------------------------------------------------
    @staticmethod
    def _literal(node: Literal) -> Compiled:
        return constant(node.value)

    def _ident(self, node: Ident) -> Compiled:
        if node.names_type:
            return self._type_value(node.names_type)
        base = self._scope.get(node.name)
        if base is None:
            return Compiled(path=Path(lambda frame: frame.device, from_device=True))
        if base in self._lazy:
            self._touched.add(self._lazy[base])
        if node.type.kind == TYPE:
            # cel-go takes any variable that holds a type for the name of a type
            return self._type_value(node.name)
        return Compiled(path=self._path(base, node))

    @staticmethod
    def _type_value(name: str) -> Compiled:
        if name not in TYPE_NAMES or name == "kubernetes.DRADevice":
            raise ProgramFault(f"reference to undefined type: {name}")
        return constant(TypeValue(name))

    def _path(self, base: Run, node: Node) -> Path:
        return Path(base, native=self._minor < 37 and _may_be_optional(node.type))

    def _path_of(self, node: Node) -> Path | Choice:
        part = self.compiled(node)
        return self._path(part.run, node) if part.path is None else part.path

    def _select(self, node: Select) -> Compiled:
        if node.names_type:
            return self._type_value(node.names_type)
        path = self._path_of(node.operand)
        path.add(test_qualifier(node.field) if node.test else constant_qualifier(node.field, optional=False))
        return Compiled(path=path)

    def _index(self, node: Call, *, optional: bool) -> Compiled:
        path = self._path_of(node.args[0])
        index = self.compiled(node.args[1])
        if index.constant:
            if not is_qualifier(index.value):
                raise ProgramFault(f"invalid qualifier type: {go_type_name(index.value)}")
            path.add(constant_qualifier(index.value, optional=optional))
        else:
            # an index that is a path costs nothing by itself; another one costs what it costs, and one unit more here
            run = index.run if index.path is None else index.path.resolver()
            path.add(computed_qualifier(run, optional=optional))
        return Compiled(path=path)

    # --- calls -------------------------------------------------------------------------------------------------------
    def _call(self, node: Call) -> Compiled:
        function = node.function
        if function == INDEX:
            return self._index(node, optional=False)
        if function in {OPT_INDEX, OPT_SELECT}:
            return self._index(node, optional=True)
        if function == CONDITIONAL:
            condition, then, otherwise = node.args
            return Compiled(path=Choice(self.compiled(condition).run, self._path_of(then), self._path_of(otherwise)))
        parts = [self.compiled(arg) for arg in ((node.target, *node.args) if node.target is not None else node.args)]
        runs = [part.run for part in parts]
        if function == AND:
            return Compiled(all_true(runs))
        if function == OR:
            return Compiled(any_true(runs))
        if function == EQUALS:
            return Compiled(equal_to(runs[0], runs[1]))
        if function == NOT_EQUALS:
            return Compiled(unequal_to(runs[0], runs[1]))
        if function in {"or", "orValue"}:
            return Compiled(or_else(runs[0], runs[1], unwrap=function == "orValue", strict=self._minor >= 37))
        return self._function(node, parts, runs)

    def _function(self, node: Call, parts: list[Compiled], runs: list[Run]) -> Compiled:
        function = node.function
        overload = node.overloads[0] if len(node.overloads) == 1 else ""
        if overload == "in_list" and parts[1].constant:
            found = membership(runs[0], parts[1].value)
            if found is not None:
                return found
        impl, one_by_one = self._calls.implementation(function, overload, len(parts))
        if function in {"matches", "find", "findAll"} and parts[1].constant and type(parts[1].value) is str:
            impl, one_by_one = self._calls.with_pattern(function, parts[1].value, impl), True
        if function in _FOLDED and len(parts) == 1 and parts[0].constant:
            value = impl(parts[0].value)
            if type(value) is Err:
                raise ProgramFault(value.message)
            return constant(value)
        fixed, price, by_result = cost_of_call(function, overload, self._minor)
        return Compiled(self._calls.runner(impl, runs, fixed, price, by_result=by_result, one_by_one=one_by_one))

    # --- aggregates --------------------------------------------------------------------------------------------------
    def _list(self, node: ListNode) -> Compiled:
        parts = [self.compiled(item) for item in node.items]
        run = list_maker([part.run for part in parts], node.optional)
        if all(part.constant for part in parts):
            return constant(_folded(run))
        return Compiled(run)

    def _map(self, node: MapNode) -> Compiled:
        entries = [(self.compiled(entry.key), self.compiled(entry.value), entry.optional) for entry in node.entries]
        run = map_maker([(key.run, value.run, optional) for key, value, optional in entries])
        if all(key.constant and value.constant for key, value, _ in entries):
            return constant(_folded(run))
        return Compiled(run)

    def _message(self, node: Message) -> Compiled:
        entries: list[tuple[str, Run, bool]] = []
        for entry in node.entries:
            assert isinstance(entry.key, Literal)
            entries.append((str(entry.key.value), self.compiled(entry.value).run, entry.optional))
        return Compiled(message_maker(node.name, entries))

    # --- loops -------------------------------------------------------------------------------------------------------
    def _place(self) -> int:
        self.places += 1
        return self.places - 1

    def _accumulator(self, place: int, start: Run) -> Run:
        read = loops.accumulator(place, start)
        self._lazy[read] = place
        return read

    def _fold(self, node: Fold) -> Compiled:
        over = self.compiled(node.range).run
        outer = self._scope
        if node.macro == "bind":
            place = self._place()
            start = self.compiled(node.init).run
            self._scope = {**outer, node.accumulator: self._accumulator(place, start)}
            self.compiled(node.step)  # never evaluated, but cel-go refuses a variable that holds a type here
            body_run = self.compiled(node.result).run
            self._scope = outer
            return Compiled(loops.bound(place, body_run))
        first, second = self._place(), self._place()
        pairs = bool(node.var2)
        inner = {**outer, node.var: _local(first)}
        if pairs:
            inner[node.var2] = _local(second)

        def body(part: Node) -> tuple[loops.Body, bool]:
            made = self.compiled(part)
            return loops.body_of(made.run, first, second, pairs=pairs), made.constant

        if node.macro:
            self._scope = inner
            bodies = [body(part) for part in node.parts]
            self._scope = outer
            return Compiled(_macro(node.macro, over, bodies, pairs=pairs))
        place = self._place()
        accumulator = self._accumulator(place, self.compiled(node.init).run)
        self._scope = {**inner, node.accumulator: accumulator}
        step, _ = body(node.step)
        self._scope = {**outer, node.accumulator: accumulator}
        result = self.compiled(node.result).run
        self._scope = outer
        return Compiled(loops.fold(over, place, step, result, pairs=pairs))


def _macro(macro: str, over: Run, bodies: list[tuple[loops.Body, bool]], *, pairs: bool) -> Run:
    last, constant = bodies[-1]
    if macro == "all":
        return loops.all_of(over, last, pairs=pairs)
    if macro == "exists":
        return loops.exists(over, last, pairs=pairs)
    if macro == "exists_one":
        return loops.exists_one(over, last, pairs=pairs)
    test = bodies[0][0] if len(bodies) == 2 else None
    return loops.mapped(over, test, last, pairs=pairs, constant_item=constant)


def _may_be_optional(found: Type) -> bool:
    return is_dyn(found) or found.kind == OPAQUE


def _local(place: int) -> Run:
    return lambda frame: frame.locals[place]


def _folded(run: Run) -> Value:
    try:
        value = run(Frame(None, 0, 0))
    except Panic as panic:
        raise ProgramFault(str(panic)) from None
    if type(value) is Err:
        raise ProgramFault(value.message)
    return value
