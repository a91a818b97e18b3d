"""The ways in which a claim's devices are shared, and who is there before it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from aliquot.node.claims.claim_ref import ClaimRef
from scenarios.deaths.machine import Json, Machine, opaque

MPS: Final = {"mpsConfig": {"defaultActiveThreadPercentage": 50, "defaultPinnedDeviceMemoryLimit": "1Gi"}}
LONG: Final = {"timeSlicingConfig": {"interval": "Long"}}
INSTANCE: Final = "gpu-0-mig-1g5gb-19-4"
ON_A_WHOLE_ONE: Final = "gpu-3-mig-1g10gb-19-2"
BESIDE_IT: Final = "gpu-3-mig-1g10gb-19-3"
FIRST, SECOND = "c-aaaa", "c-bbbb"

Allocate = Callable[[Machine], ClaimRef]


@dataclass(frozen=True)
class Kind:
    """A claim, and the one that is prepared before it, if any."""

    allocate: Allocate
    before: Allocate | None = None
    divided: bool = False
    """Whether the fourth GPU is in MIG mode already."""

    def machine(self, machine: Machine) -> Machine:
        """The machine for it."""
        if self.divided:
            machine.host.set_mig_mode(machine.host.survey().gpus[3].uuid, enabled=True)
        return machine


def claim(*devices: str | Json, config: Json | None = None, uid: str = FIRST) -> Allocate:
    """A claim for these devices."""
    return lambda machine: machine.api.allocate(uid, *devices, config=config, name=f"of-{uid}")


def share(name: str, number: int) -> Json:
    """A share of a device."""
    return {"device": name, "shareID": f"0000000{number}-0000-0000-0000-000000000000"}


def _mps(*, mig: bool = False) -> Json:
    return opaque("MPS", mig=mig, more=MPS)


def _turns() -> dict[str, Any]:
    return opaque("TimeSlicing", more=LONG)


KINDS: Final[Mapping[str, Kind]] = {
    "whole": Kind(claim("gpu-1")),
    "two": Kind(claim("gpu-1", "gpu-2")),
    "whole, where MIG is on": Kind(claim("gpu-3"), divided=True),
    "MIG on demand": Kind(claim(INSTANCE)),
    "MIG, switched on for it": Kind(claim(ON_A_WHOLE_ONE)),
    "MIG, beside another claim's": Kind(claim(ON_A_WHOLE_ONE), claim(BESIDE_IT, uid=SECOND)),
    "MIG that stands": Kind(claim("gpu-0-mig-3g20gb-9-0")),
    "MPS": Kind(claim("gpu-1", config=_mps())),
    "MPS on two": Kind(claim("gpu-1", "gpu-2", config=_mps())),
    "MIG and MPS": Kind(claim(INSTANCE, config=_mps(mig=True))),
    "time-slice": Kind(claim("gpu-1", config=_turns())),
    "admin": Kind(claim({"device": "gpu-1", "adminAccess": True}), claim("gpu-1", uid=SECOND)),
    "shared": Kind(claim(share("gpu-1", 1), config=_turns()), claim(share("gpu-1", 2), config=_turns(), uid=SECOND)),
}
