"""GPU models as people name them: by any spelling, a part of a name, a family; and what was meant by a wrong one.

A name is a key of the catalogue (`H100-SXM-80GB`), a product as the driver spells it, a value of the node label
`nvidia.com/gpu.product`, a PCI id, or a family: the models that MIG cuts alike (`H100-80GB`: SXM and PCIe).
"""

import re
from collections.abc import Iterator
from typing import Final

from aliquot.devices.catalogue import GpuModel, all_models, find, folded
from aliquot.devices.mig import Geometry, all_geometries

LABEL: Final = "nvidia.com/gpu.product="
_SIZE: Final = re.compile(r"(?<![0-9])([0-9]+)\s*g(?:i?b)?(?![a-z0-9])")
_SOCKET: Final = re.compile(r"sxm[0-9]")
_WORD: Final = re.compile(r"[a-z0-9]+")
_MOST: Final = 4
"""More names than this are no hint."""


def family_of(name: str) -> Geometry | None:
    """The family of its name, or of an NVIDIA PCI id that only MIG's tables know."""
    wanted = folded(name).removeprefix("10de:").removeprefix("0x")
    found = (each for each in all_geometries() if folded(each.key) == wanted or wanted in each.pci_device_ids)
    return next(found, None)


def models_named(name: str) -> tuple[GpuModel, ...]:
    """The models that a name may mean: one, several where it says too little, none where it's unknown.

    Of a family all models, in the table's order; of a part of a name, such as `H100 PCIe`, all that have its words.
    """
    product = name.strip().removeprefix(LABEL)
    exact = find(product)
    if exact is not None:
        return (exact,)
    family = family_of(product)
    if family is not None:
        return tuple(each for each in all_models() if each.mig == family.key)
    words = _words(product)
    if not any(each.isdigit() for each in product):
        return ()
    return tuple(each for each in all_models() if words <= _words(each.key, *each.products))


def families_named(name: str) -> tuple[Geometry, ...]:
    """The families that a name may mean, by their own name or by those of their models."""
    family = family_of(name)
    if family is not None:
        return (family,)
    product = name.strip().removeprefix(LABEL)
    keys, exact = {each.mig for each in models_named(name)}, find(product) is not None
    words = _words(product) if not exact and any(each.isdigit() for each in product) else {product}
    return tuple(each for each in all_geometries() if each.key in keys or words <= _words(each.key))


def nearest_names(name: str) -> tuple[str, ...]:
    """The keys of models and families that a wrong name is nearest to, all that tie; none where nothing is near.

    Of those that tie only the ones that begin so, if any does.
    """
    wanted = folded(name.strip().removeprefix(LABEL))
    far: dict[str, int] = {}
    for key, spelling in _spellings():
        far[key] = min(far.get(key, len(wanted)), _distance(wanted, folded(spelling)))
    least = min(far.values())
    ties = tuple(key for key, distance in far.items() if distance == least)
    found = tuple(key for key in ties if folded(key).startswith(wanted)) or ties
    return found if least <= max(1, len(wanted) // 3) and len(found) <= _MOST else ()


def model_named(name: str) -> GpuModel | None:
    """The one NVIDIA model of a name, of a family its first; None where there's none or more than one."""
    found = models_named(name)
    return found[0] if len(found) == 1 or (found and family_of(name.strip().removeprefix(LABEL)) is not None) else None


def known_models() -> tuple[str, ...]:
    """The keys of NVIDIA's models."""
    return tuple(each.key for each in all_models() if each.vendor == "nvidia")


def _spellings() -> Iterator[tuple[str, str]]:
    for model in all_models():
        yield from ((model.key, spelling) for spelling in (model.key, *model.products))
        series = model.key.partition("-")[0]  # H100, which says too little, is nearer to H10 than any model of it
        if any(each.isdigit() for each in series):
            yield series, series
    yield from ((each.key, each.key) for each in all_geometries())


def _words(*names: str) -> set[str]:
    """The words of names, a size and its unit as one, sockets without their number."""
    text = " ".join(names).lower()
    return {_SOCKET.sub("sxm", word) for word in _WORD.findall(_SIZE.sub(r"\1gb", text))} - {"nvidia"}


def _distance(one: str, other: str) -> int:
    """How many letters must be changed, added, left out or swapped with their neighbour."""
    before: list[int] = []
    row = list(range(len(other) + 1))
    for here, letter in enumerate(one, 1):
        older, before, row = before, row, [here]
        for there, wanted in enumerate(other, 1):
            cost = min(before[there] + 1, row[-1] + 1, before[there - 1] + (letter != wanted))
            if here > 1 and there > 1 and (letter, one[here - 2]) == (other[there - 2], wanted):
                cost = min(cost, older[there - 2] + 1)
            row.append(cost)
    return row[-1]
