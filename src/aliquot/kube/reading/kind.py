"""Reading an object of one kind: quickly when it has the right shape, and with all its faults when it hasn't."""

import json
from collections.abc import Callable
from decimal import Decimal
from typing import Any, Generic, TypeVar

import msgspec

from aliquot.kube.reading.memo import Memo
from aliquot.kube.reading.shape import Fault, FaultsError, faults

W = TypeVar("W", bound=msgspec.Struct)
N_co = TypeVar("N_co", covariant=True)


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
        try:
            plain: Any = json.loads(
                raw.decode("utf-8", errors="surrogateescape"), parse_float=Decimal, parse_int=_integer
            )
        except (ValueError, RecursionError) as broken:
            return None, (Fault("", f"can't be read: {broken}"),)
        told = tuple(faults(plain, self._shape))
        if not all(fault.minor for fault in told):
            return None, told
        try:
            rest = json.dumps(plain, default=float, ensure_ascii=False).encode(errors="replace")
            noun = self._build(self._decoder.decode(rest), memo)
        except FaultsError as wrong:
            return None, told or wrong.faults
        except (ValueError, RecursionError):
            return None, told or (Fault("", f"can't be read: {error}"),)
        return noun, told


def _integer(text: str) -> int | Decimal:
    """An integer, or a Decimal where Python refuses that many digits."""
    return int(text) if len(text) < 4000 else Decimal(text)
