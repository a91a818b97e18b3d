"""Selectors without a verdict on some device, and mode All under constraints."""

from collections.abc import Callable
from random import Random
from typing import Final

from scenarios.api.claims import recipes_of
from scenarios.api.selectors import index, selector
from scenarios.tight.alternatives import alternatives
from scenarios.tight.case import Case
from scenarios.tight.overlapping import overlapping
from scenarios.tight.pairs import pairs

SPOILT: Final[tuple[Callable[[Random, bool], Case], ...]] = (pairs, alternatives, overlapping)


def errors(draw: Random, large: bool) -> Case:
    """A case of another family, spoilt here and there: a network card has no index of a GPU."""
    case = draw.choice(SPOILT)(draw, large)
    for each in case.claims:
        for one in each["spec"]["devices"]["requests"]:
            for made in recipes_of(one):
                if draw.random() < 0.15:
                    made["selectors"] = [selector(index(f">= {draw.randint(0, 3)}"))]
                if draw.random() < 0.1:
                    made["allocationMode"] = "All"
                    made.pop("count", None)
    return case
