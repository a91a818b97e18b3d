"""The labels of MIG devices, by the strategy with which the device plugin offers them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from aliquot.devices.gpu import Gpu
from aliquot.devices.instances import Instance
from aliquot.devices.mig import Geometry, Profile
from aliquot.devices.survey import Survey
from aliquot.node.labels.words import NVIDIA, spelled
from aliquot.sharing.plugin_config.values import MigStrategy, PluginConfig, Replicated

GPU = f"{NVIDIA}gpu"
ALONE = "none"
"""The sharing strategy of what isn't shared."""


@dataclass(frozen=True, slots=True)
class MigDevice:
    """An instance that is one device."""

    gpu: Gpu
    instance: Instance
    profile: Profile | None

    @property
    def name(self) -> str:
        """Of its profile: a resource's name has no plus."""
        return self.instance.profile.replace("+", ".")


def mig_labels(survey: Survey, geometries: Mapping[str, Geometry], config: PluginConfig) -> dict[str, str]:
    """Those that the strategy gives; under `single` they take the place of the GPUs' own."""
    strategy = config.mig_strategy or MigStrategy.NONE
    if strategy is MigStrategy.NONE:
        return {}
    devices = [each for gpu in survey.gpus if gpu.mig_enabled for each in _devices(gpu, geometries.get(gpu.uuid))]
    found = {f"{NVIDIA}mig.strategy": strategy.value}
    by_name: dict[str, list[MigDevice]] = {}
    for device in devices:
        by_name.setdefault(device.name, []).append(device)
    if strategy is MigStrategy.MIXED:
        for name, alike in by_name.items():
            found |= _resource(f"{NVIDIA}mig-{name}", alike, config)
        return found
    on = [gpu for gpu in survey.gpus if gpu.mig_enabled]
    if not on:
        return found
    if len(on) < len(survey.gpus) or len(by_name) != 1 or any(not _devices(gpu, None) for gpu in on):
        return found | _invalid(on[0])
    return found | _resource(GPU, devices, config)


def shared(resource: str, config: PluginConfig) -> Replicated | None:
    """How its devices are replicated."""
    resources = config.sharing.resources if config.sharing is not None else ()
    return next((each for each in resources if each.name == resource), None)


def base(resource: str, count: int, config: PluginConfig | None, *names: str) -> dict[str, str]:
    """Product, count and sharing of a resource.

    Args:
        resource: with its domain.
        count: of devices, not of replicas.
        config: None: its devices can't be shared.
        names: that make the product.
    """
    found = shared(resource, config) if config is not None else None
    strategy = config.sharing.strategy.value if found is not None and config is not None and config.sharing else ALONE
    plain = found is None or found.rename is not None
    product = spelled(*names) if plain else spelled(*names, "SHARED")
    replicas = 0 if config is None else 1 if found is None else found.replicas
    return {
        f"{resource}.product": product,
        f"{resource}.count": str(count),
        f"{resource}.replicas": str(replicas),
        f"{resource}.sharing-strategy": strategy,
    }


def _devices(gpu: Gpu, geometry: Geometry | None) -> list[MigDevice]:
    return [
        MigDevice(gpu, each, geometry.profile(each.profile) if geometry is not None else None)
        for each in gpu.instances
        if len(each.compute) == 1
    ]


def _resource(resource: str, devices: Sequence[MigDevice], config: PluginConfig) -> dict[str, str]:
    first = devices[0]
    profile, memory = first.profile, first.instance.memory_mib
    amounts = {"memory": memory}
    if profile is not None:
        amounts |= {
            "multiprocessors": profile.sm_count,
            "slices.gi": profile.compute_slices,
            "slices.ci": first.instance.compute[0].slices or profile.compute_slices,
            "engines.copy": profile.copy_engines,
            "engines.decoder": profile.decoders,
            "engines.encoder": profile.encoders,
            "engines.jpeg": profile.jpegs,
            "engines.ofa": profile.ofas,
        }
    told = {f"{resource}.{name}": str(amount) for name, amount in amounts.items() if amount is not None}
    return base(resource, len(devices), config, first.gpu.name, "MIG", first.name) | told


def _invalid(gpu: Gpu) -> dict[str, str]:
    """What `single` says of a node where instances aren't all alike, or not on all GPUs."""
    zero = dict.fromkeys((f"{GPU}.count", f"{GPU}.replicas", f"{GPU}.memory"), "0")
    return {f"{GPU}.product": spelled(gpu.name, "MIG", "INVALID"), **zero}
