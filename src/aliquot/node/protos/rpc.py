"""gRPC calls with types: a method knows what is asked and what is answered, for the client and the server alike."""

import os
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

os.environ.setdefault("GRPC_VERBOSITY", "ERROR")  # read at import; else a line about each connection's end is on stderr

import grpc
from google.protobuf.message import Message

Asked = TypeVar("Asked", bound=Message)
Answer = TypeVar("Answer", bound=Message)

Implementation = tuple[str, "grpc.RpcMethodHandler[Any, Any]"]
"""A method's path, and what answers it."""


@dataclass(frozen=True, slots=True)
class Method(Generic[Asked, Answer]):
    """A method of a service: `path` is PACKAGE.SERVICE/METHOD, as on the wire but for the slash before it."""

    path: str
    asked: type[Asked]
    answer: type[Answer]

    @property
    def wire(self) -> str:
        """The path as HTTP/2 carries it."""
        return f"/{self.path}"


@dataclass(frozen=True, slots=True)
class Unary(Method[Asked, Answer]):
    """One message asked, one answered."""

    def on(self, channel: grpc.Channel) -> "grpc.UnaryUnaryMultiCallable[Asked, Answer]":
        """The call, on a connection."""
        return channel.unary_unary(self.wire, self.asked.SerializeToString, self.answer.FromString)

    def by(self, function: Callable[[Asked, grpc.ServicerContext], Answer]) -> Implementation:
        """What a server is given: the function that answers."""
        return self.path, grpc.unary_unary_rpc_method_handler(
            function, self.asked.FromString, self.answer.SerializeToString
        )


@dataclass(frozen=True, slots=True)
class Streaming(Method[Asked, Answer]):
    """One message asked, a stream answered."""

    def on(self, channel: grpc.Channel) -> "grpc.UnaryStreamMultiCallable[Asked, Answer]":
        """The call, on a connection."""
        return channel.unary_stream(self.wire, self.asked.SerializeToString, self.answer.FromString)

    def by(self, function: Callable[[Asked, grpc.ServicerContext], Iterator[Answer]]) -> Implementation:
        """What a server is given: the function that answers."""
        return self.path, grpc.unary_stream_rpc_method_handler(
            function, self.asked.FromString, self.answer.SerializeToString
        )


def add(server: grpc.Server, implementations: Iterable[Implementation]) -> None:
    """Have a server answer these methods; what else its services have is UNIMPLEMENTED."""
    services: defaultdict[str, dict[str, grpc.RpcMethodHandler[Any, Any]]] = defaultdict(dict)
    for path, handler in implementations:
        service, _, method = path.partition("/")
        services[service][method] = handler
    server.add_generic_rpc_handlers(
        [grpc.method_handlers_generic_handler(service, methods) for service, methods in services.items()]
    )


def dial(socket: str, *options: tuple[str, str | int]) -> grpc.Channel:
    """A connection to a Unix socket, made when it's first used.

    The authority is `localhost`, as the kubelet sends it: gRPC's own, the escaped path, is refused by some servers.
    Connections are never shared: one that waits to try again would make the next one wait too.
    """
    fixed = (("grpc.default_authority", "localhost"), ("grpc.use_local_subchannel_pool", 1))
    return grpc.insecure_channel(f"unix:{socket}", options=(*fixed, *options))
