"""What a random request asks for."""

import random
from collections.abc import Sequence

from scenarios.api.selectors import selector
from scenarios.drivers import Json
from scenarios.ordinary.classes import CLASSES
from scenarios.ordinary.selectors import SELECTORS
from scenarios.ordinary.themes import Themes


def tolerations(dice: random.Random) -> list[Json]:
    """What a request puts up with; one of three tolerates everything."""
    return [
        dice.choice(
            (
                {"operator": "Exists"},
                {"key": "health", "operator": "Exists"},
                {"key": "health", "operator": "Equal", "value": "bad"},
                {"key": "maintenance", "value": "soon", "effect": "NoSchedule"},
                {"key": "example.com/x", "operator": "Exists", "effect": "NoExecute"},
                {"key": "health", "operator": "Weird", "value": "bad"},
            ),
        )
        for _ in range(dice.choice((1, 1, 2)))
    ]


def capacity(dice: random.Random) -> Json:
    """A request for parts of a shareable device."""
    amounts = (
        "1Gi",
        "2Gi",
        "3Gi",
        "5Gi",
        "7Gi",
        "10Gi",
        "12Gi",
        "20Gi",
        "39Gi",
        "40Gi",
        "0",
        "80Gi",
        "500Mi",
        "2560Mi",
    )
    wanted: Json = {}
    if dice.random() < 0.9:
        wanted["memory"] = dice.choice(amounts)
    if dice.random() < 0.15:
        wanted["slots"] = dice.choice(("1", "2", "5"))
    if dice.random() < 0.03:
        wanted["gpu.nvidia.com/memory"] = "1Gi"
    return {"requests": wanted}


def recipe(dice: random.Random, themes: Themes, kinds: Sequence[str]) -> Json:
    """What a request (or an alternative of one) asks for."""
    kind = dice.choice(kinds)
    made: Json = {"deviceClassName": CLASSES[kind][0]}
    roll = dice.random()
    if roll < 0.1:
        made["deviceClassName"] = "any"
    elif "cel" in themes and roll < 0.2:
        made["deviceClassName"] = dice.choice(("broken", "missing", ""))
    pools = [SELECTORS[kind]]
    if "lists" in themes and kind == "gpu":
        pools = [SELECTORS[kind], SELECTORS["list"], SELECTORS["list"]]
    if "cel" in themes:
        pools.append(SELECTORS["broken"])
    chosen = [dice.choice(dice.choice(pools)) for _ in range(dice.choice((0, 0, 1, 1, 1, 2)))]
    if kind == "mig" and not chosen and dice.random() < 0.7:
        chosen = [dice.choice(SELECTORS["mig"])]
    if chosen:
        made["selectors"] = [selector(expression) for expression in chosen]
    if "cel" in themes and dice.random() < 0.02:
        made.setdefault("selectors", []).append({})
    if "all" in themes and dice.random() < 0.4:
        made["allocationMode"] = "All"
    else:
        made["allocationMode"] = "ExactCount"
        made["count"] = dice.choices((1, 2, 3, 4, 0, 33), (70, 20, 5, 2, 1, 1 if "cel" in themes else 0))[0]
    if "cel" in themes and dice.random() < 0.02:
        made["allocationMode"] = "Weird"
    if "taints" in themes and dice.random() < 0.5:
        made["tolerations"] = tolerations(dice)
    if "shared" in themes and dice.random() < 0.7:
        made["capacity"] = capacity(dice)
    return made
