"""GPUs that don't answer just now stay in the list, as they were, and unhealthy: one lost GPU stops nothing else."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from aliquot.devices.gpu import Gpu
from aliquot.devices.survey import Survey

_NOTHING: Mapping[str, Gpu] = {}


@dataclass(frozen=True, slots=True)
class Remembered:
    """A host, with those of its GPUs that don't answer as they were when they did."""

    survey: Survey
    faults: Mapping[str, str] = field(default_factory=dict[str, str])
    """By UUID: why nothing new may run on a GPU."""

    @property
    def gpus(self) -> Mapping[str, Gpu]:
        """By UUID, for the next time."""
        return {gpu.uuid: gpu for gpu in self.survey.gpus}


def remember(survey: Survey, before: Mapping[str, Gpu] = _NOTHING) -> Remembered:
    """Add what was known before. A GPU that is neither there nor counted any more was taken out: it's forgotten."""
    faults: dict[str, str] = {}
    gpus: list[Gpu] = []
    for gpu in survey.gpus:
        known = before.get(gpu.uuid)
        if gpu.mig_unknown:
            faults[gpu.uuid] = "the driver doesn't tell whether MIG is on"
            gpus.append(replace(gpu, mig=known.mig, instances=known.instances) if known is not None else gpu)
        else:
            gpus.append(gpu)
    for each in survey.unreadable:
        if each.uuid is None:
            continue
        faults[each.uuid] = each.trouble.message
        if each.uuid in before:
            gpus.append(before[each.uuid])
    ordered = tuple(sorted(gpus, key=lambda gpu: gpu.index))
    return Remembered(replace(survey, gpus=ordered), faults)
