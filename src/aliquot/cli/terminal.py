"""What may reach a terminal, in which colours, how wide, and through which pager.

Names and messages of a cluster are foreign text: control characters in them could move the cursor or forge lines, and
characters that turn the direction of writing could make a command read as another one. `visible` is the one place that
makes such characters harmless, and visible.
"""

import contextlib
import io
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
from collections.abc import Generator
from contextvars import ContextVar
from typing import IO, Literal

Colour = Literal["auto", "always", "never"]

WIDTH = 120
"""Columns of what isn't a terminal."""
NARROWEST = 40

_FORMATS = (
    "\x7f-\x9f\xad\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u180e\u200b-\u200f\u2028-\u202e\u2060-\u2064"
    "\u2066-\u206f\ufeff\ufff9-\ufffb\U000110bd\U000110cd\U00013430-\U0001343f\U0001bca0-\U0001bca3"
    "\U0001d173-\U0001d17a\U000e0001\U000e0020-\U000e007f"
)
"""Unicode's control and format characters (Cc, Cf) and separators of lines (Zl, Zp), beside those of ASCII."""
_FOREIGN = re.compile(f"[\x00-\x1f{_FORMATS}]")
_FOREIGN_IN_LINES = re.compile(f"[\x00-\x08\x0b-\x1f{_FORMATS}]")
_FORMAT = re.compile(f"[{_FORMATS}]")
_SHORT = {"\n": "\\n", "\t": "\\t", "\r": "\\r"}


def visible(text: str, *, lines: bool = False) -> str:
    """The text with visible escapes in place of control and format characters: of ESC, x1b after a backslash.

    Args:
        text: anything.
        lines: it's several lines of our own, so that newlines and tabs stay.
    """
    return (_FOREIGN_IN_LINES if lines else _FOREIGN).sub(lambda found: _escape(found[0]), text)


def _escape(character: str) -> str:
    code = ord(character)
    if character in _SHORT:
        return _SHORT[character]
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def escaped_json(encoded: bytes) -> bytes:
    """JSON that says the same without format characters: a terminal shows what is there."""
    if encoded.isascii():
        return encoded
    return _FORMAT.sub(lambda found: _json_escape(found[0]), encoded.decode()).encode()


def _json_escape(character: str) -> str:
    units = character.encode("utf-16-be")
    return "".join(f"\\u{units[at]:02x}{units[at + 1]:02x}" for at in range(0, len(units), 2))


def has_formats(text: str) -> bool:
    """Whether a text holds characters that YAML must write as escapes."""
    return _FORMAT.search(text) is not None


# --- colours ---------------------------------------------------------------------------------------------------------

_colour: ContextVar[Colour] = ContextVar("colour", default="auto")
_paged: ContextVar[bool] = ContextVar("paged", default=False)


def use(colour: Colour, *, paged: bool = False) -> None:
    """From now on (see `fresh`) these colours; and what `page` prints on a terminal goes through the pager, or not."""
    _colour.set(colour)
    _paged.set(paged)


@contextlib.contextmanager
def fresh() -> Generator[None, None, None]:
    """One command: what it says of colours and pager ends with it."""
    before = _colour.set("auto"), _paged.set(False)
    try:
        yield
    finally:
        _colour.reset(before[0])
        _paged.reset(before[1])


def coloured(stream: object) -> bool:
    """Whether a stream gets colours: as --color says, else NO_COLOR and CLICOLOR_FORCE, else only a terminal does."""
    if (wanted := _colour.get()) != "auto":
        return wanted == "always"
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("CLICOLOR_FORCE", "0") not in ("", "0"):
        return True
    return is_terminal(stream) and os.environ.get("TERM") != "dumb"


def is_terminal(stream: object) -> bool:
    """Whether a person looks at it."""
    return bool(getattr(stream, "isatty", lambda: False)())


def width() -> int:
    """COLUMNS, else the terminal's, else 120."""
    asked = os.environ.get("COLUMNS", "")
    known = asked.isdecimal() and int(asked) > 0
    if not known and not is_terminal(sys.stdout):
        return WIDTH
    return max(shutil.get_terminal_size((WIDTH, 24)).columns, NARROWEST)


# --- writing ---------------------------------------------------------------------------------------------------------


class Screened(io.TextIOWrapper):
    """A terminal: whatever is printed, foreign characters come out as escapes. `emit` is for colours of our own."""

    def write(self, text: str, /) -> int:
        """Write lines of text."""
        return super().write(visible(text, lines=True))

    def emit(self, text: str) -> int:
        """Write text that has been made harmless."""
        return super().write(text)


def screened(stream: IO[str]) -> IO[str]:
    """The stream; if it's a terminal, one that lets nothing foreign through."""
    if not isinstance(stream, io.TextIOWrapper) or not stream.isatty():
        return stream
    encoding, buffered = stream.encoding, stream.line_buffering
    return Screened(stream.detach(), encoding=encoding, errors="backslashreplace", line_buffering=buffered)


class OwnText:
    """A stream for text that is all our own, such as help texts: its colours reach stdout as they are."""

    @property
    def encoding(self) -> str:
        """Of stdout."""
        return sys.stdout.encoding

    def isatty(self) -> bool:
        """As stdout."""
        return is_terminal(sys.stdout)

    def write(self, text: str) -> int:
        """To stdout."""
        emit(text, sys.stdout)
        return len(text)

    def flush(self) -> None:
        """Stdout."""
        sys.stdout.flush()


def emit(text: str, stream: IO[str]) -> None:
    """Write what has been made harmless, with its colours."""
    (stream.emit if isinstance(stream, Screened) else stream.write)(text)


def page(text: str) -> None:
    """An answer for people (harmless by now) to stdout: on a terminal through the pager, where that's wanted."""
    if _paged.get() and is_terminal(sys.stdout) and os.environ.get("TERM") != "dumb" and _through_pager(text):
        return
    emit(text, sys.stdout)


def _through_pager(text: str) -> bool:
    """Whether there's a pager, which then has shown it."""
    chosen = next((found for name in ("ALIQUOT_PAGER", "PAGER") if (found := os.environ.get(name)) is not None), None)
    try:
        command = shlex.split(chosen) if chosen is not None else ["less", "-FRX"]
    except ValueError:  # a quote without its other half
        return False
    if not command or command == ["cat"]:
        return False
    sys.stdout.flush()
    try:
        pager = subprocess.Popen(command, stdin=subprocess.PIPE, env={"LESS": "FRX", **os.environ})  # noqa: S603 - the user's own choice
    except OSError:
        return False
    with pager, _uninterrupted():
        pager.communicate(text.encode(errors="backslashreplace"))
    return True


@contextlib.contextmanager
def _uninterrupted() -> Generator[None, None, None]:
    """Ctrl-C is the pager's while it shows."""
    try:
        before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    except ValueError:  # not the main thread: it isn't ours to take
        yield
        return
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
