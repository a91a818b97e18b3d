"""The API server that drivers ask: `sandbox.rest` in a process of its own, so that its threads don't hold up ours."""

import contextlib
import multiprocessing
from collections.abc import Iterator, Mapping, Sequence
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, Final, NamedTuple

from aliquot.cluster.memory.cluster import MemoryCluster
from aliquot.cluster.objects.resources import CLAIMS, NODES
from aliquot.sandbox.rest.server import RestServer
from conformance.node.driver import DRIVER

GPUS: Final = 8
IN_FLIGHT: Final = 16
NAMESPACE: Final = "ml"


class Allocated(NamedTuple):
    """A claim that has a device."""

    name: str
    uid: str
    device: str


Streams = Sequence[Sequence[Allocated]]
"""For each of those in flight the claims that it goes through."""


@contextlib.contextmanager
def cluster(kubeconfig: Path, nodes: Sequence[str], each: int) -> Iterator[Mapping[str, Streams]]:
    """Serve nodes, and claims that have their GPUs, until the block ends.

    Half of the streams hold a GPU for themselves; the other half have admin access, since there are fewer GPUs than
    streams, and a GPU that one claim holds isn't given to another.

    Args:
        kubeconfig: written, for clients.
        nodes: their names; each has claims of its own.
        each: how many claims each stream has.
    """
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=_serve, args=(theirs, kubeconfig, tuple(nodes), each), daemon=True)
    process.start()
    theirs.close()
    try:
        yield ours.recv()
    finally:
        ours.close()
        process.join()


def _serve(parent: Connection, kubeconfig: Path, nodes: Sequence[str], each: int) -> None:
    held = MemoryCluster(history=1)
    for node in nodes:
        held.create(NODES, {"apiVersion": "v1", "kind": "Node", "metadata": {"name": node}})
    claims = {
        node: [[_claim(held, node, stream, number) for number in range(each)] for stream in range(IN_FLIGHT)]
        for node in nodes
    }
    with RestServer(held) as server:
        server.kubeconfig(kubeconfig)
        parent.send(claims)
        with contextlib.suppress(EOFError):
            parent.recv()  # never comes: the other end is closed


def _claim(held: MemoryCluster, node: str, stream: int, number: int) -> Allocated:
    name, device = f"{node}-{stream}-{number}", f"gpu-{stream % GPUS}"
    exactly: dict[str, Any] = {"deviceClassName": DRIVER}
    result: dict[str, Any] = {"request": "gpu", "driver": DRIVER, "pool": node, "device": device}
    if stream >= GPUS:
        exactly["adminAccess"] = result["adminAccess"] = True
    thing = held.create(
        CLAIMS,
        {
            "apiVersion": CLAIMS.api_version,
            "kind": "ResourceClaim",
            "metadata": {"namespace": NAMESPACE, "name": name},
            "spec": {"devices": {"requests": [{"name": "gpu", "exactly": exactly}]}},
        },
    )
    thing["status"] = {
        "allocation": {"devices": {"results": [result]}},
        "reservedFor": [{"resource": "pods", "name": name, "uid": f"pod-{name}"}],
    }
    held.update(CLAIMS, thing, subresource="status")
    return Allocated(name, thing["metadata"]["uid"], device)
