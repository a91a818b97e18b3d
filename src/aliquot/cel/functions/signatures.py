"""Signatures of overloads, written as text."""

import re
from collections.abc import Callable
from typing import Final

from aliquot.cel import static_types as t
from aliquot.cel.static_types import Type

_WORDS: Final = re.compile(r"[a-zA-Z]+|[(),.]")
_NAMED: Final = {
    "dyn": t.DYN_T,
    "bool": t.BOOL_T,
    "int": t.INT_T,
    "uint": t.UINT_T,
    "double": t.DOUBLE_T,
    "string": t.STRING_T,
    "bytes": t.BYTES_T,
    "timestamp": t.TIMESTAMP_T,
    "duration": t.DURATION_T,
    "quantity": t.QUANTITY_T,
    "semver": t.SEMVER_T,
    "url": t.URL_T,
    "format": t.FORMAT_T,
    "ip": t.IP_T,
    "cidr": t.CIDR_T,
}
_CONTAINERS: Final[dict[str, Callable[..., Type]]] = {
    "list": t.list_of,
    "map": t.map_of,
    "optional": t.optional_of,
    "type": t.type_of,
}


def _read(words: list[str]) -> Type:
    word = words.pop(0)
    if word in _CONTAINERS:
        params: list[Type] = []
        while words.pop(0) != ")":  # an opening parenthesis, then commas
            params.append(_read(words))
        return _CONTAINERS[word](*params)
    if len(word) == 1:
        return Type(t.PARAM, word)
    return _NAMED.get(word) or Type(t.STRUCT, f"kubernetes.authorization.{word}")


def read_signature(text: str) -> tuple[bool, tuple[Type, ...], Type]:
    """Read `string.(int, int) string` (a member) or `(string) bool` into member, arguments and result."""
    words = _WORDS.findall(text)
    args: list[Type] = []
    member = words[0] != "("
    if member:
        args.append(_read(words))
        words.pop(0)
    words.pop(0)
    while words[0] != ")":
        args.append(_read(words))
        if words[0] == ",":
            words.pop(0)
    words.pop(0)
    return member, tuple(args), _read(words)
