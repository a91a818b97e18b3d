"""Reading an object of one kind: quickly when it has the right shape, and with all its faults when it hasn't."""

import json
from collections.abc import Callable
from decimal import Decimal
from typing import Any, Generic, TypeVar

import msgspec

from aliquot.kube.memo import Memo
from aliquot.kube.shape import Fault, Faulty, faults, join

W = TypeVar("W", bound=msgspec.Struct)
N_co = TypeVar("N_co", covariant=True)

_encoder = msgspec.json.Encoder(decimal_format="number")


class Kind(Generic[N_co]):
    """A kind: its API group and versions, the shape of its JSON, and how the noun is built from it."""

    __slots__ = ("_build", "_decoder", "_shape", "group", "name", "versions")

    def __init__(
        self, group: str, versions: tuple[str, ...], name: str, shape: type[W], build: Callable[[W, Memo], N_co]
    ) -> None:
        self.group = group
        self.versions = versions
        self.name = name
        self._shape = shape
        self._build: Callable[[Any, Memo], N_co] = build
        self._decoder: msgspec.json.Decoder[Any] = msgspec.json.Decoder(shape)

    def read(self, raw: bytes | msgspec.Raw, memo: Memo) -> tuple[N_co | None, tuple[Fault, ...]]:
        """The object of this JSON, and its faults.

        Returns:
            The noun and no fault; the noun and the faults of fields that no decision reads; or None and all faults.
        """
        try:
            return self._build(self._decoder.decode(raw), memo), ()
        except (ValueError, RecursionError) as error:
            return self._slowly(bytes(raw), memo, error)

    def _slowly(self, raw: bytes, memo: Memo, error: Exception) -> tuple[N_co | None, tuple[Fault, ...]]:
        if isinstance(error, RecursionError):
            return None, (Fault("", "nested too deeply"),)
        text = raw.decode("utf-8", errors="replace")
        try:
            plain: Any = json.loads(text, parse_float=Decimal, parse_int=_integer)
        except ValueError:
            return None, (Fault("", str(error)),)
        told = list(faults(plain, self._shape))
        if "�" in text and not _is_utf8(raw):
            told += [Fault(path, "text that isn't UTF-8") for path in _garbled(plain, "")]
        try:
            noun = self._build(self._decoder.decode(_encoder.encode(plain)), memo)
        except Faulty as wrong:
            return None, tuple(told or wrong.faults)
        except (ValueError, RecursionError, OverflowError):
            return None, tuple(told or [Fault("", str(error))])
        return noun, tuple(told)


def _integer(text: str) -> int | Decimal:
    """An integer, or a Decimal where Python refuses that many digits."""
    return int(text) if len(text) < 4000 else Decimal(text)


def _is_utf8(raw: bytes) -> bool:
    try:
        raw.decode()
    except UnicodeDecodeError:
        return False
    return True


def _garbled(value: Any, path: str) -> list[str]:
    """The paths of all strings that hold a replacement character."""
    if isinstance(value, str):
        return [path] if "�" in value else []
    if isinstance(value, dict):
        return [
            where
            for key, item in value.items()
            for where in ([join(path, key)] if "�" in key else _garbled(item, join(path, key)))
        ]
    if isinstance(value, list):
        return [where for index, item in enumerate(value) for where in _garbled(item, f"{path}[{index}]")]
    return []
