"""Requests that would rather have several devices than one, on too few of them."""

from random import Random

from scenarios.api.claims import claim, first_of, match, recipe, request
from scenarios.api.devices import device, gpu, nic
from scenarios.api.selectors import attribute, index
from scenarios.api.slices import pool
from scenarios.drivers import GPU, NIC, Json
from scenarios.tight.case import Case, dealt


def alternatives(draw: Random, large: bool) -> Case:
    """Up to four alternatives of several sizes, and a request for one GPU in particular at the end."""
    count = draw.randint(8, 24) if large else draw.randint(3, 6)
    requests: list[Json] = []
    total = 0
    while total < count + draw.randint(0, 2) and len(requests) < 16:
        sizes = sorted({draw.randint(1, 3) for _ in range(draw.randint(1, 3))}, reverse=draw.random() < 0.8)
        recipes = [recipe("gpu", size, draw.choice(("", "", index(f"< {draw.randint(1, count)}")))) for size in sizes]
        if draw.random() < 0.2:
            recipes.append(recipe("nic"))
        requests.append(
            first_of(f"r{len(requests)}", *recipes) if draw.random() < 0.8 else request(f"r{len(requests)}", "gpu")
        )
        total += min(sizes)
    requests.append(request("last", "gpu", 1, index(f"== {draw.randrange(count)}")))
    constraints = [match(f"{GPU}/numa", "r0", "last")] if draw.random() < 0.3 else []
    slices = pool(GPU, [gpu(number, per_numa=draw.choice((2, 4))) for number in range(count)])
    slices += pool(NIC, [nic(0, 0)]) if draw.random() < 0.5 else []
    if constraints:
        return Case(slices, [claim(0, requests, constraints)])
    return Case(slices, dealt(draw, requests), draw.choice((0.0, 0.1)))


def two_rather_than_one(dice: Random, scale: int) -> tuple[list[Json], list[Json], list[Json]]:
    """Two or three alternatives of one or two devices: (slices, requests, constraints)."""
    count = 2 + dice.randint(1, 2 * scale)
    devices = [device(f"d{n}", {"index": n, "a": n % 2, "b": n % 3}) for n in range(count)]
    requests: list[Json] = []
    for n in range(max(1, count + dice.choice((-1, 0, 0, 1)) - dice.randrange(2))):
        if dice.random() < 0.6:
            options = [recipe("any", 2), recipe("any")]
        else:
            chosen = f"{attribute('a')} == {dice.randrange(2)}"
            options = [
                recipe("any", dice.choice((1, 2)), chosen),
                recipe("any", 1, f"{attribute('b')} == {dice.randrange(3)}"),
                recipe("any"),
            ][: dice.choice((2, 3))]
        requests.append(first_of(f"r{n}", *options))
    constraints: list[Json] = []
    if dice.random() < 0.3 and len(requests) > 1:
        members = dice.sample([each["name"] for each in requests], 2)
        constraints = [match(f"{GPU}/{dice.choice('ab')}", *members)]
    return pool(GPU, devices), requests, constraints
