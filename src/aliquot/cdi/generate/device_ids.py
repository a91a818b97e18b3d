"""How generated devices are named, and how they are asked for: by index (`0`, `0:1`), type and index, or UUID."""

import re
from collections.abc import Iterator, Sequence
from typing import Literal, TypeAlias

from aliquot.cdi.generate.inventory import Gpu, MigDevice
from aliquot.cdi.problems import Problem, SpecError

NameStrategy = Literal["index", "uuid", "type-index"]
Chosen: TypeAlias = tuple[Gpu, MigDevice | None]
"""A whole GPU, or a MIG device with its GPU."""

_INDEX = re.compile(r"[0-9]+")
_MIG_INDEX = re.compile(r"[0-9]+:[0-9]+")
_UUID = re.compile(
    r"(GPU-|MIG-)?[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}|MIG-GPU-[0-9a-fA-F-]{36}/[0-9]+/[0-9]+"
)


def names_of(gpu: Gpu, mig: MigDevice | None, strategies: Sequence[NameStrategy]) -> tuple[str, ...]:
    """The device's names, one a strategy; without a UUID that is known there's no name by it."""
    found: list[str] = []
    for strategy in strategies:
        if strategy == "uuid":
            found.append(gpu.uuid if mig is None else mig.uuid)
        else:
            prefix = "" if strategy == "index" else "gpu" if mig is None else "mig"
            found.append(f"{prefix}{gpu.index}" if mig is None else f"{prefix}{gpu.index}:{mig.index}")
    return tuple(dict.fromkeys(name for name in found if name))


def all_devices(gpus: Sequence[Gpu]) -> tuple[Chosen, ...]:
    """Every GPU without MIG, then every MIG device. A GPU in MIG mode can't be used as a whole."""
    whole: list[Chosen] = [(gpu, None) for gpu in gpus if gpu.mig is None]
    return (*whole, *((gpu, mig) for gpu in gpus for mig in gpu.mig or ()))


def select(gpus: Sequence[Gpu], wanted: Sequence[str]) -> tuple[Chosen, ...]:
    """The devices with these ids: `all`, an index, GPU and MIG index with a colon, or a UUID.

    Raises:
        SpecError: some ids aren't ids, or there's no such device; all of them.
    """
    if "all" in wanted:
        return all_devices(gpus)
    found: list[Chosen] = []
    problems: list[Problem] = []
    for text in wanted:
        match = next(_matching(gpus, text), None)
        if match is not None:
            found.append(match)
        elif any(pattern.fullmatch(text) for pattern in (_INDEX, _MIG_INDEX, _UUID)):
            known = ", ".join(names_of(gpu, mig, ("index", "uuid"))[0] for gpu, mig in all_devices(gpus)) or "none"
            problems.append(Problem("name", f"there's no device {text!r}", "device-id", f"this host has: {known}"))
        else:
            problems.append(
                Problem("name", f"{text!r} is no index and no UUID", "device-id", "give 0, 0:1, GPU-…, MIG-… or all")
            )
    if problems:
        raise SpecError(problems)
    return tuple(dict.fromkeys(found))


def _matching(gpus: Sequence[Gpu], text: str) -> Iterator[Chosen]:
    for gpu in gpus:
        if text == str(gpu.index) or (text == gpu.uuid and text):
            yield gpu, None
        for mig in gpu.mig or ():
            if text == f"{gpu.index}:{mig.index}" or (text == mig.uuid and text):
                yield gpu, mig
