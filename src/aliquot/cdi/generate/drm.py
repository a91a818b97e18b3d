"""AMD and Intel GPUs, which are their DRM nodes, and RDMA devices of network cards."""

from collections.abc import Iterator, Sequence

from aliquot.cdi.generate.device_ids import NameStrategy
from aliquot.cdi.generate.edits_builder import EditsBuilder
from aliquot.cdi.generate.inventory import DrmGpu
from aliquot.cdi.spec import Device


def amd_devices(builder: EditsBuilder, strategies: Sequence[NameStrategy]) -> tuple[Device, ...]:
    """A device per AMD GPU or partition; `/dev/kfd`, which computing needs, is common to them."""
    return tuple(_devices(builder, [gpu for gpu in builder.inventory.drm_gpus if gpu.vendor == "amd"], strategies))


def intel_devices(builder: EditsBuilder, strategies: Sequence[NameStrategy]) -> tuple[Device, ...]:
    """A device per Intel GPU."""
    return tuple(_devices(builder, [gpu for gpu in builder.inventory.drm_gpus if gpu.vendor == "intel"], strategies))


def _devices(builder: EditsBuilder, gpus: Sequence[DrmGpu], strategies: Sequence[NameStrategy]) -> Iterator[Device]:
    for index, gpu in enumerate(gpus):
        nodes = builder.matching(*(f"/dev/dri/{name}" for name in gpu.drm_nodes))
        if not any(node.path.startswith("/dev/dri/renderD") for node in nodes):
            builder.warn(f"the {gpu.vendor} GPU at {gpu.address} is left out: it has no render node")
            continue
        for name in _names(index, gpu, strategies):
            yield Device(name=name, edits=builder.found(nodes))


def _names(index: int, gpu: DrmGpu, strategies: Sequence[NameStrategy]) -> tuple[str, ...]:
    """By index, or by what stays the same over reboots: the unique id where the GPU has one, else the PCI address."""
    by_strategy = {"index": f"{index}", "type-index": f"gpu{index}", "uuid": gpu.unique_id or gpu.address}
    return tuple(dict.fromkeys(by_strategy[strategy] for strategy in strategies))


def nic_devices(builder: EditsBuilder) -> tuple[Device, ...]:
    """A device per RDMA device, by its name and by its PCI address; the connection manager's node is common to them."""
    devices: list[Device] = []
    for nic in builder.inventory.nics:
        edits = builder.nodes(*(f"/dev/infiniband/{name}" for name in nic.nodes))
        if not any(node.path.startswith("/dev/infiniband/uverbs") for node in edits.device_nodes):
            builder.warn(f"the RDMA device {nic.name} is left out: it has no uverbs node", "load ib_uverbs")
            continue
        devices += [Device(name=name, edits=edits) for name in dict.fromkeys((nic.name, nic.address)) if name]
    return tuple(devices)
