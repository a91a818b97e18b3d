"""Listening for XIDs: without end, in a thread of its own, and slower the longer it fails."""

import threading
from collections.abc import Callable

from aliquot.devices.hosts.protocol import Host
from aliquot.devices.survey import Xid
from aliquot.node.health.asking import Asker
from aliquot.node.health.timing import Timing


class Listener:
    """Listens from `start` to `stop`."""

    def __init__(
        self, host: Host, timing: Timing, told: Callable[[tuple[Xid, ...]], None], failed: Callable[[], None]
    ) -> None:
        """Nothing is asked yet.

        Args:
            host: who is listened to; nobody else calls it meanwhile, unless it bears several threads.
            timing: how long it waits.
            told: gets XIDs.
            failed: is told that a wait failed: a lost GPU isn't always named, so each is to be asked.
        """
        self._host = host
        self._timing = timing
        self._told, self._failed = told, failed
        self.began = threading.Event()
        """Set once the driver tells what happens from now on, or refuses to."""
        self.trouble = ""
        """Why the last wait failed."""
        self._stopping = threading.Event()
        self._asker = Asker("listening for XIDs", timing.listen + timing.answer)
        self._thread = threading.Thread(target=self._run, name="gpu-events", daemon=True)

    @property
    def alive(self) -> bool:
        """Whether it listens."""
        return self._thread.is_alive()

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def stop(self) -> None:
        """End; a wait that's still out is let be."""
        self._stopping.set()
        self._asker.close()
        self.began.set()
        self._thread.join()

    def _run(self) -> None:
        pause, wait = self._timing.again, 0.0  # the first wait only begins to listen
        while not self._stopping.is_set():
            try:
                xids = self._waited(wait)
            except Exception as error:  # noqa: BLE001 - whatever fails there, it's listened again
                if self._stopping.is_set():
                    return
                self.trouble = str(error)
                self.began.set()
                self._failed()
                self._stopping.wait(pause)
                pause = min(pause * 2, self._timing.longest)
                continue
            pause, wait = self._timing.again, self._timing.listen
            self.trouble = ""
            self.began.set()
            if xids:
                self._told(xids)

    def _waited(self, seconds: float) -> tuple[Xid, ...]:
        return self._asker.ask(lambda: self._host.events(seconds))
