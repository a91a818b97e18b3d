"""Values already built from the same bytes.

Forty thousand pods come from a few dozen templates: their labels, tolerations, resources and affinity are the same
bytes again and again. Each distinct part is decoded and built once, and the value is shared.
"""

from collections.abc import Callable, Hashable
from typing import Any, TypeVar

import msgspec

T = TypeVar("T")
R = TypeVar("R", bound=Hashable)

_NOTHING = (b"", b"null")


class Memo:
    """Remembers, for each building function, what it made of which bytes.

    Args:
        namespace: of objects that name none, though their kind has one.
    """

    __slots__ = ("_built", "namespace")

    def __init__(self, namespace: str = "default") -> None:
        self.namespace = namespace
        self._built: dict[Any, dict[Any, Any]] = {}

    def of(self, build: Callable[[bytes], T], raw: msgspec.Raw, absent: T) -> T:
        """`build` of these bytes; `absent` where the field isn't given or null."""
        data = bytes(raw)
        if data in _NOTHING:
            return absent
        built = self._built.get(build)
        if built is None:
            built = self._built[build] = {}
        value: T | None = built.get(data)
        if value is None:
            value = built[data] = build(data)
        return value

    def same(self, build: Callable[[R], T], key: R) -> T:
        """`build` of this key, once for equal keys."""
        built = self._built.get(build)
        if built is None:
            built = self._built[build] = {}
        value: T | None = built.get(key)
        if value is None:
            value = built[key] = build(key)
        return value
