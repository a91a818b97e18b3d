"""What `cdi.generate` needs of a host: its files as they were found on disk, its NVIDIA GPUs as the driver tells them.

Which MIG devices there are comes from the driver's own list of instances. Files know the rest, and stand alone where
no driver can be asked: they know no UUID of a MIG device, and count MIG devices in the order of their instances.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace

from aliquot.cdi.generate import inventory as cdi
from aliquot.devices.gpu import Gpu
from aliquot.devices.survey import Survey


def inventory_of(files: cdi.Inventory, survey: Survey) -> cdi.Inventory:
    """A host's inventory.

    Args:
        files: what was found on disk.
        survey: what the driver says; its GPUs count, those of the files that it doesn't count don't.
    """
    drm = {gpu.address: gpu.drm_nodes for gpu in files.gpus if gpu.address}
    gpus = tuple(
        _gpu(gpu, gpu.minor, drm.get(gpu.pci) or _linked(files.dev_links, gpu.pci))
        for gpu in survey.gpus
        if gpu.minor is not None
    )
    return replace(files, gpus=gpus, notes=tuple(_notes(files, survey)))


def _gpu(gpu: Gpu, minor: int, drm_nodes: tuple[str, ...]) -> cdi.Gpu:
    return cdi.Gpu(
        index=gpu.index,
        minor=minor,
        uuid=gpu.uuid,
        address=gpu.pci,
        drm_nodes=drm_nodes,
        mig=tuple(_mig_devices(gpu)) if gpu.mig_enabled else None,
    )


def _mig_devices(gpu: Gpu) -> Iterator[cdi.MigDevice]:
    """By instance, as files would count them; their numbers are the driver's where it tells them."""
    pairs = sorted(
        ((instance, compute) for instance in gpu.instances for compute in instance.compute),
        key=lambda pair: (pair[0].id, pair[1].id),
    )
    told = all(compute.index is not None for _, compute in pairs)
    for number, (instance, compute) in enumerate(pairs):
        yield cdi.MigDevice(
            index=compute.index if told and compute.index is not None else number,
            gpu_instance=instance.id,
            compute_instance=compute.id,
            uuid=compute.uuid or "",
            graphics="+gfx" in instance.profile,
        )


def _linked(links: Mapping[str, str], address: str) -> tuple[str, ...]:
    """The DRM nodes of a GPU by the links in /dev/dri/by-path."""
    targets = (links.get(f"/dev/dri/by-path/pci-{address}-{end}", "") for end in ("card", "render"))
    return tuple(target.rpartition("/")[2] for target in targets if target)


def _notes(files: cdi.Inventory, survey: Survey) -> Iterator[str]:
    for each in survey.unreadable:
        yield f"{each.trouble} (left out)"
    for gpu in survey.gpus:
        if gpu.minor is None:
            yield f"gpu {gpu.index} ({gpu.pci}) is left out: the driver doesn't tell its minor number"
        for instance in gpu.instances:
            if not instance.compute:
                where = f"gpu {gpu.index}, instance {instance.id} ({instance.profile})"
                yield f"{where} is left out: it has no compute instance"
    if files.driver is not None and survey.driver is not None and files.driver.version != survey.driver.version:
        yield f"the driver's files are {files.driver.version}, the driver that answers is {survey.driver.version}"
