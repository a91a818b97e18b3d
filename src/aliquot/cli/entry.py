"""The process: arguments in, exit status out. Imports the commands only when one is asked for."""

import atexit
import contextlib
import os
import signal
import sys
from typing import IO, TYPE_CHECKING, cast

from aliquot import __version__

if TYPE_CHECKING:
    from rich.console import Console

FAULT = 1
"""Of our own, with a traceback."""
USAGE_ERROR = 2
INTERRUPTED = 128 + signal.SIGINT
HELP_COLUMNS = 100


def main() -> None:
    """Run `aliquot`, or `kubectl aliquot` where kubectl found `kubectl-aliquot` on the PATH."""
    arguments = sys.argv[1:]
    if arguments in (["--version"], ["-V"]):
        print(f"aliquot {__version__}")
        return
    status = FAULT
    atexit.register(lambda: _leave(status))  # registered first, so that it runs last
    try:
        _prepare_streams()
        status = run(arguments)
        sys.stdout.flush()
    except KeyboardInterrupt:
        status = INTERRUPTED
    except SystemExit as ended:  # cyclopts, of Ctrl-C in a command
        status = ended.code if isinstance(ended.code, int) else FAULT
    except BrokenPipeError:  # the reader (head, less) has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        status = 0
    except OSError as error:  # a full disk behind stdout, say
        _say(f"error: can't write the answer: {error.strerror or error}")
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        status = USAGE_ERROR
    sys.exit(status)


def _leave(status: int) -> None:
    """Gone at once: taking the values of a large dump apart, one by one, is an eighth of what explaining it takes."""
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError):
            stream.flush()
    os._exit(status)


def _prepare_streams() -> None:
    """Closed ones become empty ones; what their encoding lacks is written as escapes, never a traceback."""
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        if getattr(sys, name) is None:
            descriptor = os.open(os.devnull, os.O_RDWR)
            if descriptor != number:
                os.dup2(descriptor, number)
            setattr(sys, name, os.fdopen(number, "r" if name == "stdin" else "w"))
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    from aliquot.cli.terminal import screened

    sys.stdout, sys.stderr = screened(sys.stdout), screened(sys.stderr)


def _say(text: str) -> None:
    with contextlib.suppress(OSError):
        print(text, file=sys.stderr)


def _console() -> "Console":
    """For help texts: our own words, in colours on a terminal that wants them."""
    from rich.console import Console

    from aliquot.cli.terminal import OwnText, coloured, width

    painted = coloured(sys.stdout)
    stream = cast("IO[str]", OwnText())
    return Console(file=stream, force_terminal=painted, no_color=not painted, width=min(width(), HELP_COLUMNS))


def run(arguments: list[str]) -> int:
    """Run one command line; returns the exit status."""
    from cyclopts import CycloptsError

    from aliquot.cli.app import app
    from aliquot.cli.terminal import fresh

    try:
        with fresh():
            status = app(
                arguments or ["--help"],
                console=_console() if not arguments or {"-h", "--help"} & set(arguments) else None,
                exit_on_error=False,
                print_error=False,
                help_on_error=False,
                result_action="return_value",
            )
    except CycloptsError as error:
        from aliquot.cli.output import fail

        fail(" ".join(str(error).split()), "`aliquot --help`, or `aliquot COMMAND --help` with examples")
        return USAGE_ERROR
    return status if isinstance(status, int) else 0
