"""A survey of a host for people."""

from collections.abc import Iterator, Mapping, Sequence

from aliquot.cli.mig_bars import bars
from aliquot.devices.findings import JudgedXid, judged_xids
from aliquot.devices.gpu import ComputeMode, Gpu, Process
from aliquot.devices.instances import placements_of
from aliquot.devices.links import Accelerator, Nic
from aliquot.devices.mig import Geometry
from aliquot.devices.mig.fitting import still_fit
from aliquot.devices.survey import Survey, Trouble

GIB = 1 << 30
_HEAD = ("GPU", "NAME", "PCI", "NUMA", "USED", "MEMORY", "MIG", "COMPUTE MODE", "TEMP", "POWER")


def lines(survey: Survey, geometries: Mapping[str, Geometry], wrong: Sequence[Trouble]) -> Iterator[str]:
    """The page, line by line."""
    yield f"host     {survey.host}"
    if survey.driver is not None:
        module = f", kernel module {survey.driver.module}" if survey.driver.module else ""
        cuda = f"CUDA up to {survey.driver.cuda}" if survey.driver.cuda else "CUDA unknown"
        yield f"driver   {survey.driver.version}{module}, {cuda}"
    elif not survey.host.startswith("sysfs:"):
        yield "driver   none that answers"
    if survey.gpus or survey.unreadable:
        yield ""
        yield from table(_HEAD, _rows(survey))
    for gpu in survey.gpus:
        yield ""
        yield from _gpu(gpu, geometries.get(gpu.uuid), survey)
    if survey.accelerators:
        yield ""
        yield from table(
            ("OTHER GPU", "PCI", "NUMA", "MEMORY", "DRIVER", "NODES"), map(_accelerator, survey.accelerators)
        )
    if survey.nics:
        yield ""
        yield from table(("NIC", "PCI", "NUMA", "ROOT", "KIND", "LINK", "RDMA"), map(_nic, survey.nics))
    yield from _xids(survey)
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


def _rows(survey: Survey) -> list[tuple[str, ...]]:
    """A row for each GPU, by index; those that don't answer have little to tell."""
    rows = [(gpu.index, _row(gpu)) for gpu in survey.gpus]
    for each in survey.unreadable:
        head = (_text(each.index), "seen on the bus only" if each.index is None else "doesn't answer", each.pci or "-")
        rest = ("unknown" if name == "MIG" else "-" for name in _HEAD[3:])
        rows.append((len(rows) if each.index is None else each.index, (*head, *rest)))
    return [row for _, row in sorted(rows, key=lambda item: item[0])]


def _xids(survey: Survey) -> Iterator[str]:
    """The last XIDs, oldest first; that there were none is said only where that's known."""
    found = judged_xids(survey)
    if found:
        yield from ("", "last XIDs, oldest first:")
        rows = [_xid(each) for each in found]
        yield from table(("XID", "GPU", "INSTANCE", "TIMES", "WHAT IT MEANS", "WHAT TO DO"), rows)
    elif survey.gpus and survey.xids_known:
        yield from ("", "last XIDs: none")
    if survey.gpus and not survey.xids_known:
        yield from ("", "earlier XIDs are unknown: the kernel's log can't be read (/dev/kmsg)")


def _xid(each: JudgedXid) -> tuple[str, ...]:
    return (str(each.xid.number), each.where, _text(each.xid.gi), str(each.count), each.words or "-", each.to_do)


def _row(gpu: Gpu) -> tuple[str, ...]:
    mig = ("unknown" if gpu.mig_unknown else "-") if gpu.mig is None else ("on" if gpu.mig.current else "off")
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


def _gpu(gpu: Gpu, geometry: Geometry | None, survey: Survey) -> Iterator[str]:
    node = "" if gpu.minor is None else f"  /dev/nvidia{gpu.minor}"
    yield f"gpu {gpu.index}  {gpu.uuid}{node}"
    yield f"  state    {', '.join(_state(gpu))}"
    beside = [", ".join(nic.rdma or nic.interfaces) or nic.pci for nic in survey.nics if _near(gpu, nic)]
    if gpu.links or beside:
        yield f"  links    {'; '.join([*_links(gpu), *(f'{each} on the same root' for each in beside)])}"
    yield f"  sharing  {sharing_of(gpu)}"
    if gpu.mig_enabled:
        yield from mig_lines(gpu, geometry, survey)
    for process in gpu.processes:
        yield f"  runs     {_process(process, gpu)}"
    if gpu.processes_unknown:
        yield f"  runs     {'and ' if gpu.processes else ''}what the driver failed to tell"


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
    if gpu.throttled is not None:
        words.append(f"held back by {', '.join(gpu.throttled)}" if gpu.throttled else "clocks free")
    if gpu.architecture is not None:
        words.insert(0, f"{gpu.architecture} {gpu.compute_capability or ''}".rstrip())
    words.insert(0, gpu.model.key if gpu.model is not None else "not in this program's catalogue")
    return words


def _links(gpu: Gpu) -> list[str]:
    if not gpu.links:
        return []
    up = sum(link.active for link in gpu.links)
    remotes = ", ".join(sorted({link.remote for link in gpu.links if link.active}))
    return [f"{up} of {len(gpu.links)} NVLinks up{f' to {remotes}' if remotes else ''}"]


def sharing_of(gpu: Gpu) -> str:
    """How the GPU is shared just now, as far as it can be seen."""
    if gpu.mig_unknown or (gpu.processes_unknown and not gpu.mig_enabled):
        return f"unknown, as {'its MIG mode' if gpu.mig_unknown else 'what runs on it'} is"
    if gpu.mig_enabled:
        count = len(gpu.instances)
        return f"MIG, {count} {'instance' if count == 1 else 'instances'}"
    if any(process.kind == "mps" for process in gpu.processes):
        count = len(gpu.processes)
        return f"MPS, {count} {'process' if count == 1 else 'processes'}"
    if gpu.compute_mode is ComputeMode.PROHIBITED:
        return "none: its compute mode lets no program use it"
    slices = f", time-slice {gpu.time_slice.value}" if gpu.time_slice is not None else ""
    count = sum(process.kind == "compute" for process in gpu.processes)
    return (f"time-slicing, {count} processes" if count > 1 else "whole") + slices


def source_of(geometry: Geometry, survey: Survey) -> str:
    """Who says how a GPU may be cut, for people."""
    if geometry.placement_certainty != "node":
        return "by this program's table: the node didn't tell"
    version = "" if survey.driver is None else f" {survey.driver.version}"
    if survey.host.startswith(("sim:", "preset:")):
        return f"as the simulated driver{version} tells"
    return f"as the node's driver{version} tells"


def mig_page(survey: Survey, geometries: Mapping[str, Geometry]) -> Iterator[str]:
    """The GPUs that have MIG, and those of which that isn't known."""
    for gpu in survey.gpus:
        if gpu.mig is not None or gpu.mig_unknown:
            mode = "unknown" if gpu.mig is None else ("on" if gpu.mig_enabled else "off")
            yield f"gpu {gpu.index}  {gpu.name}  {gpu.uuid}  MIG {mode}"
        if gpu.mig_enabled:
            yield from mig_lines(gpu, geometries.get(gpu.uuid), survey)
    for each in survey.unreadable:
        where = each.trouble.gpu or each.pci or "a GPU"
        answers = "" if each.index is None else "doesn't answer: "
        yield f"{where}  {answers}whether it has MIG is unknown"
    if not survey.unreadable and not any(gpu.mig is not None or gpu.mig_unknown for gpu in survey.gpus):
        asked = survey.driver is not None or not survey.troubles
        yield "no GPU here has MIG" if asked else "whether a GPU here has MIG is unknown"


def mig_lines(gpu: Gpu, geometry: Geometry | None, survey: Survey) -> Iterator[str]:
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
        yield f"  free     {'; '.join(fits) or 'nothing fits'} ({source_of(geometry, survey)})"
    else:
        yield "  free     unknown"


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
