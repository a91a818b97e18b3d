"""The standard library's functions of strings, and `size`."""

from aliquot.cel.functions.regexes import RegexError, compile_regex
from aliquot.cel.operators.arithmetic import int_of
from aliquot.cel.values.value import NO_SUCH_OVERLOAD, Err, Value


def contains(text: Value, part: Value) -> Value:
    """Whether a part occurs."""
    return part in text if type(text) is str and type(part) is str else NO_SUCH_OVERLOAD


def starts_with(text: Value, part: Value) -> Value:
    """Whether it begins so."""
    return text.startswith(part) if type(text) is str and type(part) is str else NO_SUCH_OVERLOAD


def ends_with(text: Value, part: Value) -> Value:
    """Whether it ends so."""
    return text.endswith(part) if type(text) is str and type(part) is str else NO_SUCH_OVERLOAD


def matches(text: Value, pattern: Value) -> Value:
    """Whether a regular expression occurs."""
    if type(text) is not str:
        return Err("no such overload: matches")
    if type(pattern) is not str:
        return NO_SUCH_OVERLOAD
    try:
        return bool(compile_regex(pattern).search(text))
    except RegexError as error:
        return Err(str(error))


def size(value: Value) -> Value:
    """The number of characters, bytes, elements or entries."""
    if type(value) is bool or not hasattr(value, "__len__"):
        return Err("no such overload: size")
    return int_of(len(value))
