"""Which claims are prepared, by which drivers, for which pods: kept over a restart of the kubelet."""

import threading
from dataclasses import dataclass, field
from pathlib import Path

from aliquot.sandbox.kubelet import checkpoint
from aliquot.sandbox.kubelet.dra.prepared import ClaimRef, PreparedDevice


@dataclass(slots=True)
class ClaimInfo:
    """A claim that was, or is being, prepared."""

    claim: ClaimRef
    drivers: dict[str, tuple[PreparedDevice, ...]]
    """Of its allocation, in order; empty: not answered yet."""
    pods: set[str] = field(default_factory=set[str])
    """UIDs."""
    prepared: bool = False
    """In this run: after a restart every claim is prepared again."""

    def cdi_ids(self, request: str) -> list[str]:
        """Of the devices of a request; empty: of all."""
        return [
            name
            for devices in self.drivers.values()
            for device in devices
            if not request or not device.requests or request.partition("/")[0] in device.requests
            for name in device.cdi_ids
        ]


@dataclass(frozen=True, slots=True)
class _Saved:
    claim: ClaimRef
    drivers: dict[str, tuple[PreparedDevice, ...]]
    pods: list[str]


class Claims:
    """The claims by namespace and name. Hold `lock` while using what `get` gives."""

    def __init__(self, file: Path) -> None:
        """Read what an earlier run left.

        Raises:
            DamagedCheckpointError: the file isn't what was written.
        """
        self.lock = threading.RLock()
        self._file = file
        saved = checkpoint.load(file, list[_Saved]) or []
        self._infos = {
            (one.claim.namespace, one.claim.name): ClaimInfo(one.claim, one.drivers, set(one.pods)) for one in saved
        }

    def get(self, namespace: str, name: str) -> ClaimInfo | None:
        """A claim."""
        return self._infos.get((namespace, name))

    def add(self, info: ClaimInfo) -> None:
        """A claim that's about to be prepared."""
        self._infos[info.claim.namespace, info.claim.name] = info

    def drop(self, claim: ClaimRef) -> None:
        """A claim that was unprepared."""
        self._infos.pop((claim.namespace, claim.name), None)

    def of_pod(self, uid: str) -> list[ClaimInfo]:
        """Those that a pod uses."""
        return [info for info in self._infos.values() if uid in info.pods]

    def all(self) -> list[ClaimInfo]:
        """Every claim."""
        return list(self._infos.values())

    def save(self) -> None:
        """Write the checkpoint."""
        saved = [_Saved(info.claim, info.drivers, sorted(info.pods)) for info in self._infos.values()]
        checkpoint.save(self._file, saved)
