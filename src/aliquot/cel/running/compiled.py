"""What the compiler makes of a part of an expression."""

from aliquot.cel.running.attributes import Choice, Path
from aliquot.cel.running.frame import Frame, Run
from aliquot.cel.values.value import Value


class ProgramFault(Exception):  # noqa: N818  a problem of the expression, caught by `compile`
    """What can't be compiled; the message is cel-go's."""


class Compiled:
    """A compiled node: a constant, a path that may grow, or just something to run."""

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


def constant(value: Value) -> Compiled:
    """A part that is known without a device."""
    return Compiled(constant=True, value=value)
