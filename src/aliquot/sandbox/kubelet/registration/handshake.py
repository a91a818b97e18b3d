"""One try to register the plugin behind a socket: dial, ask, judge, tell."""

from collections.abc import Mapping

import grpc

from aliquot.node.protos.generated import registration_v1_pb2 as pb
from aliquot.node.protos.rpc import dial
from aliquot.node.protos.services import GET_INFO, NOTIFY
from aliquot.sandbox.kubelet.failures import failure
from aliquot.sandbox.kubelet.registration.offer import Offer, Taker
from aliquot.sandbox.kubelet.timing import Timing


def handshake(socket: str, takers: Mapping[str, Taker], timing: Timing) -> tuple[Offer | None, str | None]:
    """What was registered (None: nothing) and what went wrong (None: nothing).

    A plugin that can't be told that it was taken is taken all the same, and isn't told again.
    """
    with dial(socket) as channel:
        try:
            grpc.channel_ready_future(channel).result(timeout=timing.dial_s)
        except grpc.FutureTimeoutError:
            return None, f"dialling {socket} took more than {timing.dial_s:g} s"
        try:
            info = GET_INFO.on(channel)(pb.InfoRequest(), timeout=timing.info_s)
        except grpc.RpcError as error:
            return None, f"GetInfo at {socket}: {failure(error)}"
        offer = Offer(info.type, info.name, info.endpoint or socket, tuple(info.supported_versions), socket)
        taker = takers.get(offer.kind)
        fault: str | None
        if taker is None:
            fault = f"no handler registered for plugin type: {offer.kind} at socket {socket}"
        elif (fault := taker.validate(offer)) is not None:
            fault = f"plugin validation failed: {fault}"
        elif (fault := taker.register(offer)) is not None:
            fault = f"plugin registration failed: {fault}"
        try:
            status = pb.RegistrationStatus(plugin_registered=fault is None, error=fault or "")
            NOTIFY.on(channel)(status, timeout=timing.call_s)
        except grpc.RpcError as error:
            untold = f"NotifyRegistrationStatus at {socket}: {failure(error)}"
            return (offer if fault is None else None), fault or untold
        return (offer if fault is None else None), fault
