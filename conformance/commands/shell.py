"""A command line as a POSIX shell takes it apart: the simple commands in it, each as its words."""

from collections.abc import Iterator
from typing import Final

OPERATORS: Final = ("&&", "||", "|", ";", "\n")
PLAIN_UNSAFE: Final = "`<>&()"
"""Characters that mean something to the shell; no command of a remedy has them outside of quotes."""


class ShellError(Exception):
    """The line isn't one that a shell takes."""


def commands(line: str) -> list[list[str]]:
    """The simple commands of a line (also those in ``$(...)``, before the one that uses them); comments are dropped.

    Raises:
        ShellError: a quote or a substitution has no end, or a character would do something else than meant.
    """
    return list(_Line(line).commands())


class _Line:
    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.nested: list[list[str]] = []

    def commands(self) -> Iterator[list[str]]:
        words: list[str] = []
        ended = False
        while self.at < len(self.text):
            operator = next((one for one in OPERATORS if self.text.startswith(one, self.at)), None)
            if operator is not None:
                if not words and operator != "\n":
                    raise ShellError(f"nothing stands before {operator!r}")
                yield from self._taken(words)
                words, ended = [], operator not in ("\n", ";")
                self.at += len(operator)
            elif self.text.startswith("\\\n", self.at):  # the line goes on
                self.at += 2
            elif self.text[self.at] == "#":
                end = self.text.find("\n", self.at)
                self.at = len(self.text) if end < 0 else end
            elif self.text[self.at].isspace():
                self.at += 1
            elif words and self.text.startswith("> ", self.at):  # its output goes into a file
                self.at += 2
                if not self._word().replace("-", "").replace(".", "").isalnum():
                    raise ShellError("> isn't followed by a plain file name")
            else:
                words.append(self._word())
                ended = False
        if ended:
            raise ShellError("nothing stands after the last operator")
        yield from self._taken(words)

    def _taken(self, words: list[str]) -> Iterator[list[str]]:
        yield from self.nested
        self.nested = []
        if words:
            yield words

    def _word(self) -> str:
        found = ""
        while self.at < len(self.text):
            char = self.text[self.at]
            if char.isspace() or char in "|;" or self.text.startswith("&&", self.at):
                break
            if char == "'":
                found += self._until("'")
            elif char == '"':
                found += self._double()
            elif char == "$":
                found += self._dollar()
            elif self.text.startswith("\\\n", self.at):
                self.at += 2
            elif char == "\\":
                found += self.text[self.at + 1 : self.at + 2]
                self.at += 2
            elif char in PLAIN_UNSAFE:
                raise ShellError(f"{char!r} stands outside of quotes")
            else:
                found += char
                self.at += 1
        return found

    def _until(self, quote: str) -> str:
        end = self.text.find(quote, self.at + 1)
        if end < 0:
            raise ShellError("a quote isn't closed")
        found = self.text[self.at + 1 : end]
        self.at = end + 1
        return found

    def _double(self) -> str:
        found = ""
        self.at += 1
        while self.at < len(self.text):
            char = self.text[self.at]
            if char == '"':
                self.at += 1
                return found
            if char == "$":
                found += self._dollar()
            elif char == "\\" and self.text[self.at + 1 : self.at + 2] in ('"', "\\", "$", "`"):
                found += self.text[self.at + 1]
                self.at += 2
            else:
                found += char
                self.at += 1
        raise ShellError("a double quote isn't closed")

    def _dollar(self) -> str:
        """``$(...)``: what is in it is read as commands too; any other ``$`` outside of single quotes is a mistake."""
        if not self.text.startswith("$(", self.at):
            raise ShellError("a $ stands outside of single quotes")
        inside = self.at + 2
        depth, here = 1, inside
        while depth:
            if here >= len(self.text):
                raise ShellError("$( isn't closed")
            char = self.text[here]
            if char == "'":
                here = self.text.find("'", here + 1)
                if here < 0:
                    raise ShellError("a quote isn't closed")
            depth += (char == "(") - (char == ")")
            here += 1
        self.nested += commands(self.text[inside : here - 1])
        self.at = here
        return "$(...)"
