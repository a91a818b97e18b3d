"""This machine's driver files and device nodes, looked for again when something about them has changed."""

import threading
from pathlib import Path
from typing import Final

from aliquot.cdi.generate.inventory import Inventory
from aliquot.cdi.generate.nvidia import NEEDED_NODES
from aliquot.cdi.host.discover import discover, driver_version
from aliquot.cdi.host.local_host import LocalHost
from aliquot.cdi.host.tree import Tree
from aliquot.cdi.host_findings import HostFiles
from aliquot.devices.survey import Survey

_FOLDERS: Final = ("/dev", "/dev/dri", "/dev/dri/by-path", "/dev/infiniband", "/dev/nvidia-caps")
_INSTANCES: Final = "/proc/driver/nvidia/capabilities/gpu*/mig/gi*/ci*"

_Signature = tuple[object, ...]


class LocalFiles:
    """What CDI specs are made from and held against: an inventory without its GPUs, and this machine's files.

    Finding the driver's files takes longer than all else of a claim, so an inventory is kept; never one that was taken
    before the driver had made its nodes.
    """

    def __init__(self, *, driver_root: str = "/", dev_root: str = "", system_root: str = "/") -> None:
        """Nothing is looked for yet. The roots are those of `cdi.host.discover`."""
        self._roots = (driver_root, dev_root, system_root)
        self._devices = Path(dev_root or driver_root)
        self._system = Tree(system_root)
        self._lock = threading.Lock()
        self._known: tuple[_Signature, Inventory] | None = None

    def inventory(self, survey: Survey) -> Inventory:  # noqa: ARG002 - a simulated host needs it
        """What the machine has just now."""
        with self._lock:
            signature = self._signature()
            if self._known is not None and self._known[0] == signature:
                return self._known[1]
            driver, dev, system = self._roots
            found = discover(driver, dev, system)
            complete = found.driver is not None and all(found.node(path) is not None for path in NEEDED_NODES)
            self._known = (signature, found) if complete else None
            return found

    def host(self, inventory: Inventory) -> HostFiles:  # noqa: ARG002 - a simulated host needs it
        """What a spec is held against: this machine's files, as they are."""
        return LocalHost()

    def forget(self) -> None:
        """Look for everything again at the next call."""
        with self._lock:
            self._known = None

    def _signature(self) -> _Signature:
        """Changes when a node comes or goes, an instance does, or the driver is another one."""
        times = (_changed(self._devices / folder.lstrip("/")) for folder in _FOLDERS)
        return (driver_version(self._system), *times, *self._system.glob(_INSTANCES))


def _changed(folder: Path) -> int | None:
    try:
        return folder.stat().st_mtime_ns
    except OSError:
        return None
