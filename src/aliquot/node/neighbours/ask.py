"""Is somebody at a socket, and is it one of ours? An edge."""

import socket
from contextlib import suppress
from pathlib import Path
from typing import Final, cast

import grpc

from aliquot.node.neighbours.found import Registered, Socket, Voice
from aliquot.node.protos.generated import agent_v1_pb2 as agent
from aliquot.node.protos.generated import registration_v1_pb2 as messages
from aliquot.node.protos.rpc import dial
from aliquot.node.protos.services import GET_INFO, WHO

PATIENCE_SECONDS: Final = 2.0


def knock(path: Path) -> Socket:
    """Whether somebody listens. Nothing is said to them."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        probe.settimeout(PATIENCE_SECONDS)
        try:
            probe.connect(str(path))
        except (ConnectionRefusedError, FileNotFoundError, NotADirectoryError):
            return Socket(str(path), Voice.SILENT)
        except OSError as error:
            return Socket(str(path), Voice.UNKNOWN, error.strerror or str(error))
    return Socket(str(path), Voice.LIVE)


def whose(path: Path) -> Socket:
    """Whether somebody listens, and whether an agent of ours does."""
    found = knock(path)
    return Socket(found.path, found.voice, found.why, _ours(path)) if found.voice is Voice.LIVE else found


def registered(path: Path, named: str) -> Registered:
    """Who is at a registration socket, asked as the kubelet asks.

    Args:
        path: the socket.
        named: the driver that its name tells, for one that doesn't answer.
    """
    found = whose(path)
    if found.voice is Voice.LIVE:
        with suppress(grpc.RpcError), dial(str(path)) as channel:
            info = GET_INFO.on(channel)(messages.InfoRequest(), timeout=PATIENCE_SECONDS)
            return Registered(found, info.name, info.endpoint)
    return Registered(found, named)


def _ours(path: Path) -> bool | None:
    with dial(str(path)) as channel:
        try:
            WHO.on(channel)(agent.WhoRequest(), timeout=PATIENCE_SECONDS)
        except grpc.RpcError as error:
            call = cast("grpc.Call", error)  # what a call raises is the call itself
            return False if call.code() is grpc.StatusCode.UNIMPLEMENTED else None
    return True
