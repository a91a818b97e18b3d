"""Pools: devices dealt to slices at random, and the ways in which a pool isn't in order."""

import random
from collections.abc import Sequence

from scenarios.drivers import Json
from scenarios.ordinary.places import place


def pool(
    dice: random.Random,
    driver: str,
    name: str,
    devices: Sequence[Json],
    *,
    counter_sets: Sequence[Json] = (),
    odd: bool = False,
    varied: bool = False,
) -> list[Json]:
    """The slices of a pool, split at random; ``odd`` ones now and then are incomplete, outdated, invalid, too many."""
    parts: list[Json] = [{"sharedCounters": list(counter_sets)}] if counter_sets else []
    cuts = sorted(dice.sample(range(1, len(devices)), min(dice.choice((0, 0, 1, 2)), max(len(devices) - 1, 0))))
    for start, end in zip([0, *cuts], [*cuts, len(devices)], strict=True):
        parts.append({"devices": list(devices[start:end])})
    where = place(dice, varied=varied, devices=devices)
    count, generation = len(parts), dice.choice((1, 1, 3))
    made: list[Json] = []
    for number, part in enumerate(parts):
        label = dice.choice(("s", "sl-", "z")) if odd else "s"
        made.append(
            {
                "metadata": {"name": f"{label}{name}-{number}"},
                "spec": {
                    "driver": driver,
                    "pool": {"name": name, "generation": generation, "resourceSliceCount": count},
                }
                | where
                | part,
            },
        )
    if odd:
        disturb(dice, made)
    dice.shuffle(made)
    return made


def disturb(dice: random.Random, slices: list[Json]) -> None:
    """One of the ways in which a pool isn't in order."""
    spec = dice.choice(slices)["spec"]
    match dice.randrange(8):
        case 0:
            spec["pool"]["generation"] += 1
        case 1:
            spec["pool"]["resourceSliceCount"] += 1
            for each in slices:
                each["spec"]["pool"]["resourceSliceCount"] = spec["pool"]["resourceSliceCount"]
        case 2:
            if len(slices) > 1:
                slices.remove(dice.choice(slices))
        case 3 if spec.get("devices"):
            spec["devices"].append(dict(spec["devices"][0]))
        case 4 if spec.get("sharedCounters"):
            spec["sharedCounters"].append(dict(spec["sharedCounters"][0]))
        case 5:
            users = [
                device
                for each in slices
                for device in each["spec"].get("devices", ())
                if device.get("consumesCounters")
            ]
            if users:
                use = dice.choice(users)["consumesCounters"][0]
                if dice.random() < 0.5:
                    use["counterSet"] = "unknown"
                else:
                    use["counters"] = {"unknown": {"value": "1"}}
        case 6:
            for each in slices:
                each["spec"]["pool"]["resourceSliceCount"] = 1
        case _:
            spec["pool"]["generation"] = 2
