"""From a survey, what its GPUs do and who holds them, the samples of every series."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal

from aliquot.devices.activity import Activity
from aliquot.devices.gpu import Gpu
from aliquot.devices.instances import Instance
from aliquot.devices.survey import Survey
from aliquot.devices.xids import words_of
from aliquot.node.metrics.holders import Holder, Holders
from aliquot.node.metrics.series import OF_ACTIVITY, OF_GPU, XIDS, XIDS_HELP, counted

Labels = dict[str, str]
HostnameLabel = Literal["Hostname", "hostname"]
"""Of dcgm-exporter, up to April 2026 and since."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """What is known at one moment."""

    node: str
    survey: Survey
    activities: Mapping[str, tuple[Activity, ...]] = field(default_factory=dict[str, tuple[Activity, ...]])
    """By the GPU's UUID."""
    holders: Holders = field(default_factory=dict[str, tuple[Holder, ...]])
    hostname_label: HostnameLabel = "Hostname"
    claims: bool = True
    """Whether a claim's names are labels, too."""


@dataclass(frozen=True, slots=True)
class Family:
    """A series with its samples."""

    name: str
    help: str
    samples: tuple[tuple[Labels, float], ...]


def families(scene: Scene) -> tuple[Family, ...]:
    """All series that have samples.

    What several containers hold is told once for each: the value is the whole device's every time.
    """
    found: list[Family] = []
    gpus = [(gpu, _of_gpu(scene, gpu)) for gpu in scene.survey.gpus]
    for series in OF_GPU:
        told = [(rows, value) for gpu, rows in gpus if (value := series.value(gpu)) is not None]
        samples = tuple((labels, float(value)) for rows, value in told for labels in rows)
        found.append(Family(series.name, series.help, samples))
    found.append(Family(XIDS, XIDS_HELP, tuple(_xids(scene, gpus))))
    active = [each for gpu, rows in gpus for each in _active(scene, gpu, rows)]
    for counter in OF_ACTIVITY:
        shares = [(rows, value) for one, rows in active if (value := counter.value(one)) is not None]
        found.append(Family(counter.name, counter.help, tuple((row, value) for rows, value in shares for row in rows)))
    return tuple(each for each in found if each.samples)


def _of_gpu(scene: Scene, gpu: Gpu) -> list[Labels]:
    """The rows of a whole GPU."""
    labels = {"gpu": str(gpu.index), "UUID": gpu.uuid, "pci_bus_id": _pci(gpu.pci)}
    if gpu.minor is not None:
        labels["device"] = f"nvidia{gpu.minor}"
    labels |= {"modelName": gpu.name, scene.hostname_label: scene.node}
    if scene.survey.driver is not None:
        labels["DCGM_FI_DRIVER_VERSION"] = scene.survey.driver.version
    return _held(labels, scene, scene.holders.get(gpu.uuid, ()))


def _of_instance(scene: Scene, gpu: Gpu, instance: Instance) -> list[Labels]:
    """The rows of a MIG instance: its UUID is its GPU's, as with dcgm-exporter."""
    labels = {**_of_gpu_alone(scene, gpu), "GPU_I_ID": str(instance.id), "GPU_I_PROFILE": instance.profile}
    uuids = [one.uuid for one in instance.compute if one.uuid is not None]
    holders = [(holder, uuid) for uuid in uuids for holder in scene.holders.get(uuid, ())]
    rows: list[Labels] = []
    for holder, uuid in holders:
        for row in _held(labels, scene, (holder,)):
            made = {"dra_mig_profile": instance.profile, "dra_mig_device_uuid": uuid}
            rows.append(row | made if holder.claimed is not None and scene.claims else row)
    return rows or [labels]


def _of_gpu_alone(scene: Scene, gpu: Gpu) -> Labels:
    without = Scene(node=scene.node, survey=scene.survey, hostname_label=scene.hostname_label)
    return _of_gpu(without, gpu)[0]


def _held(labels: Labels, scene: Scene, holders: tuple[Holder, ...]) -> list[Labels]:
    """A row for each container; one without where nobody holds it."""
    rows: list[Labels] = []
    for holder in holders:
        row = {**labels, "pod": holder.pod, "namespace": holder.namespace, "container": holder.container}
        if holder.replica:
            row["vgpu"] = holder.replica
        if holder.claimed is not None and scene.claims:
            claimed = holder.claimed
            row |= {"dra_claim_name": claimed.name, "dra_claim_namespace": claimed.namespace}
            row |= {"dra_driver_name": claimed.driver, "dra_pool_name": claimed.pool, "dra_device_name": claimed.device}
        rows.append(row)
    return rows or [labels]


def _xids(scene: Scene, gpus: list[tuple[Gpu, list[Labels]]]) -> Iterator[tuple[Labels, float]]:
    """The last of each GPU; none is 0 only where the kernel's log could be read."""
    last = {xid.gpu: xid.number for xid in scene.survey.xids}
    for gpu, rows in gpus:
        number = last.get(gpu.uuid, last.get(gpu.pci))
        if number is not None:
            said = {"err_code": str(number), "err_msg": words_of(number)}
            yield from (({**row, **said}, float(number)) for row in rows)
        elif scene.survey.xids_known:
            yield from ((row, 0.0) for row in rows)


def _active(scene: Scene, gpu: Gpu, rows: list[Labels]) -> Iterator[tuple[Activity, list[Labels]]]:
    instances = {each.id: each for each in gpu.instances}
    for one in scene.activities.get(gpu.uuid, ()):
        if not counted(one):
            continue
        if one.gi is None:
            yield one, rows
        elif one.gi in instances:
            yield one, _of_instance(scene, gpu, instances[one.gi])


def _pci(pci: str) -> str:
    """As NVML and DCGM write it: `00000000:65:00.0`."""
    domain, _, rest = pci.partition(":")
    return f"{domain:>08}:{rest}".upper()
