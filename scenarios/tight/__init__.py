"""Scenarios that are hard to answer: about as much is asked for as there is.

Ordinary random scenarios hardly ever make a search turn back. These do: counts at or just beyond what is free,
constraints that overlap, picky requests behind undemanding ones, partitions that just fit or just don't. The same
family and seed always give the same scenario. (`turns` has smaller families, for implementations without patience.)
"""

from collections.abc import Callable
from random import Random
from typing import Final

from scenarios.api.allocation import held
from scenarios.api.allocation import scenario as written
from scenarios.drivers import Json
from scenarios.tight import alternatives, coarse, errors, mig, overlapping, pairs, planted, shares
from scenarios.tight.case import Case

FAMILIES: Final[dict[str, Callable[[Random, bool], Case]]] = {
    "mig": mig.mig,
    "pairs": pairs.pairs,
    "alternatives": alternatives.alternatives,
    "overlapping": overlapping.overlapping,
    "coarse": coarse.coarse,
    "planted": planted.planted,
    "shares": shares.shares,
    "errors": errors.errors,
}
HARD: Final = ("mig", "pairs", "alternatives", "overlapping", "coarse", "planted")
"""The families that make a plain search explode."""


def scenario(family: str, seed: int, *, large: bool = False) -> Json:
    """Make the scenario of a family (a key of FAMILIES) and a seed."""
    draw = Random(f"{family}/{seed}/{large}")
    case = FAMILIES[family](draw, large)
    taken = [
        each
        for one in case.slices
        for device in one["spec"].get("devices", ())
        if not device.get("allowMultipleAllocations") and draw.random() < case.taken
        for each in held(device["name"], driver=one["spec"]["driver"])
    ]
    name = f"tight-{family}-{seed}{'-large' if large else ''}"
    return written(name, case.slices, case.claims, allocatedDevices=taken)
