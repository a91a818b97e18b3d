"""What values of a host file can't be: of the right type, but no machine has them."""

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from aliquot.devices.catalogue import GpuModel
from aliquot.devices.gpu import ComputeMode, Recovery
from aliquot.devices.hosts.simulated.shape import Driver, Gpu, Nic
from aliquot.devices.mig import geometry_of
from aliquot.kube.reading.shape import Fault

RECOVERIES: Final = {each.name.lower().replace("_", "-"): each for each in Recovery}
"""What a driver may want, as the file spells it."""
_PCI: Final = re.compile(r"[0-9a-f]{4,8}:[0-9a-f]{2}:[01][0-9a-f]\.[0-7]")
_ROOT: Final = re.compile(r"pci[0-9a-f]{4,8}:[0-9a-f]{2}")
_UUID: Final = re.compile(r"GPU-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_DRIVER: Final = re.compile(r"[0-9]{3}\.[0-9]{1,3}(\.[0-9]{1,3})?", re.ASCII)
_CUDA: Final = re.compile(r"[0-9]{1,2}\.[0-9]", re.ASCII)
_COLDEST_C, _HOTTEST_C = -40, 150
_POWER_FACTOR: Final = 2
"""For a moment a GPU draws more than its limit, never so many times it."""
_MOST_LINKS: Final = 36
_LAST_MINOR: Final = 254
"""/dev/nvidia254; 255 is nvidiactl."""


def driver_versions(driver: Mapping[str, Any]) -> Iterator[Fault]:
    """Versions that no driver has."""
    shapes = (("version", _DRIVER, "580.65.06"), ("cuda", _CUDA, "13.0"))
    for name, shape, example in shapes:
        text = driver.get(name, getattr(Driver(), name))
        if isinstance(text, str) and shape.fullmatch(text) is None:
            yield Fault(
                f"driver.{name}", f"{text!r} is no version of {'CUDA' if name == 'cuda' else 'a driver'}", example
            )


def gpu_values(gpu: Gpu, model: GpuModel | None) -> Iterator[Fault]:
    """What one GPU can't have."""
    yield from _identity(gpu)
    limit = None if model is None else model.tdp_w
    yield from _ranges(
        ("minor", gpu.minor, 0, _LAST_MINOR),
        ("numa", gpu.numa, 0, None),
        ("memoryMiB", gpu.memory_mi_b, 1, None),
        ("usedMiB", gpu.used_mi_b, 0, None),
        ("links", gpu.links, 0, _MOST_LINKS),
        ("busyPercent", gpu.busy_percent, 0, 100),
        ("temperatureC", gpu.temperature_c, _COLDEST_C, _HOTTEST_C),
        ("powerW", gpu.power_w, 0, None),
    )
    if limit is not None and gpu.power_w > limit * _POWER_FACTOR:
        yield Fault("powerW", f"{gpu.power_w} W is more than {_POWER_FACTOR} times the limit, {limit:.0f} W")
    if gpu.compute_mode not in list(ComputeMode):
        yield Fault("computeMode", f"{gpu.compute_mode!r} isn't known", ", ".join(ComputeMode))
    elif gpu.mig and gpu.compute_mode == ComputeMode.EXCLUSIVE_PROCESS:
        yield Fault("computeMode", f"there's no {gpu.compute_mode} with MIG on", ComputeMode.DEFAULT.value)
    if gpu.recovery is not None and gpu.recovery not in RECOVERIES:
        yield Fault("recovery", f"{gpu.recovery!r} isn't known", ", ".join(RECOVERIES))
    yield from _processes(gpu)
    yield from _memory(gpu, model)


def nic_values(nic: Nic) -> Iterator[Fault]:
    """What one network card can't have."""
    if _PCI.fullmatch(nic.pci) is None:
        yield Fault("pci", f"{nic.pci!r} is no PCI address", "0000:9a:00.0")
    if nic.kind not in {"ethernet", "infiniband"}:
        yield Fault("kind", f"{nic.kind!r} isn't known", "ethernet or infiniband")
    yield from _root(nic.pcie_root)
    yield from _ranges(("numa", nic.numa, 0, None), ("speedMbps", nic.speed_mbps, 1, None))


def same(gpus: Mapping[int, Gpu]) -> Iterator[Fault]:
    """What no two GPUs may share; a minor that isn't given is the GPU's number."""
    for name in ("uuid", "minor"):
        seen: dict[object, int] = {}
        for index, gpu in gpus.items():
            value: object = getattr(gpu, name)
            if value is None and name == "minor":
                value = index
            if value is not None and seen.setdefault(value, index) != index:
                yield Fault(f"gpus[{index}].{name}", f"{value} is gpus[{seen[value]}]'s too")


def shared_pci(gpus: Mapping[int, Gpu], nics: Mapping[int, Nic]) -> Iterator[Fault]:
    """PCI addresses that two devices have, whatever kind they are."""
    seen: dict[str, str] = {}
    places = [(f"gpus[{index}]", gpu.pci or default_pci(index)) for index, gpu in gpus.items()]
    for place, pci in (*places, *((f"nics[{index}]", nic.pci) for index, nic in nics.items())):
        if seen.setdefault(pci, place) != place:
            yield Fault(f"{place}.pci", f"{pci} is {seen[pci]}'s too")


def default_pci(index: int) -> str:
    """The PCI address of a GPU that is given none."""
    return f"0000:{0x10 + index:02x}:00.0"


def _identity(gpu: Gpu) -> Iterator[Fault]:
    if gpu.pci is not None and _PCI.fullmatch(gpu.pci) is None:
        yield Fault("pci", f"{gpu.pci!r} is no PCI address", "0000:65:00.0")
    yield from _root(gpu.pcie_root)
    if gpu.uuid is not None and _UUID.fullmatch(gpu.uuid) is None:
        yield Fault("uuid", f"{gpu.uuid!r} is no GPU's UUID", "GPU-, then 8-4-4-4-12 hexadecimal digits in lower case")
    if gpu.name is not None and not gpu.name.strip():
        yield Fault("name", "a driver calls no GPU nothing", "leave it out for the model's own")


def _root(text: str | None) -> Iterator[Fault]:
    if text is not None and _ROOT.fullmatch(text) is None:
        yield Fault("pcieRoot", f"{text!r} is no PCIe root", "pci0000:64")


def _ranges(*rows: tuple[str, int | None, int, int | None]) -> Iterator[Fault]:
    for name, value, least, most in rows:
        if value is not None and value < least:
            yield Fault(name, f"{value} is below {least}")
        elif value is not None and most is not None and value > most:
            yield Fault(name, f"{value} is above {most}")


def _processes(gpu: Gpu) -> Iterator[Fault]:
    starts = {each.rpartition("@")[2] for each in gpu.instances}
    for index, process in enumerate(gpu.processes):
        where = f"processes[{index}]"
        for fault in _ranges(("pid", process.pid, 1, None), ("memoryMiB", process.memory_mi_b, 0, None)):
            yield fault.under(where)
        if process.kind not in {"compute", "graphics", "mps"}:
            yield Fault(f"{where}.kind", f"{process.kind!r} isn't known", "compute, graphics or mps")
        if process.start is not None and str(process.start) not in starts:
            yield Fault(f"{where}.start", f"no instance starts at {process.start}")
        if process.start is None and gpu.instances:
            yield Fault(f"{where}.start", "missing: a process on a GPU with instances runs on one of them")


def _memory(gpu: Gpu, model: GpuModel | None) -> Iterator[Fault]:
    """More used than there is, on the GPU or on an instance; negative amounts are told elsewhere."""
    total = gpu.memory_mi_b if gpu.memory_mi_b is not None or model is None else model.memory_mib
    if total is None or total < 1:
        return
    amounts = [max(0, process.memory_mi_b or 0) for process in gpu.processes]
    used = max(0, gpu.used_mi_b or 0) + sum(amounts)
    if used > total:
        parts = "with its processes' " if any(amounts) else ""
        yield Fault("usedMiB", f"{parts}{used} MiB are used of {total}")
    geometry = geometry_of(model) if model is not None else None
    sizes: dict[str, int] = {}
    for text in gpu.instances:
        name, _, start = text.rpartition("@")
        profile = geometry.profile(name) if geometry is not None else None
        if profile is not None and profile.memory_mib is not None:  # a guess by its label judges nothing
            sizes[start] = profile.memory_mib
    if sum(sizes.values()) > total:
        yield Fault("memoryMiB", f"the instances hold {sum(sizes.values())} MiB, the GPU {total}")
    for start, size in sizes.items():
        held = sum(amount for each, amount in zip(gpu.processes, amounts, strict=True) if str(each.start) == start)
        if held > size:
            yield Fault("processes", f"on the instance at {start} they hold {held} MiB of {size}")
