"""What a family makes."""

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from scenarios.api.claims import claim
from scenarios.drivers import Json


@dataclass(frozen=True, slots=True)
class Case:
    """Devices, and claims to them."""

    slices: list[Json]
    claims: list[Json]
    taken: float = 0.0
    """The share of the devices that is allocated already."""


def dealt(draw: Random, requests: Sequence[Json]) -> list[Json]:
    """Requests dealt to one claim or several."""
    if draw.random() < 0.5:
        return [claim(0, requests[:31])]
    size = draw.randint(1, 4)
    return [claim(at // size, requests[at : at + size]) for at in range(0, len(requests), size)]
