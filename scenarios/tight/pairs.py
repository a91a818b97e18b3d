"""GPUs with network cards on one PCIe root, several times, where a root may lack one of the two."""

from random import Random

from scenarios.api.claims import claim, match, request
from scenarios.api.devices import device, gpu, nic
from scenarios.api.slices import pool
from scenarios.drivers import GPU, NIC, ROOT, Json
from scenarios.tight.case import Case


def pairs(draw: Random, large: bool) -> Case:
    """A claim a pair, beside claims to single GPUs."""
    count = draw.randint(6, 16) if large else draw.randint(2, 5)
    per_root = draw.choice((1, 1, 2))
    gpus = [gpu(number, per_root) for number in range(count)]
    nics = [nic(number, draw.randrange(count // per_root + 1)) for number in range(max(count + draw.randint(-1, 1), 1))]
    claims: list[Json] = []
    for number in range(max(count // per_root + draw.randint(-1, 1), 1)):
        wanted = draw.choice((1, 1, 1, 2))
        order = [request("g", "gpu", wanted), request("k", "nic")]
        claims.append(claim(number, order if draw.random() < 0.7 else order[::-1], [match(ROOT)]))
    singles = [request(f"r{place}", "gpu") for place in range(draw.randint(0, 3))]
    if singles:
        claims.insert(draw.choice((0, len(claims))), claim(len(claims), singles))
    return Case(pool(GPU, gpus) + pool(NIC, nics), claims, draw.choice((0.0, 0.1)))


def in_one_claim(dice: Random, scale: int) -> tuple[list[Json], list[Json], list[Json]]:
    """All pairs in one claim, each with a constraint: (slices, requests, constraints)."""
    count = 1 + dice.randint(1, scale + 1)
    gpus = [device(f"g{n}", {"index": n, "type": "gpu"}) for n in range(count)]
    nics = [device(f"n{n}", {"index": n}) for n in range(count)]
    for n, (one, other) in enumerate(zip(gpus, nics, strict=True)):
        one["attributes"][ROOT] = {"string": f"r{n if dice.random() < 0.8 else dice.randrange(count)}"}
        other["attributes"][ROOT] = {"string": f"r{n if dice.random() < 0.9 else dice.randrange(count)}"}
    if dice.random() < 0.4:
        nics.pop(dice.randrange(len(nics)))
    requests: list[Json] = []
    constraints: list[Json] = []
    for n in range(max(1, count - dice.choice((0, 0, 1)))):
        requests += [request(f"g{n}", "gpu"), request(f"n{n}", "nic")]
        constraints.append(match(ROOT, f"g{n}", f"n{n}"))
    return pool(GPU, gpus) + pool(NIC, nics, name="nics"), requests, constraints
