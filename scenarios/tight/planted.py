"""Claims read off a full allocation and shuffled, so that it fits with little to spare; sometimes one more."""

from random import Random

from scenarios.api.claims import claim, match, request
from scenarios.api.devices import nic
from scenarios.api.selectors import of_profile
from scenarios.api.slices import pool
from scenarios.drivers import GPU, NIC, ROOT, Json
from scenarios.tight.case import Case
from scenarios.tight.partitions import PROFILES, partitioned


def planted(draw: Random, large: bool) -> Case:
    """GPUs are cut first; then one to three of the partitions, or one and a network card, become a claim."""
    count = draw.choice((4, 6, 8)) if large else 2
    per_numa = max(count // 2, 1)
    devices: list[Json] = []
    sets: list[Json] = []
    nics: list[Json] = []
    units: list[tuple[list[str], list[Json]]] = []
    for number in range(count):
        made, counters = partitioned(number, PROFILES, per_numa)
        devices += made
        sets.append(counters)
        packed = _packed(draw)
        if draw.random() < 0.5:
            nics.append(nic(len(nics), number, per_numa))
            units.append(([packed.pop(), "nic"], [match(ROOT)]))
        while packed:
            size = draw.choice((1, 1, 1, 2, 3))
            taken, packed = packed[:size], packed[size:]
            units.append((taken, draw.choice(([], [], [match(ROOT)], [match(f"{GPU}/numa")]))))
    draw.shuffle(units)
    if draw.random() < 0.5:
        units.append(([draw.choice(sorted(PROFILES))], []))
    claims: list[Json] = []
    for kinds, constraints in units:
        requests = [
            request(f"r{place}", "nic") if kind == "nic" else request(f"r{place}", "mig", 1, of_profile(kind))
            for place, kind in enumerate(kinds)
        ]
        claims.append(claim(len(claims), requests, constraints))
    return Case(pool(GPU, devices, sets) + pool(NIC, nics), claims)


def _packed(draw: Random) -> list[str]:
    """Profiles that fill one GPU as far as chance leads."""
    free, compute = set(range(8)), 7
    packed: list[str] = []
    choices = [(name, start) for name, (_, _, starts) in PROFILES.items() for start in starts if name != "7g"]
    draw.shuffle(choices)
    for name, start in choices:
        width, memory, _ = PROFILES[name]
        wanted = set(range(start, start + memory))
        if wanted <= free and width <= compute:
            free -= wanted
            compute -= width
            packed.append(name)
    return packed
