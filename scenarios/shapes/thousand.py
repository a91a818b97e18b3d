"""One pod, tried on each of a thousand nodes."""

from collections.abc import Sequence

from scenarios.api.allocation import held, node, scenario
from scenarios.api.claims import claim, match, request, request_all
from scenarios.api.slices import pool
from scenarios.drivers import GPU, Json
from scenarios.shapes.node import gpus


def cluster(name: str, claims: Sequence[Json], *, nodes: int, taken: bool = False) -> Json:
    """So many nodes of eight GPUs each; `taken`: only the last node has free ones."""
    names = [f"node-{n:05}" for n in range(nodes)]
    slices = [one for each in names for one in pool(GPU, gpus(8), name=each, node=each)]
    busy = [one for each in names[:-1] for one in held(*(f"gpu-{i}" for i in range(8)), pool=each)]
    return scenario(name, slices, claims, nodes=[node(each) for each in names], allocatedDevices=busy if taken else [])


def thousand() -> list[Json]:
    """One GPU, eight alike, the last free one, all."""
    single = [claim(0, [request("r", "gpu")])]
    matching = [claim(0, [request("r", "gpu", 8)], [match(f"{GPU}/productName")])]
    return [
        cluster("1000 nodes: 1 GPU", single, nodes=1000),
        cluster("1000 nodes: 8 matching", matching, nodes=1000),
        cluster("1000 nodes: only the last is free", single, nodes=1000, taken=True),
        cluster("1000 nodes: All", [claim(0, [request_all("r", "gpu")])], nodes=1000),
    ]
