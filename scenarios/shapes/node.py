"""A node's devices, published as the NVIDIA driver does, and requests for them."""

from collections.abc import Sequence

from scenarios.api import mig as a100
from scenarios.api.claims import match, request
from scenarios.api.devices import consumes, device
from scenarios.api.selectors import of_profile
from scenarios.api.slices import pool
from scenarios.drivers import GPU, ROOT, Json


def gpus(count: int, roots: Sequence[str] = ()) -> list[Json]:
    """Whole GPUs, each on a PCIe root of its own unless said otherwise, half of them on each NUMA node."""
    return [
        device(
            f"gpu-{n}",
            {
                "type": "gpu",
                "index": n,
                "numa": n * 2 // count,
                "productName": "NVIDIA H100 80GB HBM3",
                "driverVersion": {"version": "560.35.3"},
                ROOT: roots[n] if roots else f"pci{n}",
            },
            capacity={"memory": {"value": "80Gi"}},
        )
        for n in range(count)
    ]


def nics(*roots: str) -> list[Json]:
    """Network cards on these PCIe roots."""
    return [device(f"nic-{n}", {"index": n, "rdma": True, ROOT: root}) for n, root in enumerate(roots)]


def beside(count: int) -> list[Json]:
    """A network card on the root of each of so many GPUs."""
    return nics(*(f"pci{n}" for n in range(count)))


def mig_pool(count: int, profiles: Sequence[str] = (), *, whole: bool = True) -> list[Json]:
    """The slices of GPUs that can be cut: every placement of the profiles (none named: of all)."""
    devices: list[Json] = []
    for n in range(count):
        if whole:
            made = device(f"gpu-{n}", {"type": "gpu", "index": n})
            devices.append(made | {"consumesCounters": consumes(f"gpu-{n}", a100.counters())})
        devices += [
            device(
                f"gpu-{n}-{one.name.replace('.', '-')}-{start}",
                {"type": "mig", "profile": one.name, "index": n},
                consumesCounters=consumes(f"gpu-{n}", a100.counters(one, start)),
            )
            for one in a100.PROFILES
            if not profiles or one.name in profiles
            for start in one.starts
        ]
    return pool(GPU, devices, [{"name": f"gpu-{n}", "counters": a100.counters()} for n in range(count)])


def profile(name: str, asked: str, count: int = 1) -> Json:
    """The request `asked` for partitions of a profile."""
    return request(asked, "mig", count, of_profile(name))


def singles(count: int) -> list[Json]:
    """Requests r0, r1 ... for one GPU each."""
    return [request(f"r{n}", "gpu") for n in range(count)]


def pairs(count: int) -> tuple[list[Json], list[Json]]:
    """Requests for so many GPUs, each with a network card on its PCIe root: (requests, constraints)."""
    asked = [each for n in range(count) for each in (request(f"g{n}", "gpu"), request(f"n{n}", "nic"))]
    return asked, [match(ROOT, f"g{n}", f"n{n}") for n in range(count)]
