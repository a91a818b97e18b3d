"""Small tight scenarios, of which an exhaustive search makes an end in milliseconds; the families take turns.

With `large=True` many of them take the reference implementations longer than anyone waits.
"""

import random
from collections.abc import Callable, Sequence
from typing import Final

from scenarios.api.allocation import FEATURES, places
from scenarios.api.allocation import scenario as written
from scenarios.api.claims import claim, recipes_of
from scenarios.api.selectors import attribute, index, selector
from scenarios.drivers import Json
from scenarios.tight.alternatives import two_rather_than_one
from scenarios.tight.mig import memory_slices
from scenarios.tight.overlapping import lists_of_devices
from scenarios.tight.pairs import in_one_claim
from scenarios.tight.picky_last import picky_last
from scenarios.tight.shares import with_counters

FAMILIES: Final[dict[str, Callable[[random.Random, int], tuple[list[Json], list[Json], list[Json]]]]] = {
    "mig": memory_slices,
    "overlapping": lists_of_devices,
    "alternatives": two_rather_than_one,
    "pairs": in_one_claim,
    "picky-last": picky_last,
    "shares": with_counters,
}


def scenario(seed: int, number: int, kubernetes: str | None = None, *, large: bool = False) -> Json:
    """The scenario that this seed and number always give."""
    dice = random.Random(f"{seed}/tight/{number}/{large}")
    family = list(FAMILIES)[number % len(FAMILIES)]
    slices, requests, constraints = FAMILIES[family](dice, dice.randint(3, 6) if large else dice.choice((1, 2, 2)))
    claims = dealt(dice, requests, constraints)
    taken = [dice.choice(places(slices))] if dice.random() < 0.2 else []
    if dice.random() < 0.07:
        spoil(dice, claims)
    features = {name: on for name, on in FEATURES.items() if name != "deviceBindingAndStatus"}
    more = {"kubernetes": kubernetes} if kubernetes else {}
    name = f"tight-{family}-{seed}-{number}"
    return written(name, slices, claims, features=features, allocatedDevices=taken, **more)


def dealt(dice: random.Random, requests: Sequence[Json], constraints: Sequence[Json]) -> list[Json]:
    """The requests in one claim, or (without constraints) sometimes one claim each."""
    if not constraints and dice.random() < 0.25:
        return [claim(number, [each]) for number, each in enumerate(requests)]
    return [claim(0, requests, constraints)]


def spoil(dice: random.Random, claims: Sequence[Json]) -> None:
    """One request gets a selector that has no verdict on most devices."""
    for asked in recipes_of(dice.choice(dice.choice(claims)["spec"]["devices"]["requests"])):
        broken = selector(f"{index('< 2')} || {attribute('nope')}")
        asked["selectors"] = [*asked.get("selectors", ()), broken]
