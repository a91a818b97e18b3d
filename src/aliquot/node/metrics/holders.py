"""Who holds which device, from the kubelet's list of what it gave to containers."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from aliquot.devices.gpu import Gpu
from aliquot.devices.survey import Survey
from aliquot.dra.device import DeviceId
from aliquot.node.protos.generated import pod_resources_v1_pb2 as pb
from aliquot.sharing.publish.partitions import gpu_name, mig_name
from aliquot.sharing.publish.pools import GPU_DRIVER

EXPORTER = "dcgm-exporter"
REPLICA = "::"
"""Between a device's UUID and the number of its replica."""


@dataclass(frozen=True, slots=True, order=True)
class Claimed:
    """By which claim a device is held, as what."""

    namespace: str
    name: str
    driver: str
    pool: str
    device: str


@dataclass(frozen=True, slots=True)
class Holder:
    """A container that holds a device."""

    namespace: str
    pod: str
    container: str
    replica: str = ""
    """Which of the replicas that the device plugin made of the device."""
    claimed: Claimed | None = None


Holders = Mapping[str, tuple[Holder, ...]]
"""By the UUID of a GPU or of a MIG device."""


def holders_of(answer: pb.ListPodResourcesResponse, uuids: Mapping[DeviceId, str]) -> Holders:
    """Each once, by pod and container.

    Args:
        answer: of the kubelet.
        uuids: of the devices of claims: also of those that were made for one.
    """
    found: dict[str, dict[Holder, None]] = {}
    for uuid, holder in _held(answer, uuids):
        found.setdefault(uuid, {})[holder] = None
    return {uuid: tuple(holders) for uuid, holders in found.items()}


def exporter_runs(answer: pb.ListPodResourcesResponse) -> bool:
    """Whether NVIDIA's exporter is among the node's pods: it tells the same series."""
    return any(
        EXPORTER in pod.name or any(EXPORTER in one.name for one in pod.containers) for pod in answer.pod_resources
    )


def published_uuids(survey: Survey, pool: str) -> dict[DeviceId, str]:
    """The UUIDs of what stands on the node now, under the names by which it's published."""
    found: dict[DeviceId, str] = {}
    for gpu in survey.gpus:
        for name, uuid in _names(gpu):
            found[DeviceId(GPU_DRIVER, pool, name)] = uuid
    return found


def _names(gpu: Gpu) -> Iterator[tuple[str, str]]:
    if gpu.minor is None:
        return
    yield gpu_name(gpu.minor), gpu.uuid
    for one in gpu.instances:
        if one.start is not None and one.uuid is not None:
            yield mig_name(gpu.minor, one.profile, one.profile_id, one.start), one.uuid


def _held(answer: pb.ListPodResourcesResponse, uuids: Mapping[DeviceId, str]) -> Iterator[tuple[str, Holder]]:
    for pod in answer.pod_resources:
        for container in pod.containers:
            holder = Holder(pod.namespace, pod.name, container.name)
            for devices in container.devices:
                for name in devices.device_ids:
                    uuid, _, replica = name.partition(REPLICA)
                    yield uuid, Holder(pod.namespace, pod.name, container.name, replica)
            for claim in container.dynamic_resources:
                for one in claim.claim_resources:
                    uuid = uuids.get(DeviceId(one.driver_name, one.pool_name, one.device_name), "")
                    if uuid:
                        claimed = Claimed(
                            claim.claim_namespace, claim.claim_name, one.driver_name, one.pool_name, one.device_name
                        )
                        yield uuid, Holder(holder.namespace, holder.pod, holder.container, claimed=claimed)
