"""What is allocated already, as a list of devices or as claims."""

import random
from collections.abc import Sequence

from scenarios.api.allocation import places
from scenarios.drivers import Json
from scenarios.ordinary.themes import Themes


def taken(dice: random.Random, themes: Themes, slices: Sequence[Json]) -> Json:
    """Members of a scenario: up to a quarter of the devices, some of them shared or by admin access."""
    everything = places(slices)
    devices = [device for each in slices for device in each["spec"].get("devices", ())]
    shareable = {
        tuple(place.values())
        for place, device in zip(everything, devices, strict=True)
        if device.get("allowMultipleAllocations")
    }
    if dice.random() < 0.55 or not everything:
        return {}
    chosen = dice.sample(everything, dice.randint(1, max(1, len(everything) // 4)))
    if "shared" not in themes and dice.random() < 0.7:
        return {"allocatedDevices": chosen}
    results: list[Json] = []
    for number, place in enumerate(chosen):
        result: Json = {"request": "x"} | place
        if tuple(place.values()) in shareable and dice.random() < 0.9:
            result["shareID"] = f"bbbbbbbb-0000-4000-8000-{number:012}"
            result["consumedCapacity"] = {"memory": dice.choice(("1Gi", "5Gi", "20Gi", "39Gi"))}
        elif dice.random() < 0.1:
            result["adminAccess"] = True
        results.append(result)
    return {
        "allocatedClaims": [
            {
                "metadata": {"name": f"old-{number}", "namespace": "default"},
                "spec": {},
                "status": {"allocation": {"devices": {"results": half}}},
            }
            for number, half in enumerate((results[::2], results[1::2]))
            if half
        ],
    }
