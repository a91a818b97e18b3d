"""The door: a node's device plugin, from surveys, health and settings to what the kubelet counts."""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from aliquot.cdi.generate.inventory import Inventory
from aliquot.devices.survey import Survey
from aliquot.node.device_plugin.at_kubelet.keeper import Keeper, Tell
from aliquot.node.device_plugin.at_kubelet.server import Served
from aliquot.node.device_plugin.at_kubelet.sockets import FOLDER, Taken, taken
from aliquot.node.device_plugin.at_kubelet.timing import Timing
from aliquot.node.device_plugin.giving.base import Base
from aliquot.node.device_plugin.known import Known, known
from aliquot.node.device_plugin.offering.resource import Resource
from aliquot.node.device_plugin.offering.settings import Settings
from aliquot.node.device_plugin.offering.wanted import daemon_of, wanted
from aliquot.node.device_plugin.shared_gpus import Brought, SharedGpus


@dataclass(frozen=True, slots=True, kw_only=True)
class ResourceStatus:
    """A resource as it stands."""

    resource: Resource
    socket: str
    registered: bool
    """Whether the kubelet listens to it."""
    problem: str
    """Why it isn't registered; empty: it is, or will be in a moment."""


@dataclass(frozen=True, slots=True)
class Status:
    """The device plugin as it stands."""

    resources: tuple[ResourceStatus, ...]
    problems: tuple[str, ...]
    """Of the configuration on this host."""


class DevicePlugins:
    """A node's device plugin. Its methods may be called from any thread; one `update` or `configure` at a time works.

    Nothing is offered before the first `update`.
    """

    def __init__(
        self,
        settings: Settings,
        shared: SharedGpus,
        *,
        folder: Path = FOLDER,
        timing: Timing | None = None,
        clock: Callable[[], float] = time.monotonic,
        tell: Tell = lambda _message: None,
    ) -> None:
        """Nothing runs yet.

        Args:
            settings: the configuration.
            shared: brings GPUs to how they're shared.
            folder: the kubelet's, for device plugins.
            timing: how long it waits.
            clock: a steady one.
            tell: is told what changes, in words for people; from several threads, and it mustn't ask back.
        """
        self._settings = settings
        self._shared = shared
        self._folder = folder
        self._tell = tell
        self._keeper = Keeper(folder, timing or Timing(), clock, tell)
        self._work = threading.Lock()
        """Held while the host is changed, which may take a while."""
        self._state = threading.Lock()
        self._known: Known | None = None
        self._health: dict[str, str] = {}
        self._brought = Brought({})
        self._base = Base()
        self._problems: tuple[str, ...] = ()
        self._offered: dict[str, Resource] = {}

    def start(self) -> Taken | None:
        """Begin to serve, or say who does already; then nothing runs."""
        other = taken(self._folder)
        if other is None:
            self._keeper.start()
        return other

    def stop(self) -> None:
        """End, and remove the sockets. Containers keep what they have; MPS daemons go on for them."""
        self._keeper.stop()

    def update(self, survey: Survey, files: Inventory | None = None, cdi_names: frozenset[str] | None = None) -> None:
        """The host as it is now; after every change, and every now and then: what failed is tried again.

        Args:
            survey: all of it, with the GPUs that DRA offers.
            files: what is on disk, for device nodes; None: not known.
            cdi_names: the names of the devices in the base spec; None: not known, and not checked.
        """
        with self._work:
            self._apply(known(survey, self._known, files, cdi_names), self._settings)

    def configure(self, settings: Settings) -> None:
        """Other settings from now on."""
        with self._work:
            before = self._known
            if before is None:
                self._settings = settings
            else:
                self._apply(known(self._shared.survey(), before, before.files, before.cdi_names), settings)

    def set_health(self, uuid: str, *, healthy: bool, reason: str = "") -> None:
        """Of a GPU, and of everything on it; or of one MIG device. It's told to the kubelet at once.

        What was said of a MIG device is forgotten when the device is gone.
        """
        with self._state:
            if healthy:
                self._health.pop(uuid, None)
            else:
                self._health[uuid] = reason or "no reason was told"
            self._publish()

    def status(self) -> Status:
        """How it stands."""
        with self._state:
            registered = self._keeper.registered()
            offered = tuple(
                ResourceStatus(resource=each, socket=socket, registered=heard, problem=problem)
                for name, each in self._offered.items()
                for socket, heard, problem in [registered.get(name, ("", False, ""))]
            )
            return Status(offered, self._problems)

    # --- within ---------------------------------------------------------------------------------------------------
    def _apply(self, now: Known, settings: Settings) -> None:
        """Bring the host to it, then tell the kubelet; what isn't shared as it should be isn't told as healthy."""
        wants = wanted(now.found(settings, {}).resources, now.host.gpus, settings.interval)
        brought = self._shared.bring(wants, now.survey)
        running = {gpu for gpu, want in wants.items() if want.mps and gpu not in brought.unusable}
        with self._state:
            self._known, self._settings, self._brought = now, settings, brought
            self._base = now.base({gpu: daemon_of(gpu, self._shared.mps_root) for gpu in running})
            self._health = {uuid: why for uuid, why in self._health.items() if now.still_there(uuid)}
            self._publish()

    def _publish(self) -> None:
        """Tell what is offered, from what is known."""
        if self._known is None:
            return
        found = self._known.found(self._settings, {**self._health, **self._brought.unusable})
        problems = (*found.problems, *self._brought.problems)
        for message in problems:
            if message not in self._problems:
                self._tell(message)
        self._tell_health(found.resources)
        self._problems, self._offered = problems, {each.name: each for each in found.resources}
        self._keeper.want({each.name: Served(each, self._settings, self._base) for each in found.resources})

    def _tell_health(self, now: tuple[Resource, ...]) -> None:
        """One line for each device whose health has changed."""
        before = {unit.uuid: unit.fault for each in self._offered.values() for unit in each.units}
        for unit in (unit for each in now for unit in each.units):
            if unit.fault is not None and before.get(unit.uuid) != unit.fault:
                self._tell(f"{unit.where} ({unit.uuid}) isn't healthy: {unit.fault}")
            elif unit.fault is None and before.get(unit.uuid) is not None:
                self._tell(f"{unit.where} ({unit.uuid}) is healthy again")
