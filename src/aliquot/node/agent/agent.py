"""The agent, from start to stop.

First what was left is brought in line, then the kubelet is let in, then devices are offered: a claim that comes at once
finds an agent that knows what it holds.
"""

import logging
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Final

from aliquot.devices.hosts.protocol import HostFault
from aliquot.kube.release import Kubernetes
from aliquot.node.agent.counted import Counted
from aliquot.node.agent.machine import Machine
from aliquot.node.agent.one_at_a_time import one_at_a_time
from aliquot.node.agent.pages import Pages, Timed
from aliquot.node.agent.pools import Offering
from aliquot.node.agent.watched import Watched, health_of
from aliquot.node.claims.claim_ref import ClaimRef
from aliquot.node.claims.refusal import Refusal
from aliquot.node.claims.spec import SpecOptions
from aliquot.node.config.values import NodeConfig
from aliquot.node.health.picture import Picture
from aliquot.node.keeping.checkpoint_file import CheckpointFile
from aliquot.node.keeping.spec_files import SpecFiles
from aliquot.node.preparing.answers import Prepared
from aliquot.node.preparing.api_claims import ApiClaims
from aliquot.node.preparing.parts import Parts
from aliquot.node.preparing.preparer import Preparer
from aliquot.node.publishing.publisher import Publisher
from aliquot.node.serving.driver import DraDriver, KubeletFolders
from aliquot.sharing.plugin_config.values import PluginConfig
from aliquot.sharing.publish.pools import GPU_DRIVER

_LOG: Final = logging.getLogger(__name__)
LOOK_SECONDS: Final = 1.0
"""How often sockets are looked after."""
KNOWN_SECONDS: Final = 30.0
"""How long the first look at the GPUs may take, before they're offered by what the driver says at once."""


class Agent:
    """Runs until it's told to stop.

    Args:
        machine: what it stands on.
        config: what it does.
        kubernetes: the API server's release.
        plugin: the configuration of the device plugin.

    Raises:
        ValueError: the kubelet's folder leaves no room for sockets.
    """

    def __init__(
        self, machine: Machine, config: NodeConfig, kubernetes: Kubernetes, plugin: PluginConfig | None = None
    ) -> None:
        machine = replace(machine, host=one_at_a_time(machine.host))  # claims, slices, plugin and watcher share it
        self._machine, self._config = machine, config
        self._stopped, self._known = threading.Event(), threading.Event()
        root = Path(config.kubelet_root)
        drivers = [GPU_DRIVER, *([config.nic_driver] if config.nic_driver else [])]
        self.preparers = {driver: self._preparer(driver, root) for driver in drivers}
        self.offering = Offering(machine.node, machine.host, config, self.preparers[GPU_DRIVER].own)
        self.publisher = Publisher(machine.objects, machine.node, self.offering.pools, kubernetes)
        self.counted = Counted(machine, config, plugin or PluginConfig())
        state = root / "plugins" / GPU_DRIVER / "aliquot-health.json"
        self.watched = Watched(
            machine.host, machine.another(), config, state, machine.disk, boot=machine.boot, changed=self._heard
        )
        self.pages = Pages(machine.node, config, machine.host, self.watched, self.preparers)
        self.drivers = {
            driver: DraDriver(driver, Timed(preparer, self.pages, _told), KubeletFolders(root), pod_uid=machine.pod_uid)
            for driver, preparer in self.preparers.items()
        }

    def run(self) -> None:
        """Run until `stop`.

        Raises:
            OSError: a socket can't be made.
        """
        with ExitStack() as stack:
            stack.enter_context(self.pages.served(lambda: tuple(self.not_alive()), lambda: tuple(self.not_ready())))
            for preparer in self.preparers.values():
                _tell(preparer)
            for driver in self.drivers.values():
                stack.enter_context(driver)
            stack.enter_context(self.watched)
            self._known.wait(KNOWN_SECONDS)  # a GPU that's known to be bad isn't offered for a moment first
            stack.enter_context(self.publisher)
            stack.enter_context(self.counted)
            _LOG.info("ready")
            self._go_on()
            _LOG.info("stopping")

    def stop(self) -> None:
        """Have it end; claims that are being worked on come to their end."""
        self._stopped.set()

    def not_ready(self) -> Iterator[str]:
        """Why it can't serve yet; nothing: it can."""
        for name, driver in self.drivers.items():
            if not driver.registration.registered:
                yield f"{name}: {driver.registration.error or 'the kubelet has not taken it yet'}"
        if self.publisher.trouble:
            yield f"slices: {self.publisher.trouble}"
        if self.counted.trouble:
            yield f"device plugin: {self.counted.trouble}"

    def not_alive(self) -> Iterator[str]:
        """Why it should be started anew."""
        if not self.watched.watch.alive:
            yield "the GPUs aren't watched any more"

    def _heard(self, picture: Picture) -> None:
        """The GPUs are otherwise than before."""
        self.offering.picture = picture
        self._known.set()
        self.publisher.changed()
        for pool in self.offering.pools(self.publisher.kubernetes):
            if pool.driver in self.drivers:
                self.drivers[pool.driver].health.tell(health_of(pool, picture))
        self.counted.tell_health(picture)

    def _go_on(self) -> None:
        reconciled = time.monotonic()
        while not self._stopped.wait(LOOK_SECONDS):
            for name, driver in self.drivers.items():
                try:
                    if driver.restore():
                        _LOG.warning("%s: its sockets were gone, and are made anew", name)
                except OSError as error:
                    _LOG.error("%s: %s", name, error)
            if time.monotonic() - reconciled > self._config.reconcile_seconds:
                for preparer in self.preparers.values():
                    _tell(preparer)
                reconciled = time.monotonic()

    def _preparer(self, driver: str, root: Path) -> Preparer:
        machine, config = self._machine, self._config
        return Preparer(
            Parts(
                node=machine.node,
                boot=machine.boot,
                host=machine.host,
                daemons=machine.daemons,
                files=machine.files,
                claims=ApiClaims(machine.objects),
                checkpoint=CheckpointFile(root / "plugins" / driver / "aliquot-checkpoint.json", machine.disk),
                specs=SpecFiles(Path(config.cdi_folder), driver, machine.disk),
                driver=driver,
                options=SpecOptions(net_devices=config.net_devices),
                mps_root=str(machine.state),
            )
        )


def _told(claim: ClaimRef, found: object, seconds: float) -> None:
    """A claim's story, a line in the log."""
    took = f"{seconds * 1000:.0f} ms"
    if isinstance(found, Refusal):
        _LOG.warning("claim %s: refused: %s (%s)", claim, found, took)
    elif isinstance(found, Prepared):
        devices = ", ".join(one.device for one in found.devices)
        _LOG.info("claim %s: prepared %s (%s)%s", claim, devices, took, "".join(f"; {note}" for note in found.notes))
    else:
        _LOG.info("claim %s: unprepared (%s)", claim, took)


def _tell(preparer: Preparer) -> None:
    """Bring everything in line, and say what was found."""
    try:
        for found in preparer.reconcile():
            _LOG.log(
                logging.WARNING if found.what in {"loss", "trouble"} else logging.INFO, "%s: %s", found.what, found
            )
    except HostFault as fault:
        _LOG.warning("%s", fault)
