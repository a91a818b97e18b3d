"""A host's devices as the pools of two drivers: GPUs, and network cards that claims may match them with."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, Literal

from aliquot.devices.gpu import Gpu
from aliquot.devices.instances import placements_of
from aliquot.devices.mig import Geometry, Placement
from aliquot.devices.mig.legal_layouts import placement_in
from aliquot.devices.survey import Survey
from aliquot.dra.device import CounterSet, Device, DeviceTaint
from aliquot.dra.slices.pool import Pool
from aliquot.kube.release import Kubernetes
from aliquot.sharing.publish import health
from aliquot.sharing.publish.amounts import whole_capacity
from aliquot.sharing.publish.attributes import whole
from aliquot.sharing.publish.nics import nic_devices
from aliquot.sharing.publish.partitions import (
    counter_set,
    gpu_name,
    places,
    standing_device,
    whole_use,
)
from aliquot.sharing.publish.shares import GATE, Shares, shared

GPU_DRIVER: Final = "gpu.nvidia.com"
NIC_DRIVER: Final = "nic.aliquot.dev"


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What to publish, and for whom."""

    node: str
    """The node's name, which is the pools' too."""
    kubernetes: Kubernetes = field(default_factory=Kubernetes)
    """The API server: what it would drop isn't sent."""
    mig: Literal["dynamic", "static"] = "dynamic"
    """Offer every place where an instance may be made, or only the instances that stand."""
    shares: Shares | None = None
    """How many claims may hold a whole GPU at once; None: one. A GPU that's shared isn't divided on demand."""
    nic_driver: str = NIC_DRIVER
    own: Mapping[str, Sequence[Placement]] = field(default_factory=dict[str, Sequence[Placement]])
    """By the GPU's UUID: instances that were made for a claim. They go with it, so their places stay on offer."""


@dataclass(frozen=True, slots=True)
class LeftOut:
    """Something that the node has and that isn't published."""

    what: str
    why: str

    def __str__(self) -> str:
        return f"{self.what} isn't published: {self.why}"


@dataclass(frozen=True, slots=True)
class Published:
    """The pools, and what's not in them."""

    gpus: Pool
    nics: Pool
    left_out: tuple[LeftOut, ...] = ()

    @property
    def pools(self) -> tuple[Pool, ...]:
        """Those that have devices; the GPUs' always, so that no GPU is told apart from no driver."""
        return (self.gpus, self.nics) if self.nics.devices else (self.gpus,)


@dataclass(slots=True)
class _Found:
    devices: list[Device] = field(default_factory=list[Device])
    sets: list[CounterSet] = field(default_factory=list[CounterSet])
    left_out: list[LeftOut] = field(default_factory=list[LeftOut])


def published(survey: Survey, geometries: Mapping[str, Geometry], options: Options) -> Published:
    """What a host publishes.

    Args:
        survey: the host's devices.
        geometries: by UUID, how each GPU that has MIG may be cut.
        options: for whom.
    """
    found = _Found()
    for each in survey.unreadable:
        found.left_out.append(LeftOut(each.trouble.gpu or f"gpu {each.index}", each.trouble.message))
    for gpu in sorted(survey.gpus, key=lambda one: (one.minor is None, one.minor, one.index)):
        if gpu.minor is None:
            found.left_out.append(LeftOut(f"gpu {gpu.index} ({gpu.pci})", "the driver doesn't tell its minor number"))
        else:
            _gpu(gpu, gpu.minor, survey, geometries.get(gpu.uuid), options, found)
    gpus = _admitted(found.devices, options.kubernetes, found.left_out)
    nics = _admitted(nic_devices(survey.nics), options.kubernetes, found.left_out)
    return Published(
        Pool(
            driver=GPU_DRIVER,
            name=options.node,
            node=options.node,
            devices=gpus,
            counter_sets=_drawn_on(gpus, found.sets),
        ),
        Pool(driver=options.nic_driver, name=options.node, node=options.node, devices=nics),
        tuple(found.left_out),
    )


def _gpu(gpu: Gpu, minor: int, survey: Survey, geometry: Geometry | None, options: Options, found: _Found) -> None:
    taints = health.taints_of(gpu, survey)
    divisible = _divisible(gpu, geometry, options, found)
    if gpu.mig_enabled:
        _standing(gpu, minor, survey, geometry, options, found)
    if divisible is not None:
        own = options.own.get(gpu.uuid, ())
        beside = [placement_in(divisible, place) for place in placements_of(gpu.instances) if place not in own]
        found.sets.append(counter_set(minor, divisible, beside))
        if not beside:
            found.devices.append(_whole(gpu, minor, survey, divisible, taints, divided=True))
        found.devices += places(gpu, minor, survey.driver, divisible, beside, taints)
    elif not gpu.mig_enabled:
        device = _whole(gpu, minor, survey, geometry, taints, divided=False)
        found.devices.append(_shared(device, options, found))
    elif not gpu.instances:
        found.left_out.append(LeftOut(gpu_name(minor), "MIG is on and there is no instance"))


def _divisible(gpu: Gpu, geometry: Geometry | None, options: Options, found: _Found) -> Geometry | None:
    """How the GPU may be divided on demand; None: it isn't."""
    if gpu.mig is None or options.mig == "static" or (options.shares is not None and not gpu.mig_enabled):
        return None
    if geometry is None and not gpu.mig_enabled and gpu.model is not None and not gpu.model.mig_capable:
        return None  # a library that tells a mode of parts that have none
    where = f"dividing {gpu_name(gpu.minor or 0)} on demand"
    if geometry is None or not geometry.known:
        found.left_out.append(LeftOut(where, "where its MIG instances may lie isn't known"))
        return None
    if any(each.start is None for each in gpu.instances):
        found.left_out.append(LeftOut(where, "where its instances lie isn't known: the agent needs more rights"))
        return None
    unknown = [each.profile for each in gpu.instances if geometry.profile(each.profile) is None]
    if unknown:
        found.left_out.append(LeftOut(where, f"what {', '.join(unknown)} takes of it isn't known"))
        return None
    gate = "DRAPartitionableDevices"
    if not options.kubernetes.on(gate):
        found.left_out.append(LeftOut(where, f"the feature gate {gate} is off in Kubernetes {options.kubernetes}"))
        return None
    return geometry


def _standing(gpu: Gpu, minor: int, survey: Survey, geometry: Geometry | None, options: Options, found: _Found) -> None:
    blamed, own = health.instance_taints(gpu, survey), options.own.get(gpu.uuid, ())
    taints = health.taints_of(gpu, survey)
    for instance in gpu.instances:
        if instance.placement in own:
            continue
        merged = tuple({(one.key, one.effect): one for one in (*taints, *blamed.get(instance.id, ()))}.values())
        device = standing_device(gpu, minor, survey.driver, instance, geometry, merged)
        if isinstance(device, Device):
            found.devices.append(device)
        else:
            found.left_out.append(LeftOut(f"{gpu_name(minor)}, instance {instance.id} ({instance.profile})", device))


def _whole(
    gpu: Gpu, minor: int, survey: Survey, geometry: Geometry | None, taints: tuple[DeviceTaint, ...], *, divided: bool
) -> Device:
    return Device(
        gpu_name(minor),
        whole(gpu, survey.driver),
        whole_capacity(gpu, geometry),
        (whole_use(minor, geometry),) if divided and geometry is not None else (),
        taints=taints,
    )


def _shared(device: Device, options: Options, found: _Found) -> Device:
    if options.shares is None:
        return device
    if options.kubernetes.on(GATE):
        return shared(device, options.shares)
    why = f"the feature gate {GATE} is off in Kubernetes {options.kubernetes}"
    found.left_out.append(LeftOut(f"sharing {device.name}", why))
    return device


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
