"""A host that many threads may ask: one call at a time, as a driver's session wants it."""

import threading
from typing import Any, cast

from aliquot.devices.hosts.protocol import Host


class _OneAtATime:
    def __init__(self, host: Host) -> None:
        self._host, self._turn = host, threading.Lock()

    def __getattr__(self, name: str) -> Any:
        method = getattr(self._host, name)

        def call(*arguments: Any, **options: Any) -> Any:
            with self._turn:
                return method(*arguments, **options)

        return call


def one_at_a_time(host: Host) -> Host:
    """The same host, for any number of threads."""
    return cast("Host", _OneAtATime(host))
