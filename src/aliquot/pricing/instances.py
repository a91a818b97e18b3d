"""Instance types and their on-demand list prices, by name or by the GPUs they carry.

Prices are of the whole instance, CPU and RAM included. Each row says when it was read: show that beside the price.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import lru_cache
from importlib import resources

import msgspec


@dataclass(frozen=True, slots=True, kw_only=True)
class Instance:
    """An instance type in one region."""

    provider: str
    """`aws`, `azure` or `gcp`; any word for a user's own."""
    region: str
    instance_type: str
    """As the node label `node.kubernetes.io/instance-type` writes it."""
    gpu_model: str
    """A key of the GPU catalogue where the model is in it."""
    gpu_count: float | None
    """Below 1 for a part of a GPU; None where it isn't known."""
    vcpu: int | None = None
    memory_mib: int | None = None
    usd_per_hour: float | None = None
    """The whole instance, on demand, Linux; None where there's no list price."""
    reported_gpu_mib: int | None = None
    """GPU memory as the provider's interface claims it, which differs from the driver's."""
    as_of: str = ""
    """The day of the price, as YYYY-MM-DD."""
    certainty: str = "listed"
    """`listed`, `no-list-price` or `gpu-count-unknown`."""
    source: str = ""
    """A key of the table's sources."""

    @property
    def usd_per_gpu_hour(self) -> float | None:
        """The price of the instance divided by its GPUs, if both are known."""
        if self.usd_per_hour is None or not self.gpu_count:
            return None
        return self.usd_per_hour / self.gpu_count


@dataclass(frozen=True, slots=True, kw_only=True)
class PriceTable:
    """Instances to look up; where two have the same name and region, the first counts."""

    as_of: str
    """The youngest day among the prices."""
    currency: str
    instances: tuple[Instance, ...]
    sources: dict[str, str] = field(default_factory=dict[str, str])

    def named(self, instance_type: str, region: str | None = None) -> Instance | None:
        """The instance type of a name: in that region if it's listed there, else anywhere."""
        same = [each for each in self.instances if each.instance_type == instance_type]
        here = [each for each in same if each.region == region]
        return next(iter(here or same), None)

    def carrying(self, gpu_model: str, gpu_count: float, provider: str | None = None) -> tuple[Instance, ...]:
        """The priced instances with at least so many GPUs of the model, cheapest first.

        A need of one GPU or more is met by whole GPUs; a need below one also by a part that is large enough.
        """
        found = {
            (each.instance_type, each.region): (each.usd_per_hour, each)
            for each in reversed(self.instances)
            if each.gpu_model == gpu_model
            and each.gpu_count is not None
            and each.gpu_count >= gpu_count
            and each.usd_per_hour is not None
            and provider in {None, each.provider}
        }
        order = sorted(found.values(), key=lambda pair: (pair[0], pair[1].gpu_count, pair[1].instance_type))
        return tuple(each for _, each in order)

    def cheapest(self, gpu_model: str, gpu_count: float = 1, provider: str | None = None) -> Instance | None:
        """The cheapest of `carrying`, or None."""
        return next(iter(self.carrying(gpu_model, gpu_count, provider)), None)

    def overridden(self, own: Iterable[Instance]) -> "PriceTable":
        """A table in which a user's own instances come first."""
        first = tuple(own)
        names = {(each.instance_type, each.region) for each in first}
        kept = tuple(each for each in self.instances if (each.instance_type, each.region) not in names)
        days = (self.as_of, *(each.as_of for each in first))
        return PriceTable(as_of=max(days), currency=self.currency, instances=(*first, *kept), sources=self.sources)


@lru_cache(maxsize=1)
def default_prices() -> PriceTable:
    """The shipped table: AWS us-east-1, Azure eastus, GCP us-central1, in US dollars."""
    text = resources.files("aliquot.pricing").joinpath("data/instances.json").read_bytes()
    return msgspec.json.decode(text, type=PriceTable)
