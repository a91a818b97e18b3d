"""Whether a claim's configurations are for what it asks for: the requests that they name, and the devices' kind.

The API server refuses a configuration for a request that isn't there. NVIDIA's driver refuses, when it prepares the
claim, one whose kind isn't the device's; one for all requests it passes over where it's of the other kind.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from aliquot.kube.reading.shape import Fault


class Gives(StrEnum):
    """What kind of device a request is for, as NVIDIA's driver publishes its `type`."""

    WHOLE = "gpu"
    MIG = "mig"
    VFIO = "vfio"


NAMED: Final = {"gpu.nvidia.com": Gives.WHOLE, "mig.nvidia.com": Gives.MIG, "vfio.gpu.nvidia.com": Gives.VFIO}
"""The classes that NVIDIA's driver brings."""
KIND_OF: Final = {"GpuConfig": Gives.WHOLE, "MigDeviceConfig": Gives.MIG}
_WORDS: Final = {Gives.WHOLE: "whole GPUs", Gives.MIG: "MIG devices", Gives.VFIO: "GPUs for virtual machines"}
_TYPE: Final = re.compile(r"""device\.attributes\[(["'])gpu\.nvidia\.com\1\]\.type\s*==\s*(["'])(gpu|mig|vfio)\2""")


@dataclass(frozen=True, slots=True)
class Asked:
    """A request, or one alternative of it."""

    name: str
    """`request`, or `request/alternative`."""
    class_name: str
    gives: Gives | None
    """None: not known."""


@dataclass(frozen=True, slots=True)
class Configured:
    """An opaque configuration for NVIDIA's driver in a claim or a template."""

    path: str
    """Of its entry: `spec.devices.config[0]`."""
    kind: str
    requests: tuple[str, ...] = ()


def gives_of(class_name: str, of_class: Sequence[str] | None, own: Iterable[str] = ()) -> Gives | None:
    """The kind of device that a class and selectors let through, where they say it plainly; else None.

    Args:
        class_name: of the class.
        of_class: its CEL expressions; None: the class itself isn't known, only its name.
        own: the request's CEL expressions.
    """
    told = {kind for text in (*(of_class or ()), *own) if (kind := _told(text)) is not None}
    if of_class is None and class_name in NAMED:
        told.add(NAMED[class_name])
    return told.pop() if len(told) == 1 else None


def _told(text: str) -> Gives | None:
    """The type that an expression demands: only of one that has no other way to be true."""
    found = {match[3] for match in _TYPE.finditer(text)}
    if len(found) != 1 or "||" in text or "?" in text or re.search(r"!(?!=)", text):
        return None
    return Gives(found.pop())


def misdirected(asked: Sequence[Asked], configured: Sequence[Configured]) -> Iterator[Fault]:
    """What is wrong with whom a claim's configurations are for."""
    for each in configured:
        for index, name in enumerate(each.requests):
            if not any(_is_for(name, one.name) for one in asked):
                there = list(dict.fromkeys(part for one in asked for part in (one.name.partition("/")[0], one.name)))
                hint = f"its requests: {', '.join(there)}" if there else "it has none"
                yield Fault(f"{each.path}.requests[{index}]", f"the claim has no request {name!r}", hint)
        if each.kind not in KIND_OF:
            continue
        for one in asked:
            if one.gives is not None and any(_is_for(name, one.name) for name in each.requests):
                yield from wrong_kind(
                    each.path, each.kind, f"request {one.name!r}, whose class {one.class_name}", one.gives
                )
        if not each.requests and asked and all(one.gives not in {None, KIND_OF[each.kind]} for one in asked):
            wanted = _WORDS[KIND_OF[each.kind]]
            message = f"{each.kind} for all requests, and none of them asks for {wanted}: it sets nothing up"
            yield Fault(f"{each.path}.opaque.parameters.kind", message, minor=True)


def wrong_kind(path: str, kind: str, whose: str, gives: Gives) -> Iterator[Fault]:
    """That a configuration isn't for the devices of a request or a class.

    Args:
        path: of the entry.
        kind: of the configuration.
        whose: who gives the devices, in words.
        gives: what kind they are.
    """
    if KIND_OF.get(kind, gives) is gives:
        return
    fits = next((name for name, those in KIND_OF.items() if those is gives), None)
    message = f"{kind} for {whose} gives {_WORDS[gives]}: NVIDIA's driver refuses to prepare them so"
    yield Fault(f"{path}.opaque.parameters.kind", message, f"write a {fits}" if fits else "leave it out")


def _is_for(name: str, asked: str) -> bool:
    return name in {asked, asked.partition("/")[0]}
