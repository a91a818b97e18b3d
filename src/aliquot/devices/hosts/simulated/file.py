"""Reading the file of a simulated host: everything that's wrong with it at once, each with its path and a hint."""

import re
from collections.abc import Iterator
from contextlib import suppress
from typing import Any, TypeVar

import msgspec
import yaml

from aliquot.devices.catalogue import GpuModel
from aliquot.devices.hosts.protocol import Why
from aliquot.devices.hosts.simulated.shape import Fault as FaultShape
from aliquot.devices.hosts.simulated.shape import Gpu, HostFile, Nic
from aliquot.devices.hosts.simulated.values import driver_versions, gpu_values, nic_values, same, shared_pci
from aliquot.devices.mig import Geometry, Placement, geometry_of
from aliquot.devices.mig.legal_layouts import violations
from aliquot.devices.naming import family_of, known_models, model_named, models_named, nearest_names
from aliquot.kube.reading.shape import Fault, faults, is_list, is_object, join
from aliquot.kube.reading.strict import unknown_fields, without_unknown

CALLS = {
    "survey": "survey",
    "geometry": "geometry",
    "setMigMode": "set_mig_mode",
    "createInstance": "create_instance",
    "destroyInstance": "destroy_instance",
    "setComputeMode": "set_compute_mode",
    "setTimeSlice": "set_time_slice",
    "startMps": "start_mps",
    "stopMps": "stop_mps",
    "reset": "reset",
    "events": "events",
    "activity": "activity",
}
"""The host's methods as the file spells them."""

_Part = TypeVar("_Part")
_INSTANCE = re.compile(r"(?P<profile>[^@]+)@(?P<start>[0-9]+)", re.ASCII)


class HostFileError(ValueError):
    """A host file that can't be used; holds all its faults."""

    def __init__(self, where: str, faults: tuple[Fault, ...]) -> None:
        super().__init__("; ".join(f"{where}: {join(each.path, '')}: {each.message}" for each in faults))
        self.where = where
        self.faults = faults


def read_host(text: str, where: str) -> HostFile:
    """Read a host file.

    Args:
        text: YAML (JSON is YAML).
        where: the file's name, for messages.

    Raises:
        HostFileError: with every fault of the file.
    """
    try:
        value: Any = yaml.load(text, Loader=yaml.CSafeLoader)
    except yaml.MarkedYAMLError as error:
        line = f"line {error.problem_mark.line + 1}" if error.problem_mark is not None else ""
        raise HostFileError(where, (Fault(line, f"no YAML: {error.problem or error.context}"),)) from None
    except (yaml.YAMLError, ValueError) as error:
        raise HostFileError(where, (Fault("", f"no YAML: {error}"),)) from None
    found = (*unknown_fields(value, HostFile), *faults(value, HostFile))
    pruned = without_unknown(value, HostFile)
    found = (*found, *_judge(pruned))
    if found:
        raise HostFileError(where, found)
    return msgspec.convert(pruned, HostFile)


def _judge(value: Any) -> Iterator[Fault]:
    """What values of the right types have wrong; parts with a wrong type are passed over."""
    if not is_object(value):
        return
    gpus, nics = _parts(value.get("gpus"), Gpu), _parts(value.get("nics"), Nic)
    count = len(value["gpus"]) if is_list(value.get("gpus")) else 0
    if not gpus and not nics and value.get("gpus") == []:
        hint = "aliquot node presets prints one to start from"
        yield Fault("gpus", "a host without GPUs and without network cards", hint)
    for index, gpu in gpus.items():
        for fault in _gpu(gpu):
            yield fault.under(f"gpus[{index}]")
    yield from same(gpus)
    for index, nic in nics.items():
        for fault in nic_values(nic):
            yield fault.under(f"nics[{index}]")
    yield from shared_pci(gpus, nics)
    if is_object(driver := value.get("driver")):
        yield from driver_versions(driver)
    if isinstance(uuids := value.get("migUuids"), str) and uuids not in {"stable", "fresh"}:
        yield Fault("migUuids", f"{uuids!r} isn't known", "stable or fresh")
    for index, wrong in _parts(value.get("faults"), FaultShape).items():
        for each in _fault(wrong, count):
            yield each.under(f"faults[{index}]")
        if wrong.lost and wrong.gpu in gpus and gpus[wrong.gpu].processes:
            yield Fault(f"gpus[{wrong.gpu}].processes", f"nothing runs on a lost GPU, which faults[{index}] makes it")


def _parts(value: Any, shape: type[_Part]) -> dict[int, _Part]:
    """The items of a list by their numbers, without what has a wrong type; not those that lack what they must have."""
    parts: dict[int, _Part] = {}
    for index, item in enumerate(value if is_list(value) else []):
        wrong = {fault.path.partition(".")[0].partition("[")[0] for fault in faults(item, shape)}
        right = {key: each for key, each in item.items() if key not in wrong} if is_object(item) else item
        with suppress(msgspec.ValidationError):
            parts[index] = msgspec.convert(right, shape)
    return parts


def placements(gpu: Gpu) -> tuple[Placement, ...]:
    """The instances of a GPU that was checked."""
    pairs = (each.rpartition("@") for each in gpu.instances)
    return tuple(sorted(Placement(int(start), profile) for profile, _, start in pairs))


def _gpu(gpu: Gpu) -> Iterator[Fault]:
    model = model_named(gpu.model)
    if model is None:
        yield _no_model(gpu.model)
    elif model.vendor != "nvidia":
        yield Fault("model", f"{model.key} isn't NVIDIA's", "only NVIDIA's are simulated")
    elif gpu.memory_mi_b is None and model.memory_mib is None:
        hint = "as its driver reports it: nvidia-smi --query-gpu=memory.total --format=csv"
        yield Fault("memoryMiB", f"missing: how much memory {model.key} has isn't known", hint)
    yield from gpu_values(gpu, model)
    yield from _mig(gpu, model)


def _no_model(name: str) -> Fault:
    """What's wrong with a name that means no one model."""
    several = [each.key for each in models_named(name)]
    if several:
        return Fault("model", f"{name!r} is more than one GPU", f"say which: {', '.join(several)}")
    if family_of(name) is not None:
        return Fault("model", f"of {name} only the MIG layouts are known", f"one of {', '.join(known_models())}")
    meant = nearest_names(name)
    hint = f"did you mean {' or '.join(meant)}?" if meant else f"one of {', '.join(known_models())}"
    return Fault("model", f"no GPU is called {name!r}", hint)


def _mig(gpu: Gpu, model: GpuModel | None) -> Iterator[Fault]:
    geometry = geometry_of(model) if model is not None else None
    if model is not None and geometry is None and (gpu.mig or gpu.instances):
        yield Fault("mig", f"{model.key} has no MIG")
        return
    if gpu.instances and not gpu.mig:
        yield Fault("instances", "there are none without MIG", "mig: true")
    if geometry is None:
        return
    if not geometry.known:
        if gpu.instances:
            yield Fault("instances", f"where instances of {geometry.key} may lie isn't published")
        return
    yield from _instances(gpu, geometry)


def _instances(gpu: Gpu, geometry: Geometry) -> Iterator[Fault]:
    state: list[Placement] = []
    for index, text in enumerate(gpu.instances):
        match = _INSTANCE.fullmatch(text)
        if match is None:
            yield Fault(f"instances[{index}]", f"{text!r} is no instance", "PROFILE@START, such as 3g.20gb@0")
        elif geometry.profile(match["profile"]) is None:
            offered = ", ".join(profile.name for profile in geometry.profiles)
            yield Fault(
                f"instances[{index}]", f"{geometry.key} has no MIG profile {match['profile']}", f"it has {offered}"
            )
        else:
            state.append(Placement(int(match["start"]), match["profile"]))
    for violation in violations(geometry, state):
        yield Fault("instances", violation)


def _fault(fault: FaultShape, gpus: int) -> Iterator[Fault]:
    if fault.gpu is not None and not 0 <= fault.gpu < gpus:
        yield Fault("gpu", f"there's no GPU {fault.gpu}", f"0 to {gpus - 1}" if gpus else "")
    if fault.call is not None and fault.call not in CALLS:
        yield Fault("call", f"a host has no call {fault.call!r}", ", ".join(CALLS))
    if fault.refused is not None and fault.refused not in list(Why):
        yield Fault("refused", f"{fault.refused!r} is no reason", ", ".join(Why))
    for name, number, least in (("nth", fault.nth, 1), ("slowMs", fault.slow_ms, 1), ("xid", fault.xid, 1)):
        if number is not None and number < least:
            yield Fault(name, f"{number} is below {least}")
    if (fault.refused or fault.slow_ms is not None or fault.nth is not None) and fault.call is None:
        yield Fault("call", "missing: which call fails or is slow?", ", ".join(CALLS))
    if (fault.lost or fault.xid is not None) and fault.gpu is None:
        yield Fault("gpu", "missing: which GPU?")
    if not (fault.refused or fault.slow_ms is not None or fault.lost or fault.xid is not None):
        yield Fault("", "nothing goes wrong here", "give refused, slowMs, lost or xid")
