"""The MIG geometries of known GPUs, from the package's table (data/mig.json, whose rows name their sources)."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources

import msgspec

from aliquot.devices.catalogue import GpuModel
from aliquot.devices.mig.geometry import Geometry


@dataclass(frozen=True, slots=True, kw_only=True)
class _Table:
    as_of: str
    sources: dict[str, str]
    geometries: tuple[Geometry, ...]


@lru_cache(maxsize=1)
def _table() -> _Table:
    text = resources.files("aliquot.devices").joinpath("data/mig.json").read_bytes()
    return msgspec.json.decode(text, type=_Table)


def all_geometries() -> tuple[Geometry, ...]:
    """Every geometry, in the order of the table."""
    return _table().geometries


def sources() -> Mapping[str, str]:
    """Where the rows come from, by the keys that `Profile.source` holds."""
    return _table().sources


@lru_cache(maxsize=64)
def geometry(key: str) -> Geometry | None:
    """The geometry of a key such as `A100-40GB`, or of an NVIDIA PCI device id such as `20b0`."""
    folded = key.lower().removeprefix("0x").removeprefix("10de:")
    return next((g for g in _table().geometries if g.key == key or folded in g.pci_device_ids), None)


def geometry_of(model: GpuModel) -> Geometry | None:
    """The geometry of a model; None if MIG can't partition it."""
    return geometry(model.mig) if model.mig is not None else None
