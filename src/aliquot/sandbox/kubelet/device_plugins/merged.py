"""What several resources' plugins say of one container, as one."""

from collections.abc import Iterable
from types import MappingProxyType

from aliquot.node.protos.generated import device_plugin_v1beta1_pb2 as pb
from aliquot.sandbox.kubelet.answers import ContainerGets, DeviceNode, Mount


def merged(cdi_devices: Iterable[str], responses: Iterable[pb.ContainerAllocateResponse]) -> ContainerGets:
    """CDI names of claims, and what plugins gave: of two with one name, path or key the first stays."""
    names = dict.fromkeys(cdi_devices)
    envs: dict[str, str] = {}
    annotations: dict[str, str] = {}
    mounts: dict[str, Mount] = {}
    devices: dict[str, DeviceNode] = {}
    for response in responses:
        names |= dict.fromkeys(device.name for device in response.cdi_devices)
        for mine, theirs in ((envs, response.envs), (annotations, response.annotations)):
            for key, value in theirs.items():
                mine.setdefault(key, value)
        for mount in response.mounts:
            mounts.setdefault(mount.container_path, Mount(mount.container_path, mount.host_path, mount.read_only))
        for node in response.devices:
            devices.setdefault(node.container_path, DeviceNode(node.container_path, node.host_path, node.permissions))
    return ContainerGets(
        tuple(names),
        MappingProxyType(envs),
        tuple(mounts.values()),
        tuple(devices.values()),
        MappingProxyType(annotations),
    )
