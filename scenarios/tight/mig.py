"""Profiles that fill some GPUs to the last slice, or one too many."""

from random import Random

from scenarios.api import mig as a100
from scenarios.api.claims import match, request
from scenarios.api.devices import consumes, device
from scenarios.api.selectors import of_profile
from scenarios.api.slices import pool
from scenarios.drivers import GPU, Json
from scenarios.tight.case import Case, dealt
from scenarios.tight.partitions import PROFILES, several


def mig(draw: Random, large: bool) -> Case:
    """By compute slices, with a whole GPU now and then."""
    count = draw.randint(2, 8) if large else draw.randint(1, 2)
    profiles = dict(draw.sample(sorted(PROFILES.items()), draw.randint(2, 4)))
    devices, sets = several(range(count), profiles, lambda: draw.choice((2, 4)))
    room = count * 7 + draw.randint(-2, 1)
    requests: list[Json] = []
    while room > 0 and len(requests) < (20 if large else 7):
        profile = draw.choice(list(profiles))
        wanted = 1 if draw.random() < 0.7 else draw.randint(1, 3)
        room -= profiles[profile][0] * wanted
        requests.append(request(f"r{len(requests)}", "mig", wanted, of_profile(profile)))
    if draw.random() < 0.3:
        requests.insert(draw.randint(0, len(requests)), request("whole", "gpu"))
    return Case(pool(GPU, devices, sets), dealt(draw, requests), draw.choice((0.0, 0.0, 0.1)))


def memory_slices(dice: Random, scale: int) -> tuple[list[Json], list[Json], list[Json]]:
    """By memory slices: (slices, requests, constraints)."""
    count = dice.randint(1, max(1, scale - 1))
    whole = {"processors": {"value": "98"}} | a100.memory_slices(0, 8)
    offered = dice.sample(a100.PROFILES, dice.choice((2, 3, 4)))
    devices = [
        device(
            f"g{n}-{one.name.replace('.', '-')}-{start}",
            {"profile": one.name, "gpu": n, "half": n % 2},
            consumesCounters=consumes(
                f"g{n}",
                {"processors": {"value": str(one.multiprocessors)}} | a100.memory_slices(start, one.length),
            ),
        )
        for n in range(count)
        for one in offered
        for start in one.starts
    ]
    slots = 8 * count + dice.choice((-1, 0, 0, 1))
    requests: list[Json] = []
    while slots > 0 and len(requests) < 3 + 3 * scale:
        profile = dice.choice(offered)
        wanted = dice.choice((1, 1, 2))
        requests.append(request(f"r{len(requests)}", "any", wanted, of_profile(profile.name)))
        slots -= profile.length * wanted
    constraints: list[Json] = []
    if dice.random() < 0.3 and len(requests) > 1:
        members = dice.sample([each["name"] for each in requests], 2)
        constraints = [match(f"{GPU}/{dice.choice(('gpu', 'half'))}", *members)]
    return pool(GPU, devices, [{"name": f"g{n}", "counters": whole} for n in range(count)]), requests, constraints
