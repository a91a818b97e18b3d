"""Scenarios of several nodes and pools, whose counters and devices cross the borders of nodes.

A tight scenario's pools are dealt anew: some stay with one node, some are there for all, of some each device says for
itself where it can be used, while the counters belong to the pool as a whole.
"""

import random
from collections.abc import Sequence
from typing import Final

from scenarios import tight
from scenarios.api.allocation import node, places
from scenarios.drivers import Json

NODES: Final = ("n", "m", "o")
FAMILIES: Final = ("mig", "pairs", "overlapping", "coarse", "shares")


def spread(seed: int, number: int) -> Json:
    """The scenario that this seed and number always give."""
    dice = random.Random(f"{seed}/spread/{number}")
    row = tight.scenario(dice.choice(FAMILIES), seed * 1_000_000 + number)
    names = NODES[: dice.choice((2, 2, 3))]
    slices: list[Json] = []
    for copy in range(dice.choice((1, 1, 2))):
        slices += dealt(dice, row["slices"], f"p{copy}", names)
    claims = row["claims"][: dice.randint(1, max(len(row["claims"]), 1))]
    share = dice.choice((0.0, 0.1, 0.1, 0.3))
    taken = [place for place in places(slices) if dice.random() < share]
    return {
        **row,
        "name": f"spread-{seed}-{number}",
        "nodes": [node(name) for name in names],
        "node": "any",
        "slices": slices,
        "claims": claims,
        "allocatedDevices": taken,
    }


def dealt(dice: random.Random, slices: Sequence[Json], name: str, nodes: Sequence[str]) -> list[Json]:
    """A pool of each driver, for one node, for all, or device by device; devices in a slice for each node."""
    made: list[Json] = []
    for driver in sorted({one["spec"]["driver"] for one in slices}):
        of_driver = [one["spec"] for one in slices if one["spec"]["driver"] == driver]
        devices = [device for spec in of_driver for device in spec.get("devices", ())]
        sets = [counter_set for spec in of_driver for counter_set in spec.get("sharedCounters", ())]
        parts = _parts(dice, devices, nodes) + ([{"sharedCounters": sets, "nodeName": nodes[0]}] if sets else [])
        made += [
            {
                "metadata": {"name": f"{name}-{driver}-{place}"},
                "spec": {
                    "driver": driver,
                    "pool": {"name": name, "generation": 1, "resourceSliceCount": len(parts)},
                    **part,
                },
            }
            for place, part in enumerate(parts)
        ]
    return made


def _parts(dice: random.Random, devices: Sequence[Json], nodes: Sequence[str]) -> list[Json]:
    match dice.randrange(4):
        case 0:
            return [{"devices": list(devices), "nodeName": dice.choice(nodes)}]
        case 1:
            return [{"devices": list(devices), "allNodes": True}]
        case 2:
            at = {device["name"]: dice.choice(nodes) for device in devices}
            parts = [[device for device in devices if at[device["name"]] == name] for name in nodes]
            return [{"devices": part, "nodeName": name} for name, part in zip(nodes, parts, strict=True) if part]
        case _:
            homes: list[Json] = [{"allNodes": True}, *({"nodeName": name} for name in nodes)]
            listed = [{**device, **dice.choice(homes)} for device in devices]
            return [{"devices": listed, "perDeviceNodeSelection": True}]
