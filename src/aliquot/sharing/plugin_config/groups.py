"""Which of a host's devices belong to which resource of the device plugin, before they're shared."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from aliquot.devices.gpu import Gpu
from aliquot.devices.instances import Instance
from aliquot.devices.survey import Survey
from aliquot.sharing.plugin_config.judge import DOMAIN
from aliquot.sharing.plugin_config.values import MigStrategy

GPU = f"{DOMAIN}gpu"


@dataclass(frozen=True, slots=True)
class Offered:
    """A whole GPU, or a MIG instance that is one device."""

    gpu: Gpu
    instance: Instance | None = None

    @property
    def uuid(self) -> str | None:
        """The device's UUID; None where the driver doesn't tell it."""
        return self.gpu.uuid if self.instance is None else self.instance.uuid

    @property
    def memory_mib(self) -> int | None:
        """All of its memory."""
        if self.instance is not None:
            return self.instance.memory_mib
        return self.gpu.memory.total >> 20 if self.gpu.memory is not None else None


def by_resource(survey: Survey, strategy: MigStrategy) -> Mapping[str, tuple[Offered, ...]]:
    """The devices of each resource, in the survey's order."""
    found: dict[str, list[Offered]] = {}
    for name, offered in _named(survey, strategy):
        found.setdefault(name, []).append(offered)
    return {name: tuple(each) for name, each in found.items()}


def _named(survey: Survey, strategy: MigStrategy) -> Iterator[tuple[str, Offered]]:
    for gpu in survey.gpus:
        if strategy is MigStrategy.NONE or not gpu.mig_enabled:
            yield GPU, Offered(gpu)
            continue
        for instance in single_devices(gpu):
            name = f"{DOMAIN}mig-{instance.profile.replace('+', '.')}" if strategy is MigStrategy.MIXED else GPU
            yield name, Offered(gpu, instance)


def single_devices(gpu: Gpu) -> tuple[Instance, ...]:
    """The instances that are one device each: those that are divided further aren't offered."""
    return tuple(each for each in gpu.instances if len(each.compute) == 1)
