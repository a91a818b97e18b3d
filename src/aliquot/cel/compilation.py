"""From an expression's text to a program, or to everything that is wrong with it."""

from functools import lru_cache

from aliquot.cel import static_types as t
from aliquot.cel.checking.checker import Checker
from aliquot.cel.checking.hints import hint_for
from aliquot.cel.checking.schema import Schema, schema_of
from aliquot.cel.checking.type_display import declared_name
from aliquot.cel.checking.validators import validate
from aliquot.cel.devices import clean
from aliquot.cel.environment import Environment
from aliquot.cel.problems import CompileError, Problem
from aliquot.cel.program import Program
from aliquot.cel.running.compiled import ProgramFault
from aliquot.cel.running.compiler import Compiler
from aliquot.cel.running.deep_stack import DEEP, deep_stack
from aliquot.cel.running.dispatch import PatternFault
from aliquot.cel.syntax.cursor import SyntaxFault
from aliquot.cel.syntax.nodes import Node
from aliquot.cel.syntax.parser import MAX_SIZE, Parser
from aliquot.cel.syntax.tokens import NO_TOKENS, Tokens, tokenize


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
    compiler = Compiler(schema, environment.minor)
    try:
        run = compiler.compiled(parsed).run
    except (ProgramFault, PatternFault) as fault:
        return CompileError(source, (Problem(str(fault), 0, 0),), stage="program instantiation failed")
    return Program(source, environment, root=parsed, run=run, places=compiler.places, is_deep=len(tokens.kinds) > DEEP)


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
        return schema.exact_result or not result.nullable
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
