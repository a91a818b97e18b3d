"""A survey of a host for people."""

from collections.abc import Iterator, Mapping, Sequence

from aliquot.cli.mig_bars import bars
from aliquot.devices.gpu import Gpu, Process
from aliquot.devices.instances import placements_of
from aliquot.devices.links import Accelerator, Nic
from aliquot.devices.mig import Geometry
from aliquot.devices.mig.fitting import still_fit
from aliquot.devices.survey import Survey, Trouble

GIB = 1 << 30


def lines(survey: Survey, geometries: Mapping[str, Geometry], wrong: Sequence[Trouble]) -> Iterator[str]:
    """The page, line by line."""
    yield f"host     {survey.host}"
    if survey.driver is not None:
        module = f", kernel module {survey.driver.module}" if survey.driver.module else ""
        yield f"driver   {survey.driver.version}{module}, CUDA up to {survey.driver.cuda}"
    elif not survey.host.startswith("sysfs:"):
        yield "driver   none that answers"
    if survey.gpus:
        yield ""
        yield from table(
            ("GPU", "NAME", "PCI", "NUMA", "USED", "MEMORY", "MIG", "COMPUTE MODE", "TEMP", "POWER"),
            [_row(gpu) for gpu in survey.gpus],
        )
    for gpu in survey.gpus:
        yield ""
        yield from _gpu(gpu, geometries.get(gpu.uuid), survey.nics)
    if survey.accelerators:
        yield ""
        yield from table(
            ("OTHER GPU", "PCI", "NUMA", "MEMORY", "DRIVER", "NODES"), map(_accelerator, survey.accelerators)
        )
    if survey.nics:
        yield ""
        yield from table(("NIC", "PCI", "NUMA", "ROOT", "KIND", "LINK", "RDMA"), map(_nic, survey.nics))
    yield ""
    yield "wrong:" if wrong else "nothing is wrong"
    for each in wrong:
        yield f"  {each}{f' ({each.hint})' if each.hint else ''}"


def table(head: Sequence[str], rows: "Sequence[Sequence[str]] | Iterator[Sequence[str]]") -> Iterator[str]:
    """Columns as wide as they must be."""
    every = [head, *rows]
    widths = [max(len(row[column]) for row in every) for column in range(len(head))]
    for row in every:
        yield "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()


def gib(size: int | None) -> str:
    """Bytes in GiB, or a dash."""
    return "-" if size is None else f"{size / GIB:.1f} GiB"


def _row(gpu: Gpu) -> tuple[str, ...]:
    mig = "-" if gpu.mig is None else ("on" if gpu.mig.current else "off")
    limit = "" if gpu.power_limit_w is None else f" of {gpu.power_limit_w:.0f}"
    return (
        str(gpu.index),
        gpu.name,
        gpu.pci,
        _text(gpu.numa_node),
        gib(gpu.memory.used if gpu.memory else None),
        gib(gpu.memory.total if gpu.memory else None),
        mig,
        gpu.compute_mode.value if gpu.compute_mode else "-",
        "-" if gpu.temperature_c is None else f"{gpu.temperature_c} °C",
        "-" if gpu.power_w is None else f"{gpu.power_w:.0f}{limit} W",
    )


def _gpu(gpu: Gpu, geometry: Geometry | None, nics: Sequence[Nic]) -> Iterator[str]:
    node = "" if gpu.minor is None else f"  /dev/nvidia{gpu.minor}"
    yield f"gpu {gpu.index}  {gpu.uuid}{node}"
    yield f"  state    {', '.join(_state(gpu))}"
    beside = [", ".join(nic.rdma or nic.interfaces) or nic.pci for nic in nics if _near(gpu, nic)]
    if gpu.links or beside:
        yield f"  links    {'; '.join([*_links(gpu), *(f'{each} on the same root' for each in beside)])}"
    yield f"  sharing  {sharing_of(gpu)}"
    if gpu.mig_enabled:
        yield from mig_lines(gpu, geometry)
    for process in gpu.processes:
        yield f"  runs     {_process(process, gpu)}"


def _near(gpu: Gpu, nic: Nic) -> bool:
    return gpu.pcie_root is not None and gpu.pcie_root == nic.pcie_root


def _state(gpu: Gpu) -> list[str]:
    told = [
        (gpu.persistence, "persistence"),
        (gpu.ecc, "ECC"),
    ]
    words = [f"{name} {'on' if value else 'off'}" for value, name in told if value is not None]
    if gpu.utilisation_percent is not None:
        words.append(f"busy {gpu.utilisation_percent} % of the time")
    words.append(f"held back by {', '.join(gpu.throttled)}" if gpu.throttled else "clocks free")
    if gpu.architecture is not None:
        words.insert(0, f"{gpu.architecture} {gpu.compute_capability or ''}".rstrip())
    return words


def _links(gpu: Gpu) -> list[str]:
    if not gpu.links:
        return []
    up = sum(link.active for link in gpu.links)
    remotes = ", ".join(sorted({link.remote for link in gpu.links if link.active}))
    return [f"{up} of {len(gpu.links)} NVLinks up{f' to {remotes}' if remotes else ''}"]


def sharing_of(gpu: Gpu) -> str:
    """How the GPU is shared just now, as far as it can be seen."""
    if gpu.mig_enabled:
        count = len(gpu.instances)
        return f"MIG, {count} {'instance' if count == 1 else 'instances'}"
    if any(process.kind == "mps" for process in gpu.processes):
        count = len(gpu.processes)
        return f"MPS, {count} {'process' if count == 1 else 'processes'}"
    slices = f", time-slice {gpu.time_slice.value}" if gpu.time_slice is not None else ""
    count = sum(process.kind == "compute" for process in gpu.processes)
    return (f"time-slicing, {count} processes" if count > 1 else "whole") + slices


def mig_lines(gpu: Gpu, geometry: Geometry | None) -> Iterator[str]:
    """The layout as bars, each instance, and what still fits."""
    state = placements_of(gpu.instances)
    if geometry is not None and len(state) == len(gpu.instances):
        head, row = bars(geometry, state)
        yield f"  slice    {head}"
        yield f"  layout   {row}"
    for each in gpu.instances:
        where = f"{each.profile} at {each.start}" if each.start is not None else each.profile
        memory = gib(each.memory_mib << 20) if each.memory_mib is not None else "-"
        uuids = ", ".join(compute.uuid or "-" for compute in each.compute) or "no compute instance"
        yield f"  holds    {where}, id {each.id}, {memory}, {uuids}"
    if geometry is not None and len(state) == len(gpu.instances):
        fits = [
            f"{name} at {', '.join(map(str, starts))}" for name, starts in still_fit(geometry, state).items() if starts
        ]
        source = "node" if geometry.placement_certainty == "node" else "this program's table"
        yield f"  free     {'; '.join(fits) or 'nothing fits'} (by the {source})"


def _process(process: Process, gpu: Gpu) -> str:
    words = [f"pid {process.pid}"]
    if process.name:
        words.append(process.name)
    if process.memory is not None:
        words.append(gib(process.memory))
    if process.kind != "compute":
        words.append(process.kind)
    if process.gi is not None:
        profile = next((each.profile for each in gpu.instances if each.id == process.gi), "?")
        words.append(f"on instance {process.gi} ({profile})")
    if process.container:
        words.append(f"container {process.container[:12]}")
    if process.pod:
        words.append(f"pod {process.pod}")
    return ", ".join(words)


def _nic(nic: Nic) -> tuple[str, ...]:
    link = "-" if nic.up is None else ("up" if nic.up else "down")
    speed = f", {nic.speed_mbps / 1000:g} Gb/s" if nic.speed_mbps else ""
    names = ", ".join(nic.interfaces) or "-"
    return (
        names,
        nic.pci,
        _text(nic.numa_node),
        nic.pcie_root or "-",
        nic.kind,
        link + speed,
        ", ".join(nic.rdma) or "-",
    )


def _accelerator(each: Accelerator) -> tuple[str, ...]:
    nodes = [f"card{each.card}"] if each.card is not None else []
    nodes += [f"renderD{each.render}"] if each.render is not None else []
    name = each.name or f"{each.vendor} {each.pci_id}"
    return (name, each.pci, _text(each.numa_node), gib(each.memory), each.driver or "-", ", ".join(nodes) or "-")


def _text(value: object) -> str:
    return "-" if value is None else str(value)
