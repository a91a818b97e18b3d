"""What may be done to a device: shared capacity, taints, late binding, attributes that are lists."""

import random
from typing import Final

from scenarios.drivers import Json

POLICIES: Final[tuple[Json | None, ...]] = (
    None,
    None,
    {"default": "10Gi", "validValues": ["5Gi", "10Gi", "20Gi", "40Gi"]},
    {"default": "4Gi", "validRange": {"min": "2Gi"}},
    {"default": "4Gi", "validRange": {"min": "2Gi", "max": "20Gi", "step": "2Gi"}},
    {"default": "1Gi", "validRange": {"min": "1Gi", "step": "3Gi"}},
    {"default": "8Gi"},
    {"default": "3Gi", "validValues": ["10Gi"]},
)


def share(dice: random.Random, device: Json) -> None:
    """Make a device shareable: several claims take parts of its capacity."""
    device["allowMultipleAllocations"] = dice.random() < 0.9
    for capacity in device["capacity"].values():
        policy = dice.choice(POLICIES)
        if policy:
            capacity["requestPolicy"] = policy
    if dice.random() < 0.2:
        device["capacity"]["slots"] = {"value": dice.choice(("1", "4", "10"))}
    if dice.random() < 0.1:
        device["capacity"] = {}


def taint(dice: random.Random, device: Json) -> None:
    """Put one or two taints on a device."""
    device["taints"] = [
        {
            "key": dice.choice(("health", "maintenance", "example.com/x")),
            "effect": dice.choice(("NoSchedule", "NoExecute", "NoSchedule", "None", "Future")),
        }
        | ({"value": dice.choice(("bad", "soon", ""))} if dice.random() < 0.7 else {})
        for _ in range(dice.choice((1, 1, 2)))
    ]


def bind(dice: random.Random, device: Json) -> None:
    """Make a device one that is bound late."""
    device["bindingConditions"] = ["ready"]
    device["bindingFailureConditions"] = ["failed"]
    if dice.random() < 0.5:
        device["bindsToNode"] = True


def list_attributes(dice: random.Random, device: Json) -> None:
    """Give a device attributes that are lists; sometimes a scalar, an empty list or another type under the name."""
    device["attributes"]["links"] = dice.choice(
        (
            {"strings": dice.sample(("a", "b", "c", "d"), dice.choice((1, 2, 3)))},
            {"strings": dice.sample(("a", "b", "c", "d"), 2)},
            {"string": dice.choice(("a", "b"))},
            {"ints": [1]},
        ),
    )
    device["attributes"]["numas"] = {"ints": dice.sample((0, 1, 2), dice.choice((1, 2)))}
    if dice.random() < 0.2:
        device["attributes"]["vers"] = {"versions": dice.sample(("1.0.0", "1.1.0", "2.0.0"), 2)}
