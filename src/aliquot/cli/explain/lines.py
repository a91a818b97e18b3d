"""Lines for a terminal: as wide as it is, wrapped between words, coloured only where that's wanted."""

import io
import re
import sys
from collections.abc import Iterator, Sequence
from typing import Any

from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from aliquot.advisor.wayout import Change
from aliquot.cli.terminal import coloured, visible, width

FILLING = re.compile(r" +((?:\x1b\[[0-9;]*m)*)\n")
"""Blanks that rich puts at the end of lines to fill them."""


class Words(Text):
    """Foreign text in the colours of our own: control characters in it, newlines too, are visible escapes."""

    def __init__(self, text: str = "", style: str = "", **options: Any) -> None:
        super().__init__(visible(text), style, **options)

    def append(self, text: str | Text, style: Any = None) -> "Words":
        """More of it."""
        super().append(visible(text) if isinstance(text, str) else text, style)
        return self


class Paper(Console):
    """A console into memory. What's printed on it is Words, tables of Words, or strings, which become Words."""

    def print(self, *objects: Any, **styles: Any) -> None:
        """Print one paragraph."""
        super().print(*(visible(one) if isinstance(one, str) else one for one in objects), **styles)


def console() -> Paper:
    """Into memory."""
    painted = coloured(sys.stdout)
    return Paper(
        file=io.StringIO(),
        force_terminal=painted,
        no_color=not painted,
        color_system="standard" if painted else None,
        highlight=False,
        markup=False,
        emoji=False,
        width=width(),
        legacy_windows=False,
    )


def written(out: Console) -> str:
    """What has been printed, without fillings."""
    assert isinstance(out.file, io.StringIO)
    return FILLING.sub(r"\1\n", out.file.getvalue())


def command_lines(command: str) -> list[str]:
    """A command's lines: newlines between quotes belong to an argument, and start no line."""
    lines, quote = [""], ""
    for character in command:
        if character == "\n" and not quote:
            lines.append("")
            continue
        if character in "'\"" and quote in ("", character):
            quote = "" if quote else character
        lines[-1] += character
    return lines


def indented(out: Console, text: str | Text, columns: int, style: str = "") -> None:
    """A paragraph, moved in."""
    body = Words(text, style) if isinstance(text, str) else text
    out.print(Padding(body, (0, 0, 0, columns)))


def unbroken(out: Console, text: str, style: str = "") -> None:
    """One line however long, to be copied or searched for."""
    out.print(Words(text, style), soft_wrap=True)


def shortened(text: str, most: int) -> str:
    """At most so many characters, cut between words."""
    if len(text) <= most:
        return text
    return text[: most - 1].rsplit(" ", 1)[0].rstrip(",;:") + "…"


def shell(command: str) -> Iterator[str]:
    """Its lines, those to be typed after a `$`."""
    going_on = False
    for line in command_lines(command):
        yield line if going_on or line.startswith("#") else f"$ {line}"
        going_on = line.endswith("\\")


def undo_lines(changes: Sequence[Change]) -> Iterator[str]:
    """How the changes are taken back, the last one first."""
    for change in reversed(changes):
        if change.undo and not change.undo.startswith("# nothing"):
            yield change.undo if change.undo.startswith("#") else f"undo: {change.undo}"


def undoing(changes: Sequence[Change]) -> str:
    """The same in a line, without what a person reads in the wide output: where a copy is kept, for instance."""
    found = [line.partition("  # ")[0].partition("; to make it")[0] for line in undo_lines(changes)]
    typed = " && ".join(line.removeprefix("undo: ") for line in found if not line.startswith("#"))
    said = "; ".join(line.removeprefix("# ") for line in found if line.startswith("#"))
    return "  # ".join(part for part in (typed and f"undo: {typed}", said) if part)
