"""Random claims: requests, constraints, configuration."""

import random
from collections.abc import Sequence
from typing import Final

from scenarios.drivers import Json
from scenarios.ordinary.classes import opaque
from scenarios.ordinary.recipes import recipe
from scenarios.ordinary.themes import Themes

ATTRIBUTES: Final = (
    "resource.kubernetes.io/pcieRoot",
    "resource.kubernetes.io/pcieRoot",
    "gpu.nvidia.com/numa",
    "gpu.nvidia.com/productName",
    "gpu.nvidia.com/index",
    "nic.example.com/numa",
    "gpu.nvidia.com/cudaComputeCapability",
    "gpu.nvidia.com/parentUUID",
    "nope.example.com/x",
)


def request(dice: random.Random, number: int, themes: Themes, kinds: Sequence[str]) -> Json:
    """A request: one recipe, or alternatives."""
    name = f"r{number}"
    if "alternatives" in themes and dice.random() < 0.6:
        several = dice.choice((2, 2, 3))
        return {
            "name": name,
            "firstAvailable": [{"name": f"s{n}"} | recipe(dice, themes, kinds) for n in range(several)],
        }
    made = recipe(dice, themes, kinds)
    if "admin" in themes and dice.random() < 0.5:
        made["adminAccess"] = dice.random() < 0.9
    return {"name": name, "exactly": made}


def constraint(dice: random.Random, themes: Themes, requests: Sequence[Json]) -> Json:
    """A constraint over some of a claim's requests; none named: all of them."""
    names = [each["name"] for each in requests]
    names += [f"{each['name']}/{sub['name']}" for each in requests for sub in each.get("firstAvailable", ())]
    made: Json = {}
    if dice.random() < 0.7:
        made["requests"] = dice.sample(names, dice.randint(1, min(3, len(names))))
    attributes = (
        (*ATTRIBUTES, "gpu.nvidia.com/links", "gpu.nvidia.com/links", "gpu.nvidia.com/numas")
        if "lists" in themes
        else ATTRIBUTES
    )
    distinct = "distinct" in themes and dice.random() < 0.6
    made["distinctAttribute" if distinct else "matchAttribute"] = dice.choice(attributes)
    return made


def claim(dice: random.Random, number: int, themes: Themes, kinds: Sequence[str]) -> Json:
    """A claim of one to four requests, perhaps with constraints and configuration."""
    requests = [request(dice, n, themes, kinds) for n in range(dice.choices((0, 1, 2, 3, 4), (1, 45, 34, 15, 5))[0])]
    devices: Json = {"requests": requests}
    if requests and dice.random() < (0.75 if themes & {"match", "distinct"} else 0.15):
        devices["constraints"] = [constraint(dice, themes, requests) for _ in range(dice.choice((1, 1, 2)))]
        if "cel" in themes and dice.random() < 0.03:
            devices["constraints"].append({"requests": []})
    if "config" in themes:
        names = [each["name"] for each in requests]
        names += [f"{each['name']}/{sub['name']}" for each in requests for sub in each.get("firstAvailable", ())]
        devices["config"] = [
            opaque(dice, f"claim-{n}")
            | ({"requests": dice.sample(names, dice.randint(1, len(names)))} if names and dice.random() < 0.7 else {})
            for n in range(dice.choice((0, 1, 1, 2)))
        ]
    return {
        "metadata": {"name": f"c{number}", "namespace": "default", "uid": f"uid-{number}"},
        "spec": {"devices": devices},
    }
