"""One resource's registration at the kubelet: when it's due, and how it went."""

from dataclasses import dataclass
from pathlib import Path
from typing import cast

import grpc

from aliquot.node.device_plugin.at_kubelet.server import OPTIONS_ANSWER
from aliquot.node.device_plugin.at_kubelet.sockets import Identity
from aliquot.node.device_plugin.at_kubelet.timing import Timing
from aliquot.node.protos.generated import device_plugin_v1beta1_pb2 as pb
from aliquot.node.protos.rpc import dial
from aliquot.node.protos.services import DEVICE_PLUGIN_API, REGISTER


@dataclass(slots=True)
class Registration:
    """Of one resource. Times are a steady clock's."""

    at: Identity | None = None
    """The kubelet's socket at which it's registered; None: it isn't."""
    since: float = 0.0
    """When it was registered, or last listened to."""
    problem: str = ""
    failures: int = 0
    next: float = 0.0
    """Not before this time again."""
    tried: Identity | None = None
    """The kubelet's socket at which it was tried last: a new one is tried at once."""
    alone: int = 0
    """How often in a row the kubelet stopped listening: another plugin may have its ear, and isn't fought for it."""
    began: float = 0.0
    """When it was registered."""

    def is_due(self, kubelet: Identity, listeners: int, now: float, timing: Timing) -> bool:
        """Whether to register now."""
        if self.at == kubelet and listeners:
            self.since = now
        if self.at == kubelet and now < self.since + min(
            timing.alone_s * 2.0 ** min(self.alone, 30), timing.alone_most_s
        ):
            return False
        return self.tried != kubelet or now >= self.next

    def went(self, kubelet: Identity, problem: str, now: float, timing: Timing) -> bool:
        """Take note of a try; whether that's news."""
        news = (self.at, self.problem) != (kubelet if not problem else None, problem)
        again = self.at == kubelet
        if self.tried != kubelet or not problem:
            self.failures = 0
        self.at, self.tried, self.problem = (None if problem else kubelet), kubelet, problem
        if problem:
            self.next = now + min(timing.retry_first_s * 2.0 ** min(self.failures, 30), timing.retry_most_s)
            self.failures += 1
        else:
            lasted = again and self.since - self.began > 2 * timing.alone_s
            self.alone = 0 if lasted or not again else self.alone + 1
            self.since = self.began = now
            self.next = now
        return news


def register(kubelet: Path, endpoint: str, resource: str, timeout_s: float) -> str:
    """Register; empty, or why the kubelet didn't take it."""
    asked = pb.RegisterRequest(
        version=DEVICE_PLUGIN_API, endpoint=endpoint, resource_name=resource, options=OPTIONS_ANSWER
    )
    try:
        with dial(str(kubelet)) as channel:
            REGISTER.on(channel)(asked, timeout=timeout_s)
    except grpc.RpcError as error:
        return f"the kubelet didn't register it: {_words(error)}"
    return ""


def _words(error: grpc.RpcError) -> str:
    call = cast("grpc.Call", error)  # what a call raises is the call itself
    return call.details() or call.code().name.lower()
