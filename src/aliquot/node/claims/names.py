"""Which device of this node a name in an allocation means; names are those that `sharing.publish` gives."""

from collections.abc import Mapping
from dataclasses import replace

from aliquot.cdi.qualified_names import qualify
from aliquot.devices.gpu import Gpu
from aliquot.devices.links import Nic
from aliquot.devices.mig import Geometry
from aliquot.devices.survey import Survey
from aliquot.node.claims.asked import Asked, AskedDevice
from aliquot.node.claims.entry import HeldDevice
from aliquot.node.claims.refusal import Refusal, later
from aliquot.sharing.publish.nics import nic_devices
from aliquot.sharing.publish.pools import GPU_DRIVER
from aliquot.sharing.setup.names import target_of


def kind_of(driver: str) -> str:
    """The CDI kind of a driver's claims."""
    return f"k8s.{driver}/claim"


def lock_of(device: str) -> str:
    """What only one claim at a time is prepared on: the GPU of a device's name, or the network card."""
    parts = device.split("-", 2)
    return "-".join(parts[:2]) if parts[0] == "gpu" else device


def gpus_named(asked: Asked, survey: Survey) -> tuple[Gpu, ...]:
    """The GPUs of the MIG devices that are asked for."""
    minors = {lock_of(each.device.device) for each in asked.devices if "-mig-" in each.device.device}
    return tuple(gpu for gpu in survey.gpus if f"gpu-{gpu.minor}" in minors)


def held_devices(asked: Asked, survey: Survey, geometries: Mapping[str, Geometry]) -> tuple[HeldDevice, ...] | Refusal:
    """The devices that are asked for, found on this host."""
    found: list[HeldDevice] = []
    for each in asked.devices:
        here = _gpu(each, survey, geometries) if each.device.driver == GPU_DRIVER else _nic(each, survey)
        if isinstance(here, Refusal):
            return here
        id_ = qualify(kind_of(each.device.driver), device_name(asked.claim.uid, each.device.device))
        found.append(replace(here, cdi_ids=(id_,)))
    return tuple(found)


def device_name(uid: str, device: str) -> str:
    """A claim's device in its CDI spec. With the UID in it, no runtime can serve it from what it remembers."""
    return f"{uid}-{device}"


def _plain(asked: AskedDevice) -> HeldDevice:
    return HeldDevice(
        device=asked.device,
        requests=(asked.request,),
        cdi_ids=(),
        share_id=asked.share_id,
        admin=asked.admin,
        consumed=asked.consumed,
    )


def _gpu(asked: AskedDevice, survey: Survey, geometries: Mapping[str, Geometry]) -> HeldDevice | Refusal:
    name = asked.device.device
    target = target_of(name, survey, geometries)
    if target is not None:
        return replace(_plain(asked), gpu=target.gpu, place=target.place, sharing=asked.config.sharing)
    silent = [f"{each.trouble}" for each in survey.unreadable] or [f"{each}" for each in survey.troubles]
    owner = lock_of(name)
    if any(owner == f"gpu-{gpu.minor}" for gpu in survey.gpus):
        return Refusal(f"{name}: {owner} has no such MIG profile")
    if silent:
        return later(f"{name} doesn't answer: {'; '.join(silent)}")
    return Refusal(f"{name}: this node has no such GPU")


def _nic(asked: AskedDevice, survey: Survey) -> HeldDevice | Refusal:
    nic = nic_of(asked.device.device, survey)
    if nic is None:
        return Refusal(f"{asked.device.device}: this node has no such network card")
    return replace(_plain(asked), address=nic.pci)


def nic_of(name: str, survey: Survey) -> Nic | None:
    """The network card of a published name."""
    return next((nic for nic in survey.nics if [each.name for each in nic_devices([nic])] == [name]), None)
