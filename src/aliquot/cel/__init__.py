"""The Common Expression Language, exactly as Kubernetes runs it to select devices.

`compile(expression, environment)` gives a `Program`, or a `CompileError` that lists every problem with its place and
a hint. `Program.evaluate(device)` gives True, False, or an `EvaluationError` in the scheduler's own words. No error
of CEL is ever a Python exception.

It is not a general CEL: of protocol buffers there are only the well-known types, and the only variable is `device`. It
knows DRA's devices only through the small protocol in `devices`. May import `units`, the standard library and
google-re2; nothing else.

An expression passes through the rooms in this order: `syntax` (text to tree), `checking` (what is wrong with the tree,
and the type of each part), `running` (tree to closures, and to one lambda where that is safe); `compilation` leads it
through, `program` evaluates. They stand on `functions` (by library: standard, cel-go's extensions, Kubernetes'),
`operators` and `values`; `cost` says what an expression may cost and what a run charges.
"""

from aliquot.cel.compilation import compile  # noqa: A004  re.compile's name, too
from aliquot.cel.devices import AttributeLike, DeviceLike, PreparedDevice, prepare
from aliquot.cel.environment import Environment, Mode, environment
from aliquot.cel.problems import CompileError, EvaluationError, Problem
from aliquot.cel.program import Program

__all__ = [
    "AttributeLike",
    "CompileError",
    "DeviceLike",
    "Environment",
    "EvaluationError",
    "Mode",
    "PreparedDevice",
    "Problem",
    "Program",
    "compile",
    "environment",
    "prepare",
]
