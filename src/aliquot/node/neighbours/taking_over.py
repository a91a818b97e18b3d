"""What becomes of the claims that NVIDIA's driver holds, when it goes and we come. Pure.

Containers that run aren't touched either way: their devices are in them. What counts is who ends what was set up.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from aliquot.dra.device import DeviceId
from aliquot.node.claims.claim_ref import ClaimRef
from aliquot.node.neighbours.checkpoint import NvidiaCheckpoint, NvidiaClaim, NvidiaDevice


@dataclass(frozen=True, slots=True)
class Left:
    """A claim that can't be taken over: its devices are held until its pods have ended."""

    claim: NvidiaClaim
    reasons: tuple[str, ...]
    afterwards: tuple[str, ...]
    """What has to be tidied up then, by hand: commands."""

    def __str__(self) -> str:
        return f"claim {named(self.claim.claim)}: {'; '.join(self.reasons)}"


@dataclass(frozen=True, slots=True)
class TakenOver:
    """Each claim of a checkpoint, in one of four ways."""

    adopted: tuple[NvidiaClaim, ...] = ()
    """Whole GPUs, time-sliced or not, and looking on: as if we had prepared them."""
    left: tuple[Left, ...] = ()
    again: tuple[NvidiaClaim, ...] = ()
    """Begun and not finished: the kubelet asks again, and gets them from us."""
    stale: tuple[NvidiaClaim, ...] = ()
    """Of an earlier boot: nothing of it runs."""

    @property
    def held(self) -> Mapping[DeviceId, tuple[ClaimRef, ...]]:
        """Devices that no other claim may be given; looking on holds nothing."""
        found: dict[DeviceId, tuple[ClaimRef, ...]] = {}
        for claim in (*self.adopted, *(one.claim for one in self.left)):
            for device in claim.devices:
                if not device.admin:
                    found[device.device] = (*found.get(device.device, ()), claim.claim)
        return found


def take_over(checkpoint: NvidiaCheckpoint, boot: str) -> TakenOver:
    """Sort its claims.

    Args:
        checkpoint: of NVIDIA's driver.
        boot: the id of this boot. A checkpoint that tells no boot may be of this one.
    """
    if checkpoint.boot is not None and checkpoint.boot != boot:
        return TakenOver(stale=checkpoint.claims)
    done = [one for one in checkpoint.claims if one.completed]
    reasons = {one.claim.uid: tuple(_reasons(one.devices)) for one in done}
    return TakenOver(
        adopted=tuple(one for one in done if not reasons[one.claim.uid]),
        left=tuple(
            Left(one, reasons[one.claim.uid], tuple(dict.fromkeys(_afterwards(one.devices))))
            for one in done
            if reasons[one.claim.uid]
        ),
        again=tuple(one for one in checkpoint.claims if not one.completed),
    )


def with_names(checkpoint: NvidiaCheckpoint, claims: Iterable[ClaimRef]) -> NvidiaCheckpoint:
    """The same, with names from the API server for claims that the checkpoint knows by UID only."""
    by_uid = {one.uid: one for one in claims}
    return NvidiaCheckpoint(
        version=checkpoint.version,
        boot=checkpoint.boot,
        claims=tuple(
            NvidiaClaim(
                claim=one.claim if one.claim.name else by_uid.get(one.claim.uid, one.claim),
                completed=one.completed,
                devices=one.devices,
                allocated=one.allocated,
            )
            for one in checkpoint.claims
        ),
    )


def named(claim: ClaimRef) -> str:
    """For people; an old checkpoint tells only the UID."""
    return str(claim) if claim.name else claim.uid


def _reasons(devices: Sequence[NvidiaDevice]) -> Iterable[str]:
    for one in devices:
        name = one.device.device
        if one.kind == "mig":
            yield f"{name} is a MIG instance, which may have been made for it: who made it, the checkpoint doesn't say"
        elif one.kind == "vfio":
            yield f"{name} is passed through to a virtual machine"
        elif one.mps_daemon is not None and not one.admin:
            yield f"{name} is shared by the MPS daemon {one.mps_daemon}, a Deployment of NVIDIA's driver"
        elif not one.uuid:
            yield f"{name} has no UUID in the checkpoint"


def _afterwards(devices: Sequence[NvidiaDevice]) -> Iterable[str]:
    for one in devices:
        if one.kind == "mig" and one.parent and one.instance is not None:
            which = f"-i {one.parent} -gi {one.instance}"
            yield f"nvidia-smi mig -dci {which}; nvidia-smi mig -dgi {which}   # unless it was there before the claim"
        elif one.kind == "vfio":
            yield f"bind {one.device.device} to the nvidia driver again"
        elif one.mps_daemon is not None and not one.admin:
            yield f"kubectl delete deployment mps-control-daemon-{one.mps_daemon} -n NAMESPACE   # the driver's"
            yield f"nvidia-smi -c DEFAULT -i {one.uuid}"
