"""Partitions, pairs and a coarse attribute (the NUMA node) together."""

from random import Random

from scenarios.api.claims import claim, match, request
from scenarios.api.devices import nic
from scenarios.api.selectors import of_profile
from scenarios.api.slices import pool
from scenarios.drivers import GPU, NIC, ROOT, Json
from scenarios.tight.case import Case
from scenarios.tight.partitions import PROFILES, several


def coarse(draw: Random, large: bool) -> Case:
    """Claims to partitions on one NUMA node, to a partition and a network card, to whole GPUs."""
    count = draw.choice((4, 8)) if large else 2
    per_numa = max(count // 2, 1)
    profiles = dict(draw.sample(sorted(PROFILES.items()), 2))
    devices, sets = several(range(count), profiles, lambda: per_numa)
    nics = [nic(number, draw.randrange(count), per_numa) for number in range(draw.randint(1, count))]
    claims: list[Json] = []
    for number in range(draw.randint(2, 2 * count if large else 3)):
        kind = draw.random()
        profile = draw.choice(list(profiles))
        if kind < 0.4:
            requests = [request("m", "mig", draw.randint(1, 3), of_profile(profile))]
            claims.append(claim(number, requests, [match(f"{GPU}/numa")] if draw.random() < 0.6 else ()))
        elif kind < 0.8:
            requests = [request("m", "mig", 1, of_profile(profile)), request("k", "nic")]
            claims.append(claim(number, requests, [match(draw.choice((ROOT, f"{GPU}/numa")))]))
        else:
            claims.append(claim(number, [request("g", "gpu")]))
    return Case(pool(GPU, devices, sets) + pool(NIC, nics), claims, draw.choice((0.0, 0.05)))
