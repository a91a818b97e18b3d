"""Help texts: paragraphs as wide as the terminal, examples as they are typed."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions

_WITHIN = re.compile(r"(?<=\S)\n(?=\S)")
"""The end of a line in a paragraph; indented lines stay as they are."""
_WITHIN_CELL = re.compile(r"\s*\n\s*")


def epilogue(*examples: str, status: str = "", more: str = "") -> str:
    """What stands under a command's options: its examples, each a line to be copied; its exit statuses, a line each."""
    told = ["Examples:\n" + "\n".join(f"  {line}" for example in examples for line in example.splitlines())]
    if status:
        told.append("Exit status:\n" + "\n".join(f"  {line}" for line in status.splitlines()))
    return "\n\n".join([*told, *([more] if more else [])]) + "\n"


@dataclass(frozen=True, slots=True)
class Reflowing:
    """Prints the panels as Cyclopts does, with paragraphs that fill the lines of this terminal."""

    def __call__(self, console: Console, options: ConsoleOptions, panel: Any) -> None:
        """A panel: commands, arguments or options."""
        from cyclopts.help import DefaultFormatter

        for entry in panel.entries:
            _reflow(entry.description, _WITHIN_CELL)
        DefaultFormatter()(console, options, panel)

    def render_usage(self, console: Console, options: ConsoleOptions, usage: Any) -> None:
        """The usage line."""
        from cyclopts.help import DefaultFormatter

        DefaultFormatter().render_usage(console, options, usage)

    def render_description(self, console: Console, options: ConsoleOptions, description: Any) -> None:
        """What the command does."""
        del options
        _reflow(description, _WITHIN)
        if description:
            console.print(description)


def _reflow(description: Any, ends: re.Pattern[str]) -> None:
    from rich.text import Text

    text = getattr(description, "primary_renderable", None)
    if isinstance(text, Text):
        text.plain = ends.sub(" ", text.plain)
