"""The Common Expression Language, exactly as Kubernetes runs it to select devices.

`compile(expression, environment)` gives a `Program`, or a `CompileError` that lists every problem with its place and
a hint. `Program.evaluate(device)` gives True, False, or an `EvaluationError` in the scheduler's own words. No error
of CEL is ever a Python exception.

It is not a general CEL: there are no protocol buffers, and the only variable is `device`. It knows DRA's devices only
through the small protocol in `devices`. May import `units`, the standard library and google-re2; nothing else.
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
