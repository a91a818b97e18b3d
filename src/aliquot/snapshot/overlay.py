"""A mapping with a few changes on top of a large one that stays shared."""

from collections.abc import ItemsView, Iterator, Mapping, ValuesView
from types import MappingProxyType
from typing import Final, TypeVar

K = TypeVar("K")
V = TypeVar("V")

FLATTEN_AT: Final = 256
"""Changes from which a quarter of the base's size is allowed no more and one flat mapping is made again."""


class Overlay(Mapping[K, V]):
    """Read-only: `base` without `gone`, with `changes` in place of or beside it; changing makes a new one.

    A change copies the changes, never the base. Order: the base's, then new keys in the order they came.
    """

    __slots__ = ("_base", "_changes", "_gone")

    def __init__(
        self, base: Mapping[K, V], changes: dict[K, V] | None = None, gone: frozenset[K] = frozenset()
    ) -> None:
        self._base = base
        self._changes: dict[K, V] = changes or {}
        self._gone = gone

    def __getitem__(self, key: K) -> V:
        if key in self._changes:
            return self._changes[key]
        if key in self._gone:
            raise KeyError(key)
        return self._base[key]

    def __contains__(self, key: object) -> bool:
        return key in self._changes or (key in self._base and key not in self._gone)

    def __iter__(self) -> Iterator[K]:
        if not self._changes and not self._gone:
            return iter(self._base)
        return self._walk()

    def _walk(self) -> Iterator[K]:
        base, changes, gone = self._base, self._changes, self._gone
        for key in base:
            if key not in gone or key in changes:
                yield key
        for key in changes:
            if key not in base:
                yield key

    def __len__(self) -> int:
        gone = sum(1 for key in self._gone if key not in self._changes)
        new = sum(1 for key in self._changes if key not in self._base)
        return len(self._base) - gone + new

    def items(self) -> ItemsView[K, V]:
        """Key and value pairs; as fast as the base's while nothing has changed."""
        return super().items() if self._changes or self._gone else self._base.items()

    def values(self) -> ValuesView[V]:
        """The values, likewise."""
        return super().values() if self._changes or self._gone else self._base.values()

    def __repr__(self) -> str:
        return f"Overlay({dict(self)!r})"

    @property
    def base(self) -> Mapping[K, V]:
        """What the changes are on top of."""
        return self._base

    @property
    def changes(self) -> Mapping[K, V]:
        """What was put since the base."""
        return MappingProxyType(self._changes)

    @property
    def gone(self) -> frozenset[K]:
        """What was taken away from the base (some of it may have been put again)."""
        return self._gone

    def put(self, key: K, value: V) -> "Overlay[K, V]":
        """The mapping with this key at this value."""
        return self._made({**self._changes, key: value}, self._gone)

    def altered(self, changes: Mapping[K, V | None]) -> "Overlay[K, V]":
        """The mapping with many keys changed at once; None: without the key."""
        kept = {**self._changes, **{key: value for key, value in changes.items() if value is not None}}
        dropped = [key for key, value in changes.items() if value is None]
        for key in dropped:
            kept.pop(key, None)
        return self._made(kept, self._gone.union(key for key in dropped if key in self._base))

    def drop(self, key: K) -> "Overlay[K, V]":
        """The mapping without this key."""
        changes = {k: v for k, v in self._changes.items() if k != key}
        return self._made(changes, self._gone | {key} if key in self._base else self._gone)

    def _made(self, changes: dict[K, V], gone: frozenset[K]) -> "Overlay[K, V]":
        overlay = Overlay(self._base, changes, gone)
        if len(changes) + len(gone) > max(FLATTEN_AT, len(self._base) // 4):
            return Overlay(dict(overlay))
        return overlay
