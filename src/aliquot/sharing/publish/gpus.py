"""The devices of a host's GPUs: each whole, as the instances that stand on it, as the places where more may be made."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from aliquot.devices.gpu import Gpu
from aliquot.devices.instances import placements_of
from aliquot.devices.mig import Geometry
from aliquot.devices.mig.legal_layouts import placement_in
from aliquot.devices.survey import Survey
from aliquot.dra.device import CounterSet, Device
from aliquot.sharing.legal import problems
from aliquot.sharing.publish import health
from aliquot.sharing.publish.division import BUSY, ON, PENDING_OFF, Undivided, division_of
from aliquot.sharing.publish.options import LeftOut, Note, Options
from aliquot.sharing.publish.partitions import (
    Taints,
    counter_set,
    gpu_name,
    places,
    standing_device,
    undivided,
    whole_device,
)
from aliquot.sharing.publish.shares import GATE, shared
from aliquot.sharing.strategies import Strategy


@dataclass(slots=True)
class Found:
    """What has been found so far."""

    devices: list[Device] = field(default_factory=list[Device])
    sets: list[CounterSet] = field(default_factory=list[CounterSet])
    left_out: list[LeftOut] = field(default_factory=list[LeftOut])
    notes: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    """The GPUs' names by what's said of them."""

    def told(self) -> tuple[Note, ...]:
        """The notes, one for all the GPUs that it's true of."""
        return tuple(Note(tuple(gpus), what) for what, gpus in self.notes.items())


def gpu_devices(survey: Survey, geometries: Mapping[str, Geometry], options: Options) -> Found:
    """Those of all GPUs, by minor number."""
    found, taints = Found(), health.taints_by(survey) if options.taints is None else options.taints
    for each in survey.unreadable:
        found.left_out.append(LeftOut(each.trouble.gpu or f"gpu {each.index}", each.trouble.message))
    for gpu in sorted(survey.gpus, key=lambda one: (one.minor is None, one.minor, one.index)):
        if gpu.minor is None:
            found.left_out.append(LeftOut(f"gpu {gpu.index} ({gpu.pci})", "the driver doesn't tell its minor number"))
        else:
            of_gpu = taints.get(gpu.uuid, health.Taints())
            _Gpu(gpu, gpu.minor, survey, options, found, of_gpu).add(geometries.get(gpu.uuid))
    return found


@dataclass(frozen=True, slots=True)
class _Gpu:
    gpu: Gpu
    minor: int
    survey: Survey
    options: Options
    found: Found
    taints: health.Taints

    def add(self, geometry: Geometry | None) -> None:
        gpu, found, name = self.gpu, self.found, gpu_name(self.minor)
        taints = self.taints.gpu
        division = division_of(gpu, geometry, self.options)
        if gpu.mig_enabled:
            self._standing(geometry, taints)
            if gpu.mig is not None and not gpu.mig.pending:
                found.notes.setdefault(PENDING_OFF, []).append(name)
        if isinstance(division, Geometry):
            self._divided(division, taints)
            return
        if division.left_out:
            found.left_out.append(LeftOut(f"dividing {name} on demand", division.left_out))
        if not gpu.mig_enabled:
            self._whole(taints, division)
        elif not gpu.instances:
            found.left_out.append(LeftOut(name, "MIG is on and there is no instance"))

    def _whole(self, taints: Taints, division: Undivided) -> None:
        name = gpu_name(self.minor)
        if self._may_be_whole():
            self.found.devices.append(self._shared(undivided(self.gpu, self.minor, self.survey.driver, taints)))
            if division.note:
                self.found.notes.setdefault(division.note, []).append(name)

    def _may_be_whole(self) -> bool:
        """Whether a claim could get it whole; while MIG is on for claims, the counters keep it from others."""
        own = self.gpu.mig_enabled and self.options.own.get(self.gpu.uuid)
        against = () if own else problems(self.gpu, self.survey.driver, Strategy.WHOLE)
        self.found.left_out += [LeftOut(gpu_name(self.minor), why) for why in against]
        return not against

    def _divided(self, geometry: Geometry, taints: Taints) -> None:
        gpu, minor, driver, found = self.gpu, self.minor, self.survey.driver, self.found
        own = self.options.own.get(gpu.uuid, ())
        beside = [placement_in(geometry, place) for place in placements_of(gpu.instances) if place not in own]
        found.sets.append(counter_set(minor, geometry, beside))
        if not beside and gpu.mig_enabled and gpu.mig_needs_reset:
            found.notes.setdefault(ON, []).append(gpu_name(minor))
        elif not beside and self._may_be_whole():
            found.devices.append(whole_device(gpu, minor, driver, geometry, taints))
        found.devices += places(gpu, minor, driver, geometry, beside, taints)
        if gpu.programs and not gpu.instances:
            busy = BUSY.format(", ".join(map(str, gpu.programs)))
            found.notes.setdefault(busy, []).append(gpu_name(minor))

    def _standing(self, geometry: Geometry | None, of_gpu: Taints) -> None:
        gpu, name = self.gpu, gpu_name(self.minor)
        blamed, own = self.taints.instances, self.options.own.get(gpu.uuid, ())
        for instance in gpu.instances:
            if instance.placement in own:
                continue
            taints = tuple({(one.key, one.effect): one for one in (*of_gpu, *blamed.get(instance.id, ()))}.values())
            device = standing_device(gpu, self.minor, self.survey.driver, instance, geometry, taints)
            if isinstance(device, Device):
                self.found.devices.append(self._shared(device))
            else:
                self.found.left_out.append(LeftOut(f"{name}, instance {instance.id} ({instance.profile})", device))

    def _shared(self, device: Device) -> Device:
        shares, kubernetes = self.options.shares, self.options.kubernetes
        if shares is None:
            return device
        if kubernetes.on(GATE):
            return shared(device, shares)
        why = f"the feature gate {GATE} is off in Kubernetes {kubernetes}"
        self.found.left_out.append(LeftOut(f"sharing {device.name}", why))
        return device
