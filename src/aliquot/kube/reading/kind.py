"""Reading an object of one kind: quickly when it has the right shape, and with all its faults when it hasn't."""

import json
from collections.abc import Callable, Iterable
from decimal import Decimal
from typing import Any, Generic, TypeVar

import msgspec

from aliquot.kube.pod import Container, Pod
from aliquot.kube.reading.memo import Memo
from aliquot.kube.reading.shape import Fault, FaultsError, faults
from aliquot.kube.workload import Workload

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
            wire = self._decoder.decode(raw)
            noun = self._build(wire, memo)
            return noun, _remarks(self.name, wire, noun)
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
            wire = self._decoder.decode(rest)
            noun = self._build(wire, memo)
        except FaultsError as wrong:
            return None, told or wrong.faults
        except (ValueError, RecursionError):
            return None, told or (Fault("", f"can't be read: {error}"),)
        return noun, (*told, *_remarks(self.name, wire, noun))


def _integer(text: str) -> int | Decimal:
    """An integer, or a Decimal where Python refuses that many digits."""
    return int(text) if len(text) < 4000 else Decimal(text)


def _remarks(kind: str, wire: Any, noun: Any) -> tuple[Fault, ...]:
    """What the API server wouldn't take of an object that has the right shape; it's judged without that.

    Args:
        kind: the object's.
        wire: its JSON shape, whose metadata may hold more than the noun's.
        noun: what was made of it.
    """
    if isinstance(noun, Pod):
        return tuple(_amounts(noun, "spec")) if _any(noun) else ()
    if isinstance(noun, Workload):
        inside = "spec.jobTemplate.spec.template.spec" if kind == "CronJob" else "spec.template.spec"
        return tuple(_amounts(noun.template, inside)) if noun.template is not None and _any(noun.template) else ()
    if wire.metadata.namespace and not noun.meta.namespace:
        message = f"a {kind} belongs to no namespace: this one is read without it, as the API server does"
        return (Fault("metadata.namespace", message, "take the line away", minor=True),)
    return ()


def _any(pod: Pod) -> bool:
    for container in pod.containers:
        if container.refused:
            return True
    return any(container.refused for container in pod.init_containers)


def _amounts(pod: Pod, path: str) -> Iterable[Fault]:
    for field, containers in (("initContainers", pod.init_containers), ("containers", pod.containers)):
        for index, container in enumerate(containers):
            yield from _container(container, f"{path}.{field}[{index}]", pod.key)


def _container(container: Container, path: str, owner: str) -> Iterable[Fault]:
    for one in container.refused:
        yield Fault(f"{path}.{one.field}", f"{owner}: {one.message}", one.judged, minor=True)
