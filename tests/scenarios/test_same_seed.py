"""A seed gives the same scenario on every machine and in every process: nothing hangs on the order of a set."""

import hashlib
import json
from collections.abc import Callable
from typing import Any

import pytest

from scenarios import ordinary, tight
from scenarios.several_nodes import spread
from scenarios.tight import turns

DIGESTS: dict[str, tuple[Callable[[int], Any], str]] = {
    "ordinary": (lambda number: ordinary.scenario(1, number), "8ce75a3825e7c41e"),
    "tight": (lambda number: [tight.scenario(family, number) for family in tight.FAMILIES], "69897c6e07d7eeaf"),
    "turns": (lambda number: turns.scenario(1, number), "375e54e3d64c571f"),
    "several nodes": (lambda number: spread(1, number), "96ba583632d1cb10"),
}


@pytest.mark.parametrize("name", DIGESTS)
def test_the_first_scenarios_are_what_they_were(name: str) -> None:
    make, digest = DIGESTS[name]
    text = json.dumps([make(number) for number in range(40)], sort_keys=True)
    assert hashlib.sha256(text.encode()).hexdigest()[:16] == digest
