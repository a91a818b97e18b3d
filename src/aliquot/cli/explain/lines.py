"""Lines for a terminal: as wide as it is, wrapped between words, coloured only where that's wanted."""

import io
import re
import shutil
import sys
from collections.abc import Iterator, Sequence

from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from aliquot.advisor.wayout import Change
from aliquot.cli.output import colour

WIDTH = 120
NARROWEST = 60
FILLING = re.compile(r" +((?:\x1b\[[0-9;]*m)*)\n")
"""Blanks that rich puts at the end of lines to fill them."""
CONTROLS = re.compile(r"\x1b(?!\[[0-9;]*m)|[\x00-\x08\x0b-\x1a\x1c-\x1f\x7f]")
"""What names in a dump must not do to a terminal; colours are our own."""


def width() -> int:
    """Of the terminal, or COLUMNS; 120 columns for a file or pipe."""
    wanted = shutil.get_terminal_size((WIDTH, 24)).columns
    return max(wanted if sys.stdout.isatty() else WIDTH, NARROWEST)


def console() -> Console:
    """Into memory."""
    painted = colour(sys.stdout)
    return Console(
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
    """What has been printed, without fillings and foreign control characters."""
    assert isinstance(out.file, io.StringIO)
    return CONTROLS.sub("?", FILLING.sub(r"\1\n", out.file.getvalue()))


def indented(out: Console, text: str | Text, columns: int, style: str = "") -> None:
    """A paragraph, moved in."""
    body = Text(text, style) if isinstance(text, str) else text
    out.print(Padding(body, (0, 0, 0, columns)))


def unbroken(out: Console, text: str, style: str = "") -> None:
    """One line however long, to be copied or searched for."""
    out.print(Text(text, style), soft_wrap=True)


def shortened(text: str, most: int) -> str:
    """At most so many characters, cut between words."""
    if len(text) <= most:
        return text
    return text[: most - 1].rsplit(" ", 1)[0].rstrip(",;:") + "…"


def shell(command: str) -> Iterator[str]:
    """Its lines, those to be typed after a `$`."""
    going_on = False
    for line in command.splitlines() or [""]:
        yield line if going_on or line.startswith("#") else f"$ {line}"
        going_on = line.endswith("\\")


def undo_lines(changes: Sequence[Change]) -> Iterator[str]:
    """How the changes are taken back, the last one first."""
    for change in reversed(changes):
        if change.undo and not change.undo.startswith("# nothing"):
            yield change.undo if change.undo.startswith("#") else f"undo: {change.undo}"


def undoing(changes: Sequence[Change]) -> str:
    """The same in a line, without what a person reads in the wide output: where a copy is kept, for instance."""
    found = [line.partition("  # ")[0].partition("; to make it")[0].removeprefix("# ") for line in undo_lines(changes)]
    return " && ".join([found[0], *(line.removeprefix("undo: ") for line in found[1:])]) if found else ""
