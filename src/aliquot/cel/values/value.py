"""What a run-time value is.

CEL's int is Python's int, double is float, string is str, bytes is bytes, bool is bool, null is None, a list is a list
or tuple, a map is `MapValue` (or a dict of strings: a device's attributes). The other types are this package's. An
error is a value too: `Err`.
"""

from typing import Any, Final, final

Value = Any
"""A run-time value: one of the types of this module, or a Python type that stands for itself."""


@final
class Err:
    """A failed computation; it travels like a value until `||`, `&&` or a macro absorbs it."""

    __slots__ = ("message",)

    def __init__(self, message: str) -> None:
        self.message = message


NO_SUCH_OVERLOAD: Final = Err("no such overload")
