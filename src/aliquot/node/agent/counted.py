"""The GPUs that go by the device plugin, as counted resources."""

import logging
import threading
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from aliquot.devices.survey import Survey
from aliquot.node.agent.machine import Machine
from aliquot.node.config.values import NodeConfig
from aliquot.node.device_plugin.offering.division import By, Undecided, decide
from aliquot.node.device_plugin.offering.settings import Settings
from aliquot.node.device_plugin.plugins import DevicePlugins, Status
from aliquot.node.device_plugin.shared_gpus import SharedGpus
from aliquot.node.health.picture import Picture
from aliquot.node.keeping.disk import Disk
from aliquot.sharing.plugin_config.values import PluginConfig

_LOG: Final = logging.getLogger(__name__)
LOOK_SECONDS: Final = 30.0
"""Between looks at the host, while nobody tells of a change."""


class KeptFile:
    """What was set up for shared GPUs, written down."""

    def __init__(self, path: Path, disk: Disk) -> None:
        self._path, self._disk = path, disk

    def read(self) -> bytes | None:
        """What was kept last; None: nothing."""
        return self._disk.read(self._path)

    def write(self, data: bytes) -> None:
        """Keep it, in one step."""
        self._disk.replace(self._path, data)


class Counted:
    """The device plugin of a node, with a thread that looks after it; a context manager.

    Args:
        machine: what it stands on.
        config: which GPUs go this way.
        plugin: NVIDIA's configuration file, as it was read.
    """

    def __init__(self, machine: Machine, config: NodeConfig, plugin: PluginConfig) -> None:
        root = Path(config.kubelet_root)
        kept = KeptFile(root / "plugins" / "gpu.nvidia.com" / "aliquot-shared.json", machine.disk)
        shared = SharedGpus(machine.host, machine.daemons, kept, mps_root=str(machine.state))
        settings = Settings(plugin=plugin, offering=config.offer)
        self._plugins = DevicePlugins(settings, shared, folder=root / "device-plugins", tell=_told)
        self._machine, self._config = machine, config
        self._ended, self._wake = threading.Event(), threading.Event()
        self._thread = threading.Thread(target=self._run, name="device plugin", daemon=True)
        self.trouble = ""
        """Why nothing is offered this way; empty: it is, or nothing is to be."""

    def changed(self) -> None:
        """The host may be another than it was."""
        self._wake.set()

    def tell_health(self, picture: Picture) -> None:
        """How the GPUs are."""
        for uuid, one in picture.told.items():
            self._plugins.set_health(uuid, healthy=one.healthy, reason=one.message)
        self.changed()

    @property
    def status(self) -> Status:
        """How it stands."""
        return self._plugins.status()

    def __enter__(self) -> Self:
        if any(rule.by is By.DEVICE_PLUGIN for rule in self._config.offer.rules) or (
            self._config.offer.others is By.DEVICE_PLUGIN
        ):
            taken = self._plugins.start()
            if taken is not None:
                self.trouble = str(taken)
                _LOG.error("device plugin: %s", taken)
            else:
                self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._ended.set()
        self._wake.set()
        if self._thread.is_alive():
            self._thread.join(LOOK_SECONDS)
        self._plugins.stop()

    def _run(self) -> None:
        while not self._ended.is_set():
            self._wake.clear()
            survey = self._machine.host.survey()
            self.trouble = self._undecided(survey)
            self._plugins.update(survey, self._machine.files.inventory(survey))
            self._wake.wait(LOOK_SECONDS)

    def _undecided(self, survey: Survey) -> str:
        decided = decide(self._config.offer, survey)
        return "; ".join(decided.conflicts) if isinstance(decided, Undecided) else ""


def _told(message: str) -> None:
    _LOG.info("device plugin: %s", message)
