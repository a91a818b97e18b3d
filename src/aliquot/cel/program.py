"""Compiling an expression and evaluating it."""

from functools import lru_cache
from typing import Final

from aliquot.cel import celtypes as t
from aliquot.cel.calls import PatternFault
from aliquot.cel.checker import Checker
from aliquot.cel.devices import DeviceLike, PreparedDevice, clean, prepare
from aliquot.cel.dynamics import type_name
from aliquot.cel.environment import Environment
from aliquot.cel.estimate import Estimator
from aliquot.cel.frames import Frame
from aliquot.cel.hints import hint_for
from aliquot.cel.lambdas import Fast, translate
from aliquot.cel.nodes import Node
from aliquot.cel.parser import MAX_SIZE, Parser, SyntaxFault
from aliquot.cel.paths import Run
from aliquot.cel.planner import PlanFault, Planner
from aliquot.cel.problems import CompileError, EvaluationError, Problem
from aliquot.cel.reads import Read, reads
from aliquot.cel.recursion import DEEP, deep_stack
from aliquot.cel.schema import Schema, schema_of
from aliquot.cel.tokens import NO_TOKENS, Tokens, tokenize
from aliquot.cel.validators import declared_name, validate
from aliquot.cel.values import NONE, Err, Optional, Panic, TooCostly, Value

_USES_BEFORE_TRANSLATION: Final = 8
"""Evaluations before the fast path is made: it costs as much as a few dozen evaluations."""

_CANCELLED: Final = "operation cancelled: actual cost limit exceeded"


class Program:
    """A compiled expression: immutable, usable from many threads."""

    __slots__ = ("_fast", "_is_deep", "_lists", "_places", "_root", "_run", "_uses", "environment", "expression")

    def __init__(
        self, expression: str, environment: Environment, root: Node, run: Run, places: int, *, is_deep: bool
    ) -> None:
        self.expression = expression
        self.environment = environment
        self._root = root
        self._run = run
        self._places = places
        self._is_deep = is_deep
        self._lists = environment.list_attributes or environment.minor >= 37
        self._fast: Fast | None = None
        self._uses = 0

    @property
    def output_type(self) -> str:
        """The type of its result, as CEL prints it: `bool`, or `google.protobuf.Any` or `dyn` for an attribute."""
        return declared_name(self._root.type)

    @property
    def reads(self) -> frozenset[Read] | None:
        """The attributes and capacities that it can look at, besides driver and allowMultipleAllocations; None: any."""
        return reads(self._root)

    @property
    def max_cost(self) -> int:
        """The static estimate that the API server compares with 1,000,000; the scheduler doesn't look at it."""
        with deep_stack():
            return Estimator(self.environment.minor).cost(self._root).high

    def actual_cost(self, device: PreparedDevice | DeviceLike) -> int | None:
        """The run-time cost of evaluating on the device; None where its attributes can't be converted."""
        return self.trace(device)[1]

    def evaluate(self, device: PreparedDevice | DeviceLike) -> bool | EvaluationError:
        """Whether the device matches. Prepare a device that is asked often."""
        prepared = device if type(device) is PreparedDevice else prepare(device)
        fast = self._fast
        if fast is None:
            fast = self._maybe_translated()
        if fast is not None and (prepared.is_plain or (self._lists and prepared.is_plain_with_lists)):
            try:
                answer = fast(prepared.driver, prepared.attributes, prepared.capacity, prepared.allow_multiple)
            except Exception:  # noqa: BLE001  whatever it is: the closures know the exact answer
                return self.trace(prepared)[0]
            if answer is True or answer is False:
                return answer
        return self.trace(prepared)[0]

    def _maybe_translated(self) -> Fast | None:
        """The fast path, made once the program has proved to be used often. Doing it twice does no harm."""
        self._uses += 1
        if self._uses == _USES_BEFORE_TRANSLATION and not self._is_deep:
            self._fast = translate(self._root, self.environment.cost_limit)
        return self._fast

    def trace(self, device: PreparedDevice | DeviceLike) -> tuple[bool | EvaluationError, int | None]:
        """As `evaluate`, with the run-time cost; None where the device's attributes can't be converted."""
        prepared = device if isinstance(device, PreparedDevice) else prepare(device)
        failure = self._refusal(prepared)
        if failure is not None:
            return EvaluationError(failure), None
        frame = Frame(prepared.root, self._places, self.environment.cost_limit)
        try:
            if self._is_deep:
                with deep_stack():
                    value = self._run(frame)
            else:
                value = self._run(frame)
        except TooCostly as stop:
            return EvaluationError(_CANCELLED), stop.cost or frame.limit + 1
        except Panic as panic:
            return EvaluationError(f"internal error: {panic}"), frame.cost
        if frame.cost > frame.limit:
            return EvaluationError(_CANCELLED), frame.limit + 1
        return _verdict(value), frame.cost

    def _refusal(self, device: PreparedDevice) -> str | None:
        """Why the device can't be looked at."""
        return device.failure if self._lists else device.failure or device.list_failure


def _verdict(value: Value) -> bool | EvaluationError:
    if value is True or value is False:
        return value
    if type(value) is Err:
        return EvaluationError(value.message)
    why = _no_bool(value)
    if why is True or why is False:
        return why
    return EvaluationError(f"CEL result of type {type_name(value)} could not be converted to bool: {why}")


_UNCONVERTED: Final = {
    "string": "unsupported native conversion from string to 'bool'",
    "int": "unsupported type conversion from 'int' to bool",
    "uint": "unsupported type conversion from 'uint' to bool",
    "double": "type conversion error from Double to 'bool'",
    "bytes": "type conversion error from Bytes to 'bool'",
    "list": "type conversion error from list to 'bool'",
    "map": "type conversion error from map to 'bool'",
    "null_type": "type conversion error from 'null_type' to 'bool'",
    "type": "type conversion not supported for 'type'",
    "google.protobuf.Timestamp": "type conversion error from 'Timestamp' to 'bool'",
    "google.protobuf.Duration": "type conversion error from 'Duration' to 'bool'",
    "kubernetes.Quantity": "type conversion error from 'Quantity' to 'bool'",
    "kubernetes.Semver": "type conversion error from 'Semver' to 'bool'",
    "kubernetes.URL": "type conversion error from 'URL' to 'bool'",
    "kubernetes.NamedFormat": "type conversion error from 'Format' to 'bool'",
    "net.IP": "type conversion error from 'IP' to 'bool'",
    "net.CIDR": "type conversion error from 'CIDR' to 'bool'",
}


def _no_bool(value: Value) -> bool | str:
    """Why a result is no bool, or the bool inside an optional."""
    if type(value) is Optional:
        return "optional.none() dereference" if value is NONE else _no_bool(value.value)
    return value if type(value) is bool else _UNCONVERTED[type_name(value)]


def compile(expression: str, environment: Environment) -> Program | CompileError:  # noqa: A001  re.compile's name, too
    """Compile an expression, or say everything that is wrong with it. Remembers the latest 4,096 answers."""
    return _compiled(expression, environment)


@lru_cache(maxsize=4096)
def _compiled(expression: str, environment: Environment) -> Program | CompileError:
    source = clean(expression)
    tokens = tokenize(source) if len(source) <= MAX_SIZE else NO_TOKENS
    if len(tokens.kinds) > DEEP:
        with deep_stack():
            return _built(source, environment, tokens)
    return _built(source, environment, tokens)


def _built(source: str, environment: Environment, tokens: Tokens) -> Program | CompileError:
    schema = schema_of(environment)
    parsed = _parsed(source, schema, tokens)
    if isinstance(parsed, CompileError):
        return parsed
    checker = Checker(schema)
    result = checker.check(parsed)
    faults = checker.faults or validate(parsed)
    if faults:
        return _error(source, schema, faults)
    if not _is_result(result, schema):
        message = f"must evaluate to bool or the unknown type, not {declared_name(result)}"
        return CompileError(source, (Problem(message, 0, 0, hint_for(message, schema)),), stage="")
    planner = Planner(schema, environment.minor)
    try:
        run = planner.plan(parsed).run
    except (PlanFault, PatternFault) as fault:
        return CompileError(source, (Problem(str(fault), 0, 0),), stage="program instantiation failed")
    return Program(source, environment, parsed, run, planner.places, is_deep=len(tokens.kinds) > DEEP)


def _parsed(source: str, schema: Schema, tokens: Tokens) -> Node | CompileError:
    if len(source) > MAX_SIZE:
        message = f"expression code point size exceeds limit: size: {len(source)}, limit {MAX_SIZE}"
        return CompileError(source, (Problem(message, 0, 0),))
    if tokens.bad >= 0:
        message = f"Syntax error: token recognition error at: {source[tokens.bad : tokens.bad + 20]!r}"
        return _error(source, schema, [(tokens.bad, message)])
    parser = Parser(tokens, escaped_names=schema.escaped_names)
    try:
        node = parser.parse()
    except SyntaxFault as fault:
        return _error(source, schema, [*parser.faults, (fault.at, fault.message)])
    return _error(source, schema, parser.faults) if parser.faults else node


def _is_result(result: t.Type, schema: Schema) -> bool:
    if result.kind == t.BOOL:
        return True
    if schema.exact_result:
        return result.kind == schema.attribute.kind
    return result.kind == t.ANY or (result.kind == t.DYN and schema.attribute.kind == t.DYN)


def _error(source: str, schema: Schema, faults: list[tuple[int, str]]) -> CompileError:
    """The faults with their places, in the order of the text, each once."""
    problems: list[Problem] = []
    for at, message in sorted(dict.fromkeys(faults), key=lambda fault: fault[0]):
        line = source.count("\n", 0, at) + 1 if at >= 0 else 0
        column = at - source.rfind("\n", 0, at) if at >= 0 else 0
        problems.append(Problem(message, line, column, hint_for(message, schema)))
    return CompileError(source, tuple(problems[:100]))
