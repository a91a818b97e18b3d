"""One plugin of a DRA driver: its connection, watched, and the services chosen for it."""

import threading
import time
from collections.abc import Callable, Mapping, Sequence

import grpc

from aliquot.node.protos.rpc import dial
from aliquot.sandbox.kubelet.dra import calls
from aliquot.sandbox.kubelet.dra.prepared import Answered, ClaimRef
from aliquot.sandbox.kubelet.registration.offer import Offer
from aliquot.sandbox.kubelet.timing import Timing

_SETTLE_S = 0.3
"""gRPC's own thread looks at a connection's state every 0.2 s, and fails loudly on one that was closed meanwhile."""


class Plugin:
    """A connection that is kept up: it's made at once, and made again when it's lost."""

    def __init__(self, offer: Offer, service: str, timing: Timing, changed: Callable[[str], None]) -> None:
        """`changed` is told the driver whenever `connected` may have changed."""
        self.driver = offer.name
        self.endpoint = offer.endpoint
        self.registration = offer.socket
        self.service = service
        self.connected = False
        self._limit_s = timing.call_s
        self._changed = changed
        again_ms = int(timing.reconnect_s * 1000)
        self.channel = dial(
            offer.endpoint,
            ("grpc.initial_reconnect_backoff_ms", again_ms),
            ("grpc.min_reconnect_backoff_ms", again_ms),
            ("grpc.max_reconnect_backoff_ms", max(again_ms, 120_000 if timing.reconnect_s >= 1 else again_ms)),
        )
        self._closed = False

    def connect(self) -> None:
        """Begin."""
        self.channel.subscribe(self._seen, try_to_connect=True)

    def prepare(self, claims: Sequence[ClaimRef]) -> Mapping[str, Answered]:
        """See `calls.prepare`."""
        return calls.prepare(self.channel, self.service, claims, self._limit_s)

    def unprepare(self, claims: Sequence[ClaimRef]) -> Mapping[str, str]:
        """See `calls.unprepare`."""
        return calls.unprepare(self.channel, self.service, claims, self._limit_s)

    def close(self) -> threading.Thread:
        """Give it up; the thread ends when the connection is closed, and calls under way with it."""
        self._closed = True
        self.connected = False
        self.channel.unsubscribe(self._seen)
        closing = threading.Thread(target=self._close, name=f"closing {self.endpoint}", daemon=True)
        closing.start()
        return closing

    def _close(self) -> None:
        time.sleep(_SETTLE_S)
        self.channel.close()

    def _seen(self, state: grpc.ChannelConnectivity) -> None:
        if self._closed:
            return
        self.connected = state is grpc.ChannelConnectivity.READY
        if state is grpc.ChannelConnectivity.IDLE:  # gRPC would wait for a call; we want to know when it's back
            self.channel.subscribe(_nobody, try_to_connect=True)
            self.channel.unsubscribe(_nobody)
        self._changed(self.driver)


def _nobody(_state: grpc.ChannelConnectivity) -> None:
    """Is told, and does nothing."""
