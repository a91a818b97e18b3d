"""Prepare and unprepare, many in flight, each call timed."""

import math
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import grpc

from aliquot.node.protos.generated import dra_v1_pb2 as dra
from aliquot.node.protos.services import PREPARE_V1, UNPREPARE_V1
from speed.drivers.cluster import NAMESPACE, Allocated, Streams

LIMIT_S: Final = 45.0
"""As a kubelet waits."""


@dataclass(slots=True)
class Calls:
    """What came of them."""

    prepare: list[float] = field(default_factory=list[float])
    """Seconds."""
    unprepare: list[float] = field(default_factory=list[float])
    wrong: list[str] = field(default_factory=list[str])
    """What wasn't as it must be."""


def percentile(seconds: Sequence[float], percent: float) -> float:
    """The time within which so many per cent of the calls were answered."""
    return sorted(seconds)[max(math.ceil(len(seconds) * percent / 100) - 1, 0)]


def called(channel: grpc.Channel, streams: Streams, cdi: Path) -> Calls:
    """Each stream prepares and unprepares its claims in turn, all streams side by side.

    Args:
        channel: to the driver's DRA socket.
        streams: the claims.
        cdi: where the driver writes CDI specs; claims' UIDs are in their names.
    """
    done = [Calls() for _ in streams]
    together = threading.Barrier(len(streams))
    threads = [
        threading.Thread(target=_stream, args=(channel, claims, cdi, calls, together))
        for claims, calls in zip(streams, done, strict=True)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    total = Calls()
    for calls in done:
        total.prepare += calls.prepare
        total.unprepare += calls.unprepare
        total.wrong += calls.wrong
    total.wrong += [f"the CDI spec {name} was left" for name in _specs(cdi, "claim_")]
    return total


def _stream(
    channel: grpc.Channel, claims: Sequence[Allocated], cdi: Path, calls: Calls, together: threading.Barrier
) -> None:
    prepare, unprepare = PREPARE_V1.on(channel), UNPREPARE_V1.on(channel)
    together.wait()
    for claim in claims:
        asked = [dra.Claim(namespace=NAMESPACE, name=claim.name, uid=claim.uid)]
        try:
            begun = time.perf_counter()
            given = prepare(dra.NodePrepareResourcesRequest(claims=asked), timeout=LIMIT_S)
            calls.prepare.append(time.perf_counter() - begun)
            calls.wrong += _faults(claim, given.claims[claim.uid], cdi)
            begun = time.perf_counter()
            left = unprepare(dra.NodeUnprepareResourcesRequest(claims=asked), timeout=LIMIT_S)
            calls.unprepare.append(time.perf_counter() - begun)
        except grpc.RpcError as error:
            calls.wrong.append(f"claim {claim.name}: {error}")
            return
        if claim.uid not in left.claims or left.claims[claim.uid].error:
            calls.wrong.append(f"claim {claim.name} isn't unprepared: {left.claims[claim.uid].error}")


def _faults(claim: Allocated, given: dra.NodePrepareResourceResponse, cdi: Path) -> list[str]:
    if given.error:
        return [f"claim {claim.name} isn't prepared: {given.error}"]
    if [device.device_name for device in given.devices] != [claim.device]:
        return [f"claim {claim.name} has other devices than {claim.device}: {given.devices}"]
    if not given.devices[0].cdi_device_ids or not _specs(cdi, claim.uid):
        return [f"claim {claim.name} has no CDI device, or no spec"]
    return []


def _specs(cdi: Path, part: str) -> list[str]:
    return [path.name for path in cdi.iterdir() if part in path.name]
