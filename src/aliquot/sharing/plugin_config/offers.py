"""What the device plugin would offer on a host with a configuration, or why it wouldn't start."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from aliquot.devices.findings import name_of
from aliquot.devices.gpu import Gpu
from aliquot.devices.survey import Survey
from aliquot.sharing.mps import device_plugin_mps_limit, mps_share
from aliquot.sharing.plugin_config.groups import GPU, Offered, by_resource, single_devices
from aliquot.sharing.plugin_config.values import MigStrategy, PluginConfig, Replicated
from aliquot.sharing.strategies import Strategy


@dataclass(frozen=True, slots=True)
class Offer:
    """A resource as the node would offer it."""

    resource: str
    devices: int
    """GPUs, or MIG instances."""
    replicas: int = 1
    """Of each."""
    memory_mib: int | None = None
    """Of the smallest device. Under time-slicing all replicas share it; under MPS it's the limit of one client."""
    memory_shared: bool = False
    """Whether all replicas of a device may use all of it."""
    thread_percent: int | None = None
    """Under MPS, the most of the multiprocessors that one client gets."""

    @property
    def units(self) -> int:
        """What pods can ask for."""
        return self.devices * self.replicas


def offers(
    config: PluginConfig, survey: Survey, most: Callable[[str], int] = device_plugin_mps_limit
) -> tuple[tuple[Offer, ...], tuple[str, ...]]:
    """The resources, by name, and what's wrong: with what stops the plugin there are no resources.

    Args:
        config: the configuration.
        survey: the host.
        most: the most MPS clients of a GPU, by its compute capability; without it, what NVIDIA's plugin allows.
    """
    strategy = config.mig_strategy or MigStrategy.NONE
    stops = tuple(_stops(config, survey, strategy, most))
    if stops:
        return (), stops
    plain = by_resource(survey, strategy)
    replicated = config.sharing.resources if config.sharing is not None else ()
    by_name = {each.name: each for each in replicated}
    odd = [f"{each.name} isn't offered here, so none of it is shared" for each in replicated if each.name not in plain]
    if strategy is MigStrategy.NONE:
        odd += [f"{name_of(gpu)}: MIG is on, and it's counted whole" for gpu in survey.gpus if gpu.mig_enabled]
    way = config.sharing.strategy if config.sharing is not None else Strategy.WHOLE
    made = [_offer(name, devices, by_name.get(name), way) for name, devices in plain.items()]
    return tuple(sorted(made, key=lambda each: each.resource)), tuple(odd)


def _offer(name: str, devices: Sequence[Offered], replicated: Replicated | None, way: Strategy) -> Offer:
    memory = [each.memory_mib for each in devices]
    known = [mib for mib in memory if mib is not None]
    least = min(known) if len(known) == len(memory) else None
    if replicated is None:
        return Offer(name, len(memory), memory_mib=least)
    if way is Strategy.MPS:
        share = mps_share(least, replicated.replicas) if least is not None else None
        percent = 100 // replicated.replicas
        mib = share.memory_mib if share is not None else None
        return Offer(replicated.rename or name, len(memory), replicated.replicas, mib, thread_percent=percent)
    return Offer(replicated.rename or name, len(memory), replicated.replicas, least, memory_shared=True)


def _stops(config: PluginConfig, survey: Survey, strategy: MigStrategy, most: Callable[[str], int]) -> Iterator[str]:
    on = [gpu for gpu in survey.gpus if gpu.mig_enabled]
    if strategy is MigStrategy.SINGLE:
        yield from _not_alike(survey, on)
    shares = config.sharing is not None and config.sharing.strategy is Strategy.MPS
    if shares and on and strategy is not MigStrategy.NONE:
        yield f"MPS on MIG instances: {', '.join(map(name_of, on))}; the plugin has it on whole GPUs only"
    for each in config.sharing.resources if shares and config.sharing is not None else ():
        for gpu in survey.gpus:
            limit = most(gpu.compute_capability) if gpu.compute_capability is not None else None
            if each.name == GPU and limit is not None and each.replicas > limit:
                yield f"{name_of(gpu)}: {each.replicas} replicas by MPS, the plugin allows {limit} at most"


def _not_alike(survey: Survey, on: Sequence[Gpu]) -> Iterator[str]:
    whole = [gpu for gpu in survey.gpus if not gpu.mig_enabled]
    if on and whole and any(single_devices(gpu) for gpu in on):
        rest = ", ".join(map(name_of, whole))
        yield f"migStrategy single wants MIG on all GPUs or on none: it's off on {rest}"
    for gpu in on:
        if not single_devices(gpu):
            yield f"{name_of(gpu)}: MIG is on and there's no instance, which migStrategy single doesn't allow"
    profiles = sorted({each.profile for gpu in on for each in single_devices(gpu)})
    if len(profiles) > 1:
        yield f"migStrategy single wants all instances alike: there are {', '.join(profiles)}"
