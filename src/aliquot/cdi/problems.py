"""What can be wrong, as values: each names the file, the line, the field and, where one is known, the fix."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Literal

Category = Literal[
    "syntax",  # the text isn't YAML or JSON, or isn't a spec by its shape: unknown field, wrong type, no devices
    "version",  # cdiVersion is unknown, or older than the fields that are used
    "kind",  # vendor or class
    "name",  # a device's name, a reference to a device, or an annotation
    "edits",  # what a block of edits says
    "duplicate",  # two devices of one name in a file
    "conflict",  # two files of one folder define the same device
    "unresolvable",  # nobody defines the device, or its file is broken
    "host",  # the host's device node is missing or of another type
    "io",  # a file or folder can't be read or written
]


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong.

    `path` is the field as in `devices[0].containerEdits.env[1]`, "" for the document; `line` counts from 1 and is None
    where the text has no such place.
    """

    category: Category
    message: str
    path: str = ""
    hint: str = ""
    file: str = ""
    line: int | None = None

    def __str__(self) -> str:
        """`file:line: path: message (hint)`, without the parts that aren't known."""
        place = f"{self.file}:{self.line}" if self.line is not None and self.file else self.file
        if self.line is not None and not self.file:
            place = f"line {self.line}"
        text = ": ".join(part for part in (place, self.path, self.message) if part)
        return f"{text} ({self.hint})" if self.hint else text

    def inside(self, file: str) -> "Problem":
        """The same problem, in that file."""
        return replace(self, file=file)


class SpecError(ValueError):
    """Broken input. Holds every problem that was found, at least one, in the order in which the rules are checked."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join(str(problem) for problem in self.problems))

    @property
    def category(self) -> Category:
        """The category of the first problem."""
        return self.problems[0].category
