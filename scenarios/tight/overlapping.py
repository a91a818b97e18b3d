"""Requests whose candidates overlap, with constraints that share members: Hall's theorem by trial."""

from random import Random

from scenarios.api.claims import claim, distinct, match, request
from scenarios.api.classes import of_driver
from scenarios.api.devices import device, gpu, nic
from scenarios.api.selectors import attribute
from scenarios.api.slices import pool
from scenarios.drivers import GPU, NIC, ROOT, Json
from scenarios.tight.case import Case


def overlapping(draw: Random, large: bool) -> Case:
    """By classes: GPUs, network cards or either, in several claims."""
    count = draw.randint(8, 20) if large else draw.randint(3, 7)
    per_root = draw.choice((1, 2, 3))
    gpus = [gpu(number, per_root, draw.choice((2, 3, 4))) for number in range(count)]
    nics = [nic(number, draw.randrange(count // per_root + 1), 2) for number in range(draw.randint(1, count))]
    claims: list[Json] = []
    total = 0
    while total < count - draw.randint(-1, 2) and len(claims) < 8:
        names = [f"r{place}" for place in range(draw.randint(1, 4))]
        requests = [
            request(
                name,
                draw.choice(("gpu", "gpu", "nic", "any")),
                draw.choice((1, 1, 2)),
                draw.choice(("", "", "", of_driver(GPU))),
            )
            for name in names
        ]
        total += sum(each["exactly"]["count"] for each in requests)
        constraints = [
            draw.choice((match, match, distinct))(
                draw.choice((ROOT, f"{GPU}/numa", f"{GPU}/half", f"{GPU}/index")),
                *draw.sample(names, draw.randint(1, len(names))),
            )
            for _ in range(draw.randint(0, 3))
        ]
        claims.append(claim(len(claims), requests, constraints))
    return Case(pool(GPU, gpus) + pool(NIC, nics), claims, draw.choice((0.0, 0.15)))


def lists_of_devices(dice: Random, scale: int) -> tuple[list[Json], list[Json], list[Json]]:
    """By selectors that list devices: (slices, requests, constraints)."""
    count = 2 + dice.randint(2, 1 + 2 * scale)
    devices = [
        device(f"d{n}", {"index": n, "a": dice.randrange(3), "b": dice.randrange(2), "c": dice.choice("xyz")})
        for n in range(count)
    ]
    requests: list[Json] = []
    left = count + dice.choice((-1, 0, 0, 1))
    while left > 0:
        take = min(left, dice.choice((1, 1, 1, 2)))
        some = sorted(dice.sample(range(count), dice.randint(take, count)))
        expression = "" if dice.random() < 0.3 else f"{attribute('index')} in {some}"
        requests.append(request(f"r{len(requests)}", "any", take, expression))
        left -= take
    constraints: list[Json] = []
    for _ in range(dice.choice((0, 1, 2))):
        members = dice.sample([each["name"] for each in requests], min(len(requests), dice.choice((2, 2, 3))))
        kind = match if dice.random() < 0.7 else distinct
        constraints.append(kind(f"{GPU}/{dice.choice('abc')}", *members))
    return pool(GPU, devices), requests, constraints
