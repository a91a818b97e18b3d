"""What was found out of a host last, and what is offered by it."""

from collections.abc import Mapping
from dataclasses import dataclass

from aliquot.cdi.generate.inventory import Inventory
from aliquot.devices.survey import Survey
from aliquot.node.device_plugin.giving.base import Base, on_host
from aliquot.node.device_plugin.offering.division import Undecided, decide
from aliquot.node.device_plugin.offering.remembering import Remembered, remember
from aliquot.node.device_plugin.offering.resources import Faults, Found, resources
from aliquot.node.device_plugin.offering.settings import Settings
from aliquot.sharing.setup.steps import Daemon


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """A host."""

    survey: Survey
    """As it was surveyed, with the GPUs that DRA offers."""
    host: Remembered
    files: Inventory | None
    cdi_names: frozenset[str] | None

    def found(self, settings: Settings, faults: Faults) -> Found:
        """The resources, with what was told of its devices' health, and what the survey says of it."""
        decided = decide(settings.offering, self.host.survey)
        if isinstance(decided, Undecided):
            return Found((), decided.conflicts)
        mine = decided.device_plugins(self.host.survey)
        wsl = self.files is not None and self.files.wsl is not None
        found = resources(settings, mine, {**faults, **self.host.faults}, wsl=wsl)
        return Found(found.resources, (*decided.notes, *settings.notes(), *found.problems))

    def base(self, daemons: Mapping[str, Daemon]) -> Base:
        """What answers to containers rest on."""
        files = on_host(self.host.survey, self.files)
        return Base(gpus=self.host.gpus, files=files, cdi_names=self.cdi_names, daemons=daemons)

    def still_there(self, uuid: str) -> bool:
        """Whether what is known of a device's health still counts: a MIG device made anew is another one."""
        if not uuid.startswith("MIG-"):
            return True
        return any(
            compute.uuid == uuid
            for gpu in self.host.survey.gpus
            for instance in gpu.instances
            for compute in instance.compute
        )


def known(survey: Survey, before: Known | None, files: Inventory | None, cdi_names: frozenset[str] | None) -> Known:
    """A host as it's surveyed; what doesn't answer is as it was before."""
    host = remember(survey, before.host.gpus if before is not None else {})
    return Known(survey=survey, host=host, files=files, cdi_names=cdi_names)
