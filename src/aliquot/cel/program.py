"""Compiling an expression and evaluating it."""

from aliquot.cel.devices import DeviceLike, PreparedDevice
from aliquot.cel.environment import Environment
from aliquot.cel.problems import CompileError, EvaluationError


class Program:
    """A compiled expression: immutable, usable from many threads."""

    __slots__ = ("environment", "expression")

    expression: str
    environment: Environment

    @property
    def output_type(self) -> str:
        """The type of its result, as CEL prints it: `bool`, or `google.protobuf.Any` or `dyn` for an attribute."""
        raise NotImplementedError

    @property
    def max_cost(self) -> int:
        """The static estimate that the API server compares with 1,000,000; the scheduler doesn't look at it."""
        raise NotImplementedError

    def evaluate(self, device: PreparedDevice | DeviceLike) -> bool | EvaluationError:
        """Whether the device matches. Prepare a device that is asked often."""
        raise NotImplementedError

    def actual_cost(self, device: PreparedDevice | DeviceLike) -> int | None:
        """The run-time cost of evaluating on the device; None where its attributes can't be converted."""
        raise NotImplementedError


def compile(expression: str, environment: Environment) -> Program | CompileError:  # noqa: A001  re.compile's name, too
    """Compile an expression, or say everything that is wrong with it. Remembers the latest 4,096 answers."""
    raise NotImplementedError
