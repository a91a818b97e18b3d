"""What a failed call says, in the words of Go's gRPC, which the kubelet's messages hold."""

from typing import cast

import grpc

_CODES = {
    grpc.StatusCode.CANCELLED: "Canceled",
    grpc.StatusCode.UNKNOWN: "Unknown",
    grpc.StatusCode.DEADLINE_EXCEEDED: "DeadlineExceeded",
    grpc.StatusCode.UNIMPLEMENTED: "Unimplemented",
    grpc.StatusCode.UNAVAILABLE: "Unavailable",
}


def failure(error: grpc.RpcError) -> str:
    """`rpc error: code = Unavailable desc = …`."""
    call = cast("grpc.Call", error)  # what a call raises is the call itself
    code = call.code()
    return f"rpc error: code = {_CODES.get(code, code.name)} desc = {call.details()}"
