"""What is wrong with the input, and where."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Problem:
    """Something in the input that couldn't be read, or was read differently than it was meant."""

    file: str
    """As the user named it; `-` for standard input."""
    message: str
    path: str = ""
    """Inside the document: `items[3].spec.containers[0].resources.limits.nvidia.com/gpu`."""
    document: int | None = None
    """Of a file with several, from 1."""
    line: int | None = None
    """In the file, from 1, where it's known."""
    hint: str = ""
    note: bool = False
    """Nothing is wrong: a person should know it all the same."""
    lost: str = ""
    """The kind of an object that isn't among those read for this: what names it can't be called wrong."""

    def __str__(self) -> str:
        """One line: where, what, and what to do."""
        hint = f" ({self.hint})" if self.hint else ""
        return f"{self.place}{self.message}{hint}"

    @property
    def place(self) -> str:
        """Where, before what: `pods.yaml, document 2, line 7: metadata.name: `."""
        where = self.file or "the input"
        if self.document is not None:
            where += f", document {self.document}"
        if self.line is not None:
            where += f", line {self.line}"
        path = f"{self.path}: " if self.path else ""
        return f"{where}: {path}"
