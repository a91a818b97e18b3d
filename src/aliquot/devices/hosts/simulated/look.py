"""A simulated host as a survey shows it: its file and its state as one."""

from functools import reduce
from uuid import NAMESPACE_DNS, uuid5

from aliquot.devices.activity import Activity
from aliquot.devices.catalogue import GpuModel
from aliquot.devices.gpu import ComputeMode, Gpu, Memory, Process, Recovery
from aliquot.devices.hosts.simulated import shape
from aliquot.devices.hosts.simulated.file import placements
from aliquot.devices.hosts.simulated.rules import after_xid, create
from aliquot.devices.hosts.simulated.state import GpuState, HostState
from aliquot.devices.hosts.simulated.values import RECOVERIES, default_pci
from aliquot.devices.instances import MigMode
from aliquot.devices.links import Nic, NvLink
from aliquot.devices.mig import geometry_of
from aliquot.devices.naming import model_named

MIB = 1024 * 1024
_BRANDS = (("GeForce RTX", "GeForceRTX"), ("RTX", "NvidiaRTX"))


def model_of(gpu: shape.Gpu) -> GpuModel:
    """The model of a GPU in a checked file."""
    model = model_named(gpu.model)
    assert model is not None, gpu.model
    return model


def uuid_of(host: shape.HostFile, index: int) -> str:
    """Its UUID: the file's, or one that follows from the host's name and its place in the list."""
    seed = f"{host.name or 'host'}/{index}"
    return host.gpus[index].uuid or f"GPU-{uuid5(NAMESPACE_DNS, seed)}"


def pci_of(host: shape.HostFile, index: int) -> str:
    """Its PCI address."""
    return host.gpus[index].pci or default_pci(index)


def first_state(host: shape.HostFile) -> HostState:
    """The state of a host that was just started."""
    return HostState(gpus={uuid_of(host, index): _first(host, index) for index in range(len(host.gpus))})


def _first(host: shape.HostFile, index: int) -> GpuState:
    gpu = host.gpus[index]
    geometry = geometry_of(model_of(gpu))
    state = GpuState(
        uuid=uuid_of(host, index),
        mig=MigMode(gpu.mig, gpu.mig) if geometry is not None else None,
        compute_mode=ComputeMode(gpu.compute_mode),
        persistence=gpu.persistence,
        lost=any(fault.lost and fault.gpu == index for fault in host.faults),
        recovery=_wanted(host, index),
    )
    for place in placements(gpu):
        state, _ = create(state, geometry, place, fresh=host.mig_uuids == "fresh")
    ids = {instance.start: instance.id for instance in state.instances}
    return state.replaced(
        processes=tuple(
            Process(
                pid=each.pid,
                kind=each.kind,
                memory=None if each.memory_mi_b is None else each.memory_mi_b * MIB,
                gi=None if each.start is None else ids[each.start],
                ci=None if each.start is None else 0,
                name=each.name,
                container=each.container,
                pod=each.pod,
            )
            for each in gpu.processes
        )
    )


def _wanted(host: shape.HostFile, index: int) -> Recovery:
    """What its driver wants at the start."""
    given = host.gpus[index].recovery
    if given is not None:
        return RECOVERIES[given]
    xids = [fault.xid for fault in host.faults if fault.gpu == index and fault.xid is not None]
    return reduce(after_xid, xids, Recovery.NONE)


def gpu_now(host: shape.HostFile, index: int, state: GpuState) -> Gpu:
    """One GPU as it is."""
    given, model = host.gpus[index], model_of(host.gpus[index])
    total = given.memory_mi_b if given.memory_mi_b is not None else model.memory_mib or 0
    used = (given.used_mi_b or 0) * MIB + sum(process.memory or 0 for process in state.processes)
    return Gpu(
        index=index,
        uuid=state.uuid,
        name=given.name or model.products[0],
        pci=pci_of(host, index),
        pci_id=model.pci_ids[0] if model.pci_ids else None,
        minor=index if given.minor is None else given.minor,
        brand=brand_of(given.name or model.products[0]),
        architecture=model.architecture,
        compute_capability=model.compute_capability,
        memory=Memory(total=total * MIB, used=used),
        numa_node=given.numa,
        pcie_root=given.pcie_root,
        mig=state.mig,
        instances=state.instances,
        compute_mode=state.compute_mode,
        time_slice=state.time_slice,
        persistence=state.persistence,
        ecc=given.ecc,
        ecc_pending=given.ecc,
        recovery=state.recovery,
        throttled=(),
        utilisation_percent=None if state.mig is not None and state.mig.current else given.busy_percent,
        temperature_c=given.temperature_c,
        power_w=float(given.power_w),
        power_limit_w=model.tdp_w,
        links=tuple(NvLink(number=number, active=True, remote="switch") for number in range(given.links)),
        processes=state.processes,
    )


def brand_of(name: str) -> str:
    """The brand that a driver tells of a product."""
    return next((brand for words, brand in _BRANDS if words in name), "Nvidia")


def activity_now(host: shape.HostFile, index: int, state: GpuState) -> tuple[Activity, ...]:
    """How busy it is, as far as a part of its architecture can tell: counters came with Hopper."""
    busy, architecture = host.gpus[index].busy_percent / 100, model_of(host.gpus[index]).architecture
    counters = architecture in {"Hopper", "Blackwell"}
    if state.mig is None or not state.mig.current:
        return (Activity(busy=busy, sm=busy if counters else None),)
    at_work = {process.gi for process in state.processes}
    shares = {each.id: busy if each.id in at_work else 0.0 for each in state.instances} if counters else {}
    return tuple(Activity(gi=number, busy=share, sm=share) for number, share in shares.items())


def nic_now(nic: shape.Nic) -> Nic:
    """One network card."""
    return Nic(
        pci=nic.pci,
        kind=nic.kind,
        interfaces=tuple(nic.interfaces),
        rdma=tuple(nic.rdma),
        up=nic.up,
        speed_mbps=nic.speed_mbps,
        numa_node=nic.numa,
        pcie_root=nic.pcie_root,
    )
