"""What a failed call says, in the words of Go's gRPC, which the kubelet's messages hold."""

from typing import cast

import grpc


def failure(error: grpc.RpcError) -> str:
    """`rpc error: code = Unavailable desc = …`."""
    call = cast("grpc.Call", error)  # what a call raises is the call itself
    code = call.code()
    name = "Canceled" if code is grpc.StatusCode.CANCELLED else code.name.title().replace("_", "")
    return f"rpc error: code = {name} desc = {call.details()}"
