"""Requests that take anything, then some that want a particular device: first fit picks wrong every time."""

from random import Random

from scenarios.api.claims import request
from scenarios.api.devices import device
from scenarios.api.selectors import attribute, index
from scenarios.api.slices import pool
from scenarios.drivers import GPU, Json


def picky_last(dice: Random, scale: int) -> tuple[list[Json], list[Json], list[Json]]:
    """(Slices, requests, constraints)."""
    count = 2 + dice.randint(1, 2 * scale)
    devices = [device(f"d{n}", {"index": n, "a": n % 2}) for n in range(count)]
    picky = dice.choice((1, 1, 2))
    requests = [request(f"r{n}", "any") for n in range(max(count - picky + dice.choice((-1, 0, 0)), 0))]
    for n in range(picky):
        target = dice.choice((index(f"== {n}"), index(f"<= {n}"), f"{attribute('a')} == 0"))
        requests.append(request(f"p{n}", "any", 1, target))
    return pool(GPU, devices), requests, []
