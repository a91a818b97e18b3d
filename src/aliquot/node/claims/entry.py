"""What the checkpoint remembers of one claim: enough to undo all that was done for it, with nothing else at hand."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from aliquot.devices.mig import Placement
from aliquot.devices.survey import Survey
from aliquot.dra.device import DeviceId
from aliquot.node.claims.claim_ref import ClaimRef
from aliquot.sharing.claim_configs.values import Sharing
from aliquot.sharing.legal import Use
from aliquot.sharing.setup.steps import Step, Target


class State(StrEnum):
    """How far it is."""

    STARTED = "started"
    """Some steps were done, or undone: the kubelet has no answer yet, or no valid one any more."""
    COMPLETED = "completed"
    WAITING = "waiting"
    """It was held before a reboot: its claim still has the devices, and prepares them anew when it's asked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldDevice:
    """A device that a claim holds."""

    device: DeviceId
    requests: tuple[str, ...]
    cdi_ids: tuple[str, ...]
    share_id: str | None = None
    admin: bool = False
    gpu: str | None = None
    """The UUID of its GPU; None: it's no GPU."""
    place: Placement | None = None
    """Of a MIG instance."""
    instance: str | None = None
    """The instance's UUID, once it's there: a place alone proves no incarnation."""
    address: str | None = None
    """The PCI address of a network card."""
    sharing: Sharing | None = None
    consumed: Mapping[str, str] = field(default_factory=dict[str, str])

    @property
    def target(self) -> Target | None:
        """What steps are carried out on."""
        return None if self.gpu is None else Target(self.gpu, self.place)

    @property
    def use(self) -> Use | None:
        """What it makes of its GPU; looking at it isn't using it."""
        return None if self.gpu is None or self.admin else Use(self.gpu, self.place, self.sharing)


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One claim in the checkpoint."""

    claim: ClaimRef
    boot: str
    """The id of the boot in which its steps were done."""
    state: State
    devices: tuple[HeldDevice, ...]
    steps: tuple[Step, ...] = ()
    """In the order in which they are done; undone in reverse."""

    @property
    def asks(self) -> frozenset[tuple[DeviceId, str, str | None, bool]]:
        """What makes it the same allocation again."""
        return frozenset(
            (each.device, name, each.share_id, each.admin) for each in self.devices for name in each.requests
        )


def instance_at(survey: Survey, target: Target) -> str | None:
    """The UUID of the MIG instance at a place; None where there's none, or one without a compute instance."""
    gpu = survey.gpu(target.gpu)
    found = [each for each in gpu.instances if each.placement == target.place] if gpu is not None else []
    return found[0].uuid if found else None
