"""Which container has which devices, and what its plugin said of them: kept over a restart of the kubelet."""

import threading
from dataclasses import dataclass
from pathlib import Path

from aliquot.node.protos.generated import device_plugin_v1beta1_pb2 as pb
from aliquot.sandbox.kubelet import checkpoint


@dataclass(frozen=True, slots=True)
class Allocation:
    """Devices of one resource in one container."""

    pod: str
    """Its UID."""
    container: str
    resource: str
    devices: tuple[str, ...]
    response: bytes
    """The plugin's ContainerAllocateResponse."""

    @property
    def gives(self) -> pb.ContainerAllocateResponse:
        """What the plugin said."""
        return pb.ContainerAllocateResponse.FromString(self.response)


@dataclass(frozen=True, slots=True)
class _Saved:
    allocations: list[Allocation]
    resources: list[str]


class Allocations:
    """All containers' devices; any thread may ask."""

    def __init__(self, file: Path) -> None:
        """Read what an earlier run left; a damaged file is passed over, as the real kubelet does with this one."""
        self.admission = threading.Lock()
        """Held from looking what's free to taking it, calls of plugins included: pods are admitted one by one."""
        self._lock = threading.RLock()
        self._file = file
        try:
            saved = checkpoint.load(file, _Saved)
        except checkpoint.DamagedCheckpointError:
            saved = None
        self._all = {
            (one.pod, one.container, one.resource): one for one in (saved.allocations if saved is not None else ())
        }
        self.resources = tuple(saved.resources) if saved is not None else ()
        """Those that were counted when it was last written."""

    def get(self, pod: str, container: str, resource: str) -> Allocation | None:
        """One container's devices of one resource."""
        with self._lock:
            return self._all.get((pod, container, resource))

    def of_container(self, pod: str, container: str) -> list[Allocation]:
        """One container's devices, resource by resource."""
        with self._lock:
            return [one for (uid, name, _), one in sorted(self._all.items()) if (uid, name) == (pod, container)]

    def in_use(self, resource: str) -> set[str]:
        """Devices that some container has."""
        with self._lock:
            return {device for one in self._all.values() if one.resource == resource for device in one.devices}

    def put(self, allocation: Allocation) -> None:
        """A container has these now."""
        with self._lock:
            self._all[allocation.pod, allocation.container, allocation.resource] = allocation

    def free(self, pod: str) -> None:
        """The pod has ended."""
        with self._lock:
            self._all = {key: one for key, one in self._all.items() if one.pod != pod}

    def save(self, resources: list[str]) -> None:
        """Write the checkpoint."""
        with self._lock:
            checkpoint.save(self._file, _Saved([one for _, one in sorted(self._all.items())], resources))
