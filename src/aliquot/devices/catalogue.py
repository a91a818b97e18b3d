"""GPU models: found by product name, by the GPU feature discovery label, by PCI id or by key."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from types import MappingProxyType

import msgspec


@dataclass(frozen=True, slots=True, kw_only=True)
class GpuModel:
    """One model of GPU. A figure that isn't known is None; `*_certainty` says how sure a known one is."""

    key: str
    """The name in this project's tables, such as `A100-40GB`."""
    vendor: str
    architecture: str
    compute_capability: str | None
    """CUDA's `8.0`; on AMD the gfx target."""
    products: tuple[str, ...]
    """Names as the driver gives them, such as `NVIDIA A100-SXM4-40GB`."""
    pci_ids: tuple[str, ...]
    """`vendor:device`, lower case hexadecimal. A2 and A16 boards share one."""
    memory_mib: int | None
    """What the driver reports, with ECC in its default state."""
    memory_certainty: str
    memory_source: str
    sm_count: int | None
    mps: bool
    """Whether CUDA MPS runs on it."""
    mig: str | None
    """The key of its MIG geometry, or None where it can't be partitioned by MIG."""
    bandwidth_gbps: float | None = None
    """Memory bandwidth in GB/s."""
    bf16_tflops: float | None = None
    """Dense, with tensor cores, 16 bit."""
    fp8_tflops: float | None = None
    fp4_tflops: float | None = None
    tdp_w: float | None = None
    spec_certainty: str = ""
    spec_source: str = ""

    @property
    def mig_capable(self) -> bool:
        """Whether MIG can partition it."""
        return self.mig is not None

    @property
    def label(self) -> str:
        """The value that GPU feature discovery gives the node label `nvidia.com/gpu.product` for the whole GPU."""
        return self.products[0].replace(" ", "-")


@dataclass(frozen=True, slots=True)
class ProductLabel:
    """What a value of `nvidia.com/gpu.product` says."""

    product: str
    """The product with hyphens for spaces, such as `NVIDIA-A100-SXM4-40GB`."""
    mig_profile: str | None = None
    """With the `single` MIG strategy, the one profile of the node, such as `1g.5gb`."""
    shared: bool = False
    """Whether the devices are replicas of shared ones."""

    @property
    def model(self) -> GpuModel | None:
        """The model, or None if it isn't in the catalogue."""
        return by_product(self.product)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Table:
    as_of: str
    sources: dict[str, str]
    gpus: tuple[GpuModel, ...]


@lru_cache(maxsize=1)
def _table() -> _Table:
    text = resources.files("aliquot.devices").joinpath("data/gpus.json").read_bytes()
    return msgspec.json.decode(text, type=_Table)


@lru_cache(maxsize=1)
def _index() -> Mapping[str, GpuModel]:
    index: dict[str, GpuModel] = {}
    for model in _table().gpus:
        names = (model.key, *model.products, *model.pci_ids)
        for name in names:
            index.setdefault(folded(name), model)
    return MappingProxyType(index)


def folded(name: str) -> str:
    """A name without what spellings differ in: case, spaces, dashes, and `NVIDIA` in front."""
    kept = "".join(each for each in name.lower() if each.isalnum() or each == ":")
    return kept.removeprefix("nvidia") or kept


def all_models() -> tuple[GpuModel, ...]:
    """Every model, in the order of the table."""
    return _table().gpus


def as_of() -> str:
    """The day the table was made, as YYYY-MM-DD."""
    return _table().as_of


def by_product(name: str) -> GpuModel | None:
    """The model of a product name or a label, with or without its `NVIDIA` in front and any sharing suffix."""
    return _index().get(folded(parse_label(name).product))


def by_pci_id(pci_id: str) -> GpuModel | None:
    """The model of a PCI id such as `10de:20b0` or `0x20b0` (then NVIDIA's)."""
    folded = pci_id.strip().lower().removeprefix("0x")
    return _index().get(folded if ":" in folded else f"10de:{folded}")


def find(name: str) -> GpuModel | None:
    """The model of a key, product name, label or PCI id."""
    return by_product(name) or by_pci_id(name)


def parse_label(value: str) -> ProductLabel:
    """Take a value of `nvidia.com/gpu.product` apart.

    GPU feature discovery appends `-MIG-<profile>` under the `single` MIG strategy, and `-SHARED` for replicas that
    weren't renamed.
    """
    product = value.removesuffix("-SHARED")
    shared = product != value
    product, _, profile = product.partition("-MIG-")
    return ProductLabel(product, profile or None, shared)
