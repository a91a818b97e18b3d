"""Kubernetes' `find` and `findAll`."""

from aliquot.cel.functions.regexes import RegexError, compile_regex
from aliquot.cel.values.value import Err, Value


def find(text: str, pattern: str) -> Value:
    """The leftmost match, or nothing."""
    try:
        return compile_regex(pattern).find(text)
    except RegexError as error:
        return Err(f"Illegal regex: {error}")


def find_all(text: str, pattern: str, limit: int = -1) -> Value:
    """All matches, at most `limit` unless it's negative."""
    try:
        return compile_regex(pattern).find_all(text, limit)
    except RegexError as error:
        return Err(f"Illegal regex: {error}")
