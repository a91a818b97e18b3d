"""What the kubelet does by itself: slices of drivers that are away are deleted, claims of lost pods unprepared."""

import threading
import time
from collections.abc import Callable
from typing import Final

from aliquot.kube.pod import Pod
from aliquot.sandbox.kubelet.api import Api
from aliquot.sandbox.kubelet.dra.claims import Claims
from aliquot.sandbox.kubelet.dra.plugins import DraPlugins
from aliquot.sandbox.kubelet.dra.unprepare import unprepare
from aliquot.sandbox.kubelet.timing import Timing

_LONGEST_WIPE_DELAY_S: Final = 300.0


class Housekeeping:
    """A thread. All slices of the node are deleted when it starts: no driver has registered yet."""

    def __init__(
        self,
        node: str,
        api: Api,
        claims: Claims,
        plugins: DraPlugins,
        pods: Callable[[], list[Pod]],
        timing: Timing,
    ) -> None:
        self._node = node
        self._api = api
        self._claims = claims
        self._plugins = plugins
        self._pods = pods
        self._timing = timing
        self._ended = threading.Event()
        now = time.monotonic()
        self._wipes: dict[str | None, tuple[float, float]] = {None: (now, timing.wipe_again_s)}
        """Driver (None: all) -> when to try, and how long to wait if that fails."""
        self._tidy_at = now + timing.tidy_s
        self._thread = threading.Thread(target=self._run, name="housekeeping", daemon=True)

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def stop(self) -> None:
        """End, and wait for it."""
        self._ended.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._ended.is_set():
            now = time.monotonic()
            for driver in self._plugins.due():
                self._wipes.setdefault(driver, (now, self._timing.wipe_again_s))
            for whose, (at, delay) in list(self._wipes.items()):
                if at <= now:
                    self._wipe(whose, delay)
            if self._tidy_at <= now:
                self._tidy()
                self._tidy_at = time.monotonic() + self._timing.tidy_s
            self._ended.wait(self._timing.look_s)

    def _wipe(self, driver: str | None, delay: float) -> None:
        try:
            self._api.delete_slices(self._node, driver)
        except OSError:  # the API server is away
            self._wipes[driver] = time.monotonic() + delay, min(delay * 2, _LONGEST_WIPE_DELAY_S)
        else:
            del self._wipes[driver]

    def _tidy(self) -> None:
        """A pod that was deleted by force never ended here; a failure is tried again the next time."""
        here = {pod.meta.uid for pod in self._pods()}
        with self._claims.lock:
            lost = {uid for info in self._claims.all() for uid in info.pods} - here
        for uid in sorted(lost):
            unprepare(uid, self._claims, self._plugins)
