"""Room for deep expressions: the grammar allows 250 levels, which take more frames than Python has by default."""

import sys
from collections.abc import Generator
from contextlib import contextmanager
from threading import Lock
from typing import Final

DEEP: Final = 120
"""Tokens beyond which an expression may be nested so deeply that it needs the room."""

FRAMES: Final = 20_000
"""The recursion limit while a deep expression is handled: 250 levels of a dozen frames, several times over.

Python functions that call Python functions don't use the C stack (from 3.11 on), so this is no danger to it.
"""

_lock: Final = Lock()
_state: Final = {"users": 0, "limit": 0}


@contextmanager
def deep_stack() -> Generator[None]:
    """Raise the interpreter's recursion limit until the last user is done; safe from many threads."""
    with _lock:
        if _state["users"] == 0:
            _state["limit"] = sys.getrecursionlimit()
            sys.setrecursionlimit(max(_state["limit"], FRAMES))
        _state["users"] += 1
    try:
        yield
    finally:
        with _lock:
            _state["users"] -= 1
            if _state["users"] == 0:
                sys.setrecursionlimit(_state["limit"])
