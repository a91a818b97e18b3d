"""What can go wrong: a problem in an expression's text, and a failed evaluation; both are values."""

from dataclasses import dataclass, field

Faults = list[tuple[int, str]]
"""What is wrong with an expression while it is looked at: place (in characters, -1 for none) and message."""


@dataclass(frozen=True, slots=True)
class Problem:
    """One fault of an expression, and where it is."""

    message: str
    """What is wrong, in cel-go's words where it has any."""
    line: int
    """Counted from 1; 0 when the fault has no place."""
    column: int
    """In characters, counted from 1; 0 when the fault has no place."""
    hint: str = ""
    """What to write instead; empty when there's nothing to offer."""

    def __str__(self) -> str:
        """The message with its place."""
        return f"{self.line}:{self.column}: {self.message}" if self.line else self.message


@dataclass(frozen=True, slots=True)
class CompileError:
    """Why an expression isn't valid: every problem found, in the order of the text."""

    expression: str
    problems: tuple[Problem, ...]
    stage: str = "compilation failed"
    """What failed, as Kubernetes names it; empty for a wrong result type, whose message stands alone."""

    @property
    def message(self) -> str:
        """The text that kube-scheduler reports: each problem with its line of the expression and a caret."""
        if not self.stage:
            return self.problems[0].message
        if self.stage != "compilation failed":
            return f"{self.stage}: {self.problems[0].message}"
        return f"{self.stage}: " + "\n".join(self._with_caret(problem) for problem in self.problems)

    def __str__(self) -> str:
        """The message."""
        return self.message

    def source_line(self, problem: Problem) -> str:
        """The line of the expression in which the problem is."""
        return self.expression.split("\n")[problem.line - 1] if problem.line else ""

    def _with_caret(self, problem: Problem) -> str:
        if not problem.line:
            return f"ERROR: <input>:-1:0: {problem.message}"
        line = self.source_line(problem)
        before, at = line[: problem.column - 1], line[problem.column - 1 : problem.column]
        # cel-go points with wide signs under characters of more than one byte
        caret = "".join("." if char.isascii() else "．" for char in before) + ("^" if at.isascii() else "＾")
        head = f"ERROR: <input>:{problem.line}:{problem.column}: {problem.message}"
        return f"{head}\n | {line}\n | {caret}"


@dataclass(frozen=True, slots=True)
class EvaluationError:
    """Why a valid expression has no answer for a device. kube-scheduler gives up on the pod when it meets one."""

    message: str
    """Word for word what the scheduler reports, as in `no such key: memory`."""
    cost: int | None = field(default=None, compare=False)
    """The CEL cost spent until then; None where evaluation didn't start."""

    def __str__(self) -> str:
        """The message."""
        return self.message
