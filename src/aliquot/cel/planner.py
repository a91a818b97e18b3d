"""From a checked tree to closures: constants are folded, calls are bound to their overloads, costs are charged.

What cel-go refuses while it plans a program (a bad conversion of a constant, a bad pattern, an impossible index) is
refused here, as a `PlanFault`.
"""

from collections.abc import Callable  # noqa: TC003  mypy and readers want it here
from typing import Final

from aliquot.cel import loops
from aliquot.cel.access import is_qualifier
from aliquot.cel.calls import CallPlanner
from aliquot.cel.celtypes import TYPE
from aliquot.cel.dynamics import go_type_name
from aliquot.cel.frames import UNSET, Frame
from aliquot.cel.nodes import (
    AND,
    CONDITIONAL,
    EQUALS,
    INDEX,
    NOT_EQUALS,
    OPT_INDEX,
    OPT_SELECT,
    OR,
    Call,
    Fold,
    Ident,
    ListNode,
    Literal,
    MapNode,
    Node,
    Select,
)
from aliquot.cel.operators import equal
from aliquot.cel.paths import Choice, Path, Run, computed_step, constant_step, test_step
from aliquot.cel.schema import TYPE_NAMES, Schema
from aliquot.cel.spending import LIST_COST, MAP_COST, equality, price_of, smaller
from aliquot.cel.strings import display
from aliquot.cel.values import (
    INT_MAX,
    INT_MIN,
    NO_SUCH_OVERLOAD,
    NONE,
    UINT_MAX,
    Err,
    MapValue,
    Optional,
    Panic,
    TypeValue,
    Uint,
    Value,
    key_of,
)


class PlanFault(Exception):  # noqa: N818  a problem of the expression, caught by `compile`
    """What can't be planned; the message is cel-go's."""


class Plan:
    """A planned node: a constant, a path that may grow, or just something to run."""

    __slots__ = ("_run", "constant", "path", "value")

    def __init__(
        self,
        run: Run | None = None,
        *,
        path: Path | Choice | None = None,
        constant: bool = False,
        value: Value = None,
    ) -> None:
        self._run = run
        self.path = path
        self.constant = constant
        self.value = value

    @property
    def run(self) -> Run:
        """The function that evaluates it."""
        if self._run is None:
            self._run = _always(self.value) if self.path is None else self.path.runner()
        return self._run


def _always(value: Value) -> Run:
    def run(_: Frame) -> Value:
        return value

    return run


def _constant(value: Value) -> Plan:
    return Plan(constant=True, value=value)


_FOLDED: Final = frozenset({
    "bool", "bytes", "double", "duration", "dyn", "int", "string", "timestamp", "type", "uint",
})  # fmt: skip
"""Functions that cel-go computes while planning, if their argument is constant."""


class Planner:
    """Plans one checked expression. `places` tells how many local variables a frame must hold."""

    __slots__ = ("_by_kind", "_calls", "_minor", "_scope", "places")

    def __init__(self, schema: Schema, minor: int) -> None:
        self._minor = minor
        self._calls = CallPlanner(schema.functions, minor)
        self._scope: dict[str, Run] = {}
        self.places = 0
        self._by_kind: dict[type[Node], Callable[..., Plan]] = {
            Literal: self._literal,
            Ident: self._ident,
            Select: self._select,
            Call: self._call,
            ListNode: self._list,
            MapNode: self._map,
            Fold: self._fold,
        }

    def plan(self, node: Node) -> Plan:
        """Plan a node.

        Raises:
            PlanFault: cel-go would refuse to make a program of it.
        """
        return self._by_kind[type(node)](node)

    # --- names and what is read from them ----------------------------------------------------------------------------
    @staticmethod
    def _literal(node: Literal) -> Plan:
        return _constant(node.value)

    def _ident(self, node: Ident) -> Plan:
        if node.names_type:
            return self._type_value(node.names_type)
        base = self._scope.get(node.name)
        if base is None:
            return Plan(path=Path(lambda frame: frame.device, from_device=True))
        if node.type.kind == TYPE:
            # cel-go takes any variable that holds a type for the name of a type
            return self._type_value(node.name)
        return Plan(path=Path(base))

    @staticmethod
    def _type_value(name: str) -> Plan:
        if name not in TYPE_NAMES or name == "kubernetes.DRADevice":
            raise PlanFault(f"reference to undefined type: {name}")
        return _constant(TypeValue(name))

    @staticmethod
    def _path_of(plan: Plan) -> Path | Choice:
        return Path(plan.run) if plan.path is None else plan.path

    def _select(self, node: Select) -> Plan:
        if node.names_type:
            return self._type_value(node.names_type)
        path = self._path_of(self.plan(node.operand))
        path.add(test_step(node.field) if node.test else constant_step(node.field, optional=False))
        return Plan(path=path)

    def _index(self, node: Call, *, optional: bool) -> Plan:
        path = self._path_of(self.plan(node.args[0]))
        index = self.plan(node.args[1])
        if index.constant:
            if not is_qualifier(index.value):
                raise PlanFault(f"invalid qualifier type: {go_type_name(index.value)}")
            path.add(constant_step(index.value, optional=optional))
        else:
            # an index that is a path costs nothing by itself; another one costs what it costs, and one unit more here
            run = index.run if index.path is None else index.path.resolver()
            path.add(computed_step(run, optional=optional))
        return Plan(path=path)

    # --- calls -------------------------------------------------------------------------------------------------------
    def _call(self, node: Call) -> Plan:
        function = node.function
        if function == INDEX:
            return self._index(node, optional=False)
        if function in {OPT_INDEX, OPT_SELECT}:
            return self._index(node, optional=True)
        plans = [self.plan(arg) for arg in ((node.target, *node.args) if node.target is not None else node.args)]
        if function == CONDITIONAL:
            return self._conditional(plans)
        runs = [plan.run for plan in plans]
        if function == AND:
            return Plan(_all_true(runs))
        if function == OR:
            return Plan(_any_true(runs))
        if function == EQUALS:
            return Plan(_equal(runs[0], runs[1]))
        if function == NOT_EQUALS:
            return Plan(_unequal(runs[0], runs[1]))
        if function in {"or", "orValue"}:
            return Plan(_or_else(runs[0], runs[1], unwrap=function == "orValue", strict=self._minor >= 37))
        return self._function(node, plans, runs)

    def _function(self, node: Call, plans: list[Plan], runs: list[Run]) -> Plan:
        function = node.function
        overload = node.overloads[0] if len(node.overloads) == 1 else ""
        if overload == "in_list" and plans[1].constant:
            found = _membership(runs[0], plans[1].value)
            if found is not None:
                return found
        impl, one_by_one = self._calls.implementation(function, overload, len(plans))
        if function in {"matches", "find", "findAll"} and plans[1].constant and type(plans[1].value) is str:
            impl, one_by_one = self._calls.with_pattern(function, plans[1].value, impl), True
        if function in _FOLDED and len(plans) == 1 and plans[0].constant:
            value = impl(plans[0].value)
            if type(value) is Err:
                raise PlanFault(value.message)
            return _constant(value)
        fixed, price, by_result = price_of(function, overload, self._minor)
        return Plan(self._calls.runner(impl, runs, fixed, price, by_result=by_result, one_by_one=one_by_one))

    def _conditional(self, plans: list[Plan]) -> Plan:
        return Plan(path=Choice(plans[0].run, self._path_of(plans[1]), self._path_of(plans[2])))

    # --- aggregates --------------------------------------------------------------------------------------------------
    def _list(self, node: ListNode) -> Plan:
        plans = [self.plan(item) for item in node.items]
        run = _list_maker([plan.run for plan in plans], node.optional)
        if all(plan.constant for plan in plans):
            return _constant(_folded(run))
        return Plan(run)

    def _map(self, node: MapNode) -> Plan:
        plans = [(self.plan(entry.key), self.plan(entry.value), entry.optional) for entry in node.entries]
        run = _map_maker([(key.run, value.run, optional) for key, value, optional in plans])
        if all(key.constant and value.constant for key, value, _ in plans):
            return _constant(_folded(run))
        return Plan(run)

    # --- loops -------------------------------------------------------------------------------------------------------
    def _place(self) -> int:
        self.places += 1
        return self.places - 1

    def _fold(self, node: Fold) -> Plan:
        over = self.plan(node.range).run
        outer = self._scope
        if node.macro == "bind":
            place = self._place()
            start = self.plan(node.init).run
            self._scope = {**outer, node.accumulator: _accumulator(place, start)}
            plan = Plan(loops.bound(place, self.plan(node.result).run))
            self._scope = outer
            return plan
        first, second = self._place(), self._place()
        pairs = bool(node.var2)
        inner = {**outer, node.var: _local(first)}
        if pairs:
            inner[node.var2] = _local(second)

        def body(part: Node) -> tuple[loops.Body, bool]:
            plan = self.plan(part)
            return loops.body_of(plan.run, first, second, pairs=pairs), plan.constant

        if node.macro:
            self._scope = inner
            bodies = [body(part) for part in node.parts]
            self._scope = outer
            return Plan(_macro(node.macro, over, bodies, pairs=pairs))
        place = self._place()
        accumulator = _accumulator(place, self.plan(node.init).run)
        self._scope = {**inner, node.accumulator: accumulator}
        step, _ = body(node.step)
        self._scope = {**outer, node.accumulator: accumulator}
        result = self.plan(node.result).run
        self._scope = outer
        return Plan(loops.fold(over, place, step, result, pairs=pairs))


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


def _local(place: int) -> Run:
    return lambda frame: frame.locals[place]


def _accumulator(place: int, start: Run) -> Run:
    def read(frame: Frame) -> Value:
        value = frame.locals[place]
        if value is UNSET:
            value = frame.locals[place] = loops.started(start(frame))
        return value

    return read


def _folded(run: Run) -> Value:
    try:
        value = run(Frame(None, 0, 0))
    except Panic as panic:
        raise PlanFault(str(panic)) from None
    if type(value) is Err:
        raise PlanFault(value.message)
    return value


def _all_true(terms: list[Run]) -> Run:
    def run(frame: Frame) -> Value:
        failed: Err | None = None
        for term in terms:
            value = term(frame)
            if value is False:
                return False
            if value is not True and failed is None:
                failed = value if type(value) is Err else NO_SUCH_OVERLOAD
        return True if failed is None else failed

    return run


def _any_true(terms: list[Run]) -> Run:
    def run(frame: Frame) -> Value:
        failed: Err | None = None
        for term in terms:
            value = term(frame)
            if value is True:
                return True
            if value is not False and failed is None:
                failed = value if type(value) is Err else NO_SUCH_OVERLOAD
        return False if failed is None else failed

    return run


def _equal(left: Run, right: Run) -> Run:
    def run(frame: Frame) -> Value:
        a, b = left(frame), right(frame)
        frame.cost += equality(a, b)
        return a if type(a) is Err else b if type(b) is Err else equal(a, b)

    return run


def _unequal(left: Run, right: Run) -> Run:
    """`!=` takes a refused comparison for a difference."""

    def run(frame: Frame) -> Value:
        a, b = left(frame), right(frame)
        frame.cost += smaller(a, b)
        return a if type(a) is Err else b if type(b) is Err else equal(a, b) is not True

    return run


def _or_else(left: Run, right: Run, *, unwrap: bool, strict: bool) -> Run:
    """`a.or(b)` and `a.orValue(b)`; before 1.37, what isn't an optional passes through."""

    def run(frame: Frame) -> Value:
        value = left(frame)
        if type(value) is not Optional:
            return NO_SUCH_OVERLOAD if strict and type(value) is not Err else value
        if value is NONE:
            return right(frame)
        return value.value if unwrap else value

    return run


_PRIMITIVE: Final = frozenset({bool, int, Uint, float, str})


def _membership(wanted: Run, items: Value) -> Plan | None:
    """`x in [constants]` by hashing, for lists of plain values; free of cost, as in cel-go."""
    if not items:
        return _constant(value=False)
    if any(type(item) not in _PRIMITIVE for item in items):
        return None
    known = {key for item in items for key in _equal_keys(item)}

    def run(frame: Frame) -> Value:
        value = wanted(frame)
        return value if type(value) is Err else key_of(value) in known

    return Plan(run)


def _equal_keys(item: Value) -> list[Value]:
    """The keys under which a value is found that equals a constant: numbers also as other types of numbers."""
    keys = [key_of(item)]
    kind: type[object] = item.__class__
    if kind is float and item == item and item not in {float("inf"), float("-inf")} and item == int(item):  # noqa: PLR0124
        if INT_MIN < item < float(INT_MAX):
            keys.append(int(item))
        if 0 <= item < float(UINT_MAX):
            keys.append(Uint(int(item)))
    elif kind is int:
        keys.append(key_of(float(item)))
        if item >= 0:
            keys.append(Uint(item))
    elif kind is Uint:
        keys.append(key_of(float(item.value)))
        if item.value <= INT_MAX:
            keys.append(item.value)
    return keys


def _list_maker(items: list[Run], optional: frozenset[int]) -> Run:
    def run(frame: Frame) -> Value:
        made = build(frame)
        frame.cost += LIST_COST  # not where an item panics
        return made

    def build(frame: Frame) -> Value:
        values: list[Value] = []
        for index, item in enumerate(items):
            value = item(frame)
            if type(value) is Err:
                return value
            if index in optional:
                if type(value) is not Optional:
                    return Err(f"cannot initialize optional list element from non-optional value {display(value)}")
                if value is NONE:
                    continue
                value = value.value
            values.append(value)
        return values

    return run


def _map_maker(entries: list[tuple[Run, Run, bool]]) -> Run:
    def run(frame: Frame) -> Value:
        made = build(frame)
        frame.cost += MAP_COST  # not where a key panics
        return made

    def build(frame: Frame) -> Value:
        made: dict[Value, tuple[Value, Value]] = {}
        for key_run, value_run, optional in entries:
            key = key_run(frame)
            if type(key) is Err:
                return key
            value = value_run(frame)
            if type(value) is Err:
                return value
            if optional:
                if type(value) is not Optional:
                    return Err(
                        f"cannot initialize optional entry '{display(key)}' from non-optional value {display(value)}"
                    )
                if value is NONE:
                    made.pop(key_of(key), None)
                    continue
                value = value.value
            made[key_of(key)] = (key, value)
        return MapValue(made)

    return run
