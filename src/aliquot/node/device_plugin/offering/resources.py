"""From a host and a configuration to the resources that a node offers."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from aliquot.cdi.generate.inventory import Inventory
from aliquot.devices.findings import name_of
from aliquot.devices.survey import Survey
from aliquot.node.device_plugin.offering.resource import ALL, Resource, Unit
from aliquot.node.device_plugin.offering.settings import Settings
from aliquot.sharing.inventory import inventory_of
from aliquot.sharing.mps import mps_client_limit
from aliquot.sharing.plugin_config.groups import GPU, Offered, by_resource
from aliquot.sharing.plugin_config.offers import offers
from aliquot.sharing.plugin_config.values import MigStrategy, Replicated
from aliquot.sharing.strategies import Strategy

_OLD_CUDA: Final = (0, 0)
"""For the limit of MPS clients that every release keeps; NVIDIA's own plugin takes V100 for older than it is."""
Faults = Mapping[str, str]
"""By the UUID of a GPU or a MIG device: why it isn't healthy."""
_WHOLE_IN_MIG_MODE = "MIG is on, so it can't be used as a whole: migStrategy mixed or single offers its instances"


@dataclass(frozen=True, slots=True)
class Found:
    """The resources by name, and what's wrong; with what stops a configuration there are none."""

    resources: tuple[Resource, ...]
    problems: tuple[str, ...] = ()


def resources(settings: Settings, survey: Survey, faults: Faults, *, wsl: bool = False) -> Found:
    """What's offered.

    Args:
        settings: the configuration.
        survey: the host; only GPUs that the device plugin is to offer.
        faults: what isn't healthy.
        wsl: whether it's Windows' Linux subsystem, where GPUs have no device nodes of their own.
    """
    made, problems = offers(settings.plugin, survey, lambda kind: mps_client_limit(kind, _OLD_CUDA))
    if not made:
        return Found((), problems)
    sharing = settings.plugin.sharing
    shared = {each.name: each for each in sharing.resources} if sharing is not None else {}
    way = sharing.strategy if sharing is not None else Strategy.WHOLE
    single = sharing is not None and (way is Strategy.MPS or sharing.fail_requests_greater_than_one)
    indexes = _indexes(survey)
    found: list[Resource] = []
    for name, devices in sorted(by_resource(survey, settings.plugin.mig_strategy or MigStrategy.NONE).items()):
        replicated = shared.get(name)
        units = tuple(_units(devices, indexes, faults, replicated))
        if not units:
            continue
        if wsl and name == GPU:
            units = _as_one(units)
        found.append(
            Resource(
                name=(replicated.rename if replicated is not None else None) or name,
                units=units,
                way=way if replicated is not None else Strategy.WHOLE,
                single=single and replicated is not None,
            )
        )
    nameless = tuple(_nameless(survey))
    return Found(tuple(found), (*problems, *nameless))


def _units(
    devices: tuple[Offered, ...], indexes: Mapping[str, str], faults: Faults, replicated: Replicated | None
) -> Iterator[Unit]:
    for each in devices:
        gpu = each.gpu
        if each.uuid is None:
            continue
        fault = faults.get(gpu.uuid) or faults.get(each.uuid)
        if each.instance is None and gpu.mig_enabled:
            fault = fault or _WHOLE_IN_MIG_MODE
        yield Unit(
            uuid=each.uuid,
            index=indexes.get(each.uuid, str(gpu.index)),
            gpu=gpu.uuid,
            numa=gpu.numa_node,
            replicas=replicated.replicas if replicated is not None else None,
            fault=fault,
            where=name_of(gpu) if each.instance is None else f"{each.instance.profile} of {name_of(gpu)}",
        )


def _nameless(survey: Survey) -> Iterator[str]:
    for gpu in survey.gpus:
        if gpu.mig_enabled and any(compute.uuid is None for each in gpu.instances for compute in each.compute):
            yield f"{name_of(gpu)}: the driver doesn't tell the UUID of a MIG device, so it can't be offered"


def _indexes(survey: Survey) -> Mapping[str, str]:
    """How the base spec numbers MIG devices: `0:1`."""
    gpus = inventory_of(Inventory(), survey).gpus
    return {mig.uuid: f"{gpu.index}:{mig.index}" for gpu in gpus for mig in gpu.mig or ()}


def _as_one(units: tuple[Unit, ...]) -> tuple[Unit, ...]:
    """All GPUs as one device, which is what a container gets there; healthy while any of them is."""
    faults = [unit.fault for unit in units if unit.fault is not None]
    fault = "; ".join(faults) if len(faults) == len(units) else None
    return (Unit(uuid=ALL, index=ALL, gpu=ALL, replicas=units[0].replicas, fault=fault, where="all GPUs"),)
