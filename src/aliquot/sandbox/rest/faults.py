"""What may go wrong between a client and an API server, on demand."""

import threading
import time
from collections import deque
from dataclasses import dataclass, field

from aliquot.cluster.objects.status import StatusError


@dataclass(slots=True)
class Faults:
    """Of one server; safe to change while it runs."""

    slow_seconds: float = 0.0
    """How long every answer waits."""
    _refusals: deque[tuple[StatusError, str]] = field(default_factory=deque["tuple[StatusError, str]"])
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def refuse(self, times: int = 1, code: int = 429, retry_after: float | None = 1.0, method: str = "") -> None:
        """So many of the next requests (of that method) are answered so."""
        error = StatusError(code, "the sandbox was asked to refuse this request", retry_after=retry_after)
        with self._lock:
            self._refusals.extend([(error, method)] * times)

    def meet(self, method: str) -> None:
        """What a request goes through before it's looked at.

        Raises:
            StatusError: it's refused.
        """
        if self.slow_seconds:
            time.sleep(self.slow_seconds)
        with self._lock:
            for refusal in self._refusals:
                if refusal[1] in {"", method}:
                    self._refusals.remove(refusal)
                    raise refusal[0]
