"""The kubelet stand-in: start it on a root, admit pods, see what their containers get."""

import threading
import time
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Self

from aliquot.cdi.machine.folders import Folders
from aliquot.dra.device import DeviceId
from aliquot.kube.pod import Pod
from aliquot.kube.release import Kubernetes
from aliquot.sandbox.kubelet import admission
from aliquot.sandbox.kubelet.answers import Admitted, NotAdmitted, NotRemoved
from aliquot.sandbox.kubelet.api import Api
from aliquot.sandbox.kubelet.dra.health import Health
from aliquot.sandbox.kubelet.dra.unprepare import unprepare
from aliquot.sandbox.kubelet.folders import KubeletFolders
from aliquot.sandbox.kubelet.life import Life
from aliquot.sandbox.kubelet.resource_status import ResourceStatus, status_of
from aliquot.sandbox.kubelet.speaks import speaks
from aliquot.sandbox.kubelet.timing import KUBELETS, Timing
from aliquot.sandbox.kubelet.views import HeldClaim, RegisteredPlugin, held_claims, registered_plugins

_LOOK_S = 0.01


class Kubelet:
    """One node's kubelet. Its methods may be called from any thread; pods are admitted side by side."""

    def __init__(
        self,
        root: str | Path,
        node: str,
        api: Api,
        *,
        kubernetes: Kubernetes | None = None,
        timing: Timing = KUBELETS,
        cdi: Iterable[str | Path] | None = None,
    ) -> None:
        """Nothing runs yet.

        On a root that another Kubelet has used, admit its pods before `timing.tidy_s` is over: claims of pods that
        nobody asks for are unprepared.

        Args:
            root: what is /var/lib/kubelet on a node; short enough for Unix sockets below it.
            node: the node's name.
            api: the API server.
            kubernetes: the release whose kubelet this is; None: the newest.
            timing: how long it waits.
            cdi: the container runtime's spec folders, in which every CDI name must be found; None: nobody looks.
        """
        self.folders = KubeletFolders(Path(root))
        self.node = node
        self.timing = timing
        self._api = api
        self._speaks = speaks(kubernetes if kubernetes is not None else Kubernetes())
        self._cdi = None if cdi is None else Folders(tuple(cdi))
        self._life: Life | None = None
        self._stopping = threading.Event()
        self._lock = threading.Lock()
        self._pods: dict[str, Pod] = {}
        self._running: set[str] = set()

    def __enter__(self) -> Self:
        """Start it."""
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Stop it."""
        self.stop()

    # --- its life -----------------------------------------------------------------------------------------------------
    def start(self) -> None:
        """Start it: it deletes the node's ResourceSlices and the device plugins' sockets, and finds plugins again.

        Raises:
            DamagedCheckpointError: the claims' checkpoint was damaged; the real kubelet doesn't start either.
            ValueError: the root is too long for sockets.
        """
        if self._life is None:
            self._stopping.clear()
            self._life = Life(self.folders, self.node, self._api, self._speaks, self.timing, self.pods)

    def stop(self) -> None:
        """Stop it; containers go on, and so do plugins."""
        self._stopping.set()
        life, self._life = self._life, None
        if life is not None:
            life.stop()

    def restart(self, *, reboot: bool = False) -> None:
        """Stop and start it. `reboot`: the machine was started again, and no container runs any more."""
        self.stop()
        if reboot:
            self._running.clear()
        self.start()

    # --- pods ---------------------------------------------------------------------------------------------------------
    def admit(self, pod: Pod, *, within_s: float = 0.0) -> Admitted | NotAdmitted:
        """Start a pod that was bound to this node; again for one that is here already: it's asked of over and over.

        Args:
            pod: as the API server has it, with claim names in its status.
            within_s: how long to go on trying, as the real kubelet does for ever; 0: one try.
        """
        until = time.monotonic() + within_s
        uid = pod.meta.uid
        with self._lock:
            self._pods[uid] = pod
        while True:
            answer = admission.admit(pod, self._alive, self._api, self._cdi, running=uid in self._running)
            with self._lock:
                if isinstance(answer, Admitted):
                    self._running.add(uid)
                elif answer.final:
                    self._pods.pop(uid, None)
            if isinstance(answer, Admitted) or answer.final or not self._wait(until):
                return answer

    def remove(self, pod: Pod, *, within_s: float = 0.0) -> NotRemoved | None:
        """End a pod: its claims are unprepared, its devices free; else it stays Terminating."""
        until = time.monotonic() + within_s
        uid = pod.meta.uid
        with self._lock:
            self._running.discard(uid)
        while True:
            life = self._alive
            fault = unprepare(uid, life.claims, life.plugins)
            if fault is None:
                break
            if not self._wait(until):
                return NotRemoved(f"unprepare dynamic resources: {fault}")
        self.forget(pod)
        life.allocations.free(uid)
        life.allocations.save(life.resources.names())
        return None

    def forget(self, pod: Pod) -> None:
        """The pod was deleted by force: the kubelet hears of it no more, and finds what it left at its next tidying."""
        with self._lock:
            self._pods.pop(pod.meta.uid, None)
            self._running.discard(pod.meta.uid)

    def pods(self) -> list[Pod]:
        """The pods on the node, those that don't start yet included."""
        with self._lock:
            return list(self._pods.values())

    # --- views --------------------------------------------------------------------------------------------------------
    def plugins(self) -> tuple[RegisteredPlugin, ...]:
        """What is registered: by sockets in plugins_registry, then by kubelet.sock."""
        return registered_plugins(self._alive)

    def refused(self) -> Mapping[str, str]:
        """Registration sockets that aren't registered, and why not; the plugin was told the same, if it could be."""
        return self._alive.watcher.faults()

    def claims(self) -> tuple[HeldClaim, ...]:
        """Claims that are prepared, or were asked for."""
        return held_claims(self._alive)

    def health(self) -> Mapping[DeviceId, Health]:
        """The health that DRA drivers tell of their devices."""
        return self._alive.health.all()

    def devices(self, resource: str) -> Mapping[str, bool]:
        """A device plugin's devices: id -> healthy."""
        return {name: device.healthy for name, device in self._alive.resources.devices(resource).items()}

    def capacity(self) -> Mapping[str, int]:
        """What the node's status counts in `capacity`; in `allocatable` it's `devices` that are healthy."""
        resources = self._alive.resources
        return {name: len(resources.devices(name)) for name in resources.names()}

    def allocatable(self) -> Mapping[str, int]:
        """What the node's status counts in `allocatable`: healthy devices, in use or not."""
        return {name: sum(self.devices(name).values()) for name in self._alive.resources.names()}

    def resource_status(self, pod: Pod) -> Mapping[str, tuple[ResourceStatus, ...]]:
        """Container -> allocatedResourcesStatus in the pod's status; empty where the release has none."""
        if not self._speaks.health:
            return {}
        life = self._alive
        return {
            container.name: status_of(pod, container, life.claims, life.health, life.resources, life.allocations)
            for container in pod.containers
        }

    def wait(self, condition: Callable[[], bool], within_s: float = 10.0) -> bool:
        """Wait until something holds of these views; whether it came to hold in time."""
        until = time.monotonic() + within_s
        while not condition():
            if time.monotonic() >= until:
                return False
            time.sleep(_LOOK_S)
        return True

    @property
    def _alive(self) -> Life:
        if self._life is None:
            raise RuntimeError(f"the kubelet of node {self.node} isn't running: start it first")
        return self._life

    def _wait(self, until: float) -> bool:
        """Until the next try; False: there's no time left for one."""
        left = until - time.monotonic()
        return left > 0 and not self._stopping.wait(min(self.timing.pod_again_s, left))
