"""A host's devices as the pools of two drivers: GPUs, and network cards that claims may match them with."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from aliquot.devices.mig import Geometry
from aliquot.devices.survey import Survey
from aliquot.dra.device import CounterSet, Device
from aliquot.dra.slices.pool import Pool
from aliquot.kube.release import Kubernetes
from aliquot.sharing.publish import health
from aliquot.sharing.publish.gpus import gpu_devices
from aliquot.sharing.publish.nics import nic_devices
from aliquot.sharing.publish.options import LeftOut, Note, Options

GPU_DRIVER: Final = "gpu.nvidia.com"


@dataclass(frozen=True, slots=True)
class Published:
    """The pools, and what's not in them."""

    gpus: Pool
    nics: Pool
    left_out: tuple[LeftOut, ...] = ()
    notes: tuple[Note, ...] = ()
    gpus_known: bool = True
    """Whether it's known which GPUs there are: no driver that answers is told apart from no GPU."""

    @property
    def pools(self) -> tuple[Pool, ...]:
        """Those that have devices, and the GPUs' without any where it's known that there are none."""
        gpus = (self.gpus,) if self.gpus_known else ()
        return (*gpus, self.nics) if self.nics.devices else gpus


def published(survey: Survey, geometries: Mapping[str, Geometry], options: Options) -> Published:
    """What a node publishes.

    Args:
        survey: its devices as they stand.
        geometries: by UUID, how a GPU that has MIG may be cut.
        options: for whom.
    """
    found = gpu_devices(survey, geometries, options)
    left_out = found.left_out
    gpus = _admitted(found.devices, options.kubernetes, left_out)
    nics = _admitted(nic_devices(survey.nics), options.kubernetes, left_out)
    return Published(
        Pool(
            driver=GPU_DRIVER,
            name=options.node,
            node=options.node,
            devices=gpus,
            counter_sets=_drawn_on(gpus, found.sets),
        ),
        Pool(driver=options.nic_driver, name=options.node, node=options.node, devices=nics),
        tuple(left_out),
        (*found.told(), *_beside(survey)),
        _gpus_known(survey),
    )


def _gpus_known(survey: Survey) -> bool:
    """A driver tells which GPUs there are; without one, that there are none is known where nothing speaks against."""
    return survey.driver is not None or not (survey.troubles or survey.unreadable)


def _beside(survey: Survey) -> Iterator[Note]:
    """What a reader of slices without devices wonders about."""
    if _gpus_known(survey) and not survey.gpus and not survey.unreadable:
        yield Note((), f"there is no NVIDIA GPU here, so {GPU_DRIVER} has no devices")
    others = [each.name or each.pci for each in survey.accelerators]
    if others:
        yield Note(tuple(others), "not published: only GPUs of NVIDIA are")


def _admitted(devices: Sequence[Device], kubernetes: Kubernetes, left_out: list[LeftOut]) -> tuple[Device, ...]:
    """The devices with the taints that the API server keeps; where it drops them, without those who need them."""
    if kubernetes.on("DRADeviceTaints"):
        shown = kubernetes.minor >= 35  # the effect None came then
        return tuple(one if shown or not one.taints else _without_shown(one) for one in devices)
    kept: list[Device] = []
    for device in devices:
        keeping_off = [taint for taint in device.taints if taint.effect != health.SHOWN]
        if keeping_off:
            first = keeping_off[0]
            why = f"{first.key}={first.value}, and Kubernetes {kubernetes} drops taints (DRADeviceTaints is off)"
            left_out.append(LeftOut(device.name, why))
        else:
            kept.append(replace(device, taints=()) if device.taints else device)
    return tuple(kept)


def _without_shown(device: Device) -> Device:
    return replace(device, taints=tuple(taint for taint in device.taints if taint.effect != health.SHOWN))


def _drawn_on(devices: Sequence[Device], sets: Sequence[CounterSet]) -> tuple[CounterSet, ...]:
    """Without the sets of GPUs that were withdrawn."""
    used = {use.counter_set for device in devices for use in device.consumes}
    return tuple(one for one in sets if one.name in used)
