"""Random allocation scenarios: clusters, claims and what is allocated already.

    python -m conformance.generate_allocation --count 1000 --seed 1 > scenarios.jsonl

A scenario mixes one to four themes (whole GPUs, MIG, GPU and NIC, alternatives, All, admin access, shared capacity,
taints, late binding, lists, node selection, pools in disorder, configuration, broken selectors). The same seed gives
the same scenarios on every machine. ``--tight`` gives adversarial inputs instead (see `conformance.generate_tight`).
"""

import argparse
import random
import sys
from collections.abc import Sequence
from typing import Any, Final

from conformance import generate_tight, lines
from conformance.claims import Themes, claim, classes
from conformance.hardware import GPU, MODELS, NIC, bind, gpu, list_attributes, nic, partitioned, pool, share, taint

Json = dict[str, Any]

THEMES: Final = {
    "mig": "partitionableDevices",
    "nic": None,
    "alternatives": "prioritizedList",
    "all": None,
    "admin": "adminAccess",
    "shared": "consumableCapacity",
    "taints": "deviceTaints",
    "binding": "deviceBindingAndStatus",
    "lists": "listTypeAttributes",
    "match": None,
    "distinct": "consumableCapacity",
    "nodes": "partitionableDevices",
    "pools": None,
    "config": None,
    "cel": None,
}
"""Theme -> the feature that it needs."""

USUAL: Final = (
    "adminAccess",
    "consumableCapacity",
    "deviceBindingAndStatus",
    "deviceTaints",
    "partitionableDevices",
    "prioritizedList",
)
"""On by default in 1.36."""


def features(dice: random.Random, themes: Themes) -> Json:
    """The features that the themes need, seldom one less, often all that are usual."""
    wanted = {feature for theme in sorted(themes) if (feature := THEMES[theme])}
    if dice.random() < 0.4:
        wanted |= set(USUAL)
    if wanted and dice.random() < 0.06:
        wanted.discard(dice.choice(sorted(wanted)))
    return dict.fromkeys(sorted(wanted), True)


def adorn(dice: random.Random, themes: Themes, devices: Sequence[Json]) -> None:
    """What the themes do to some of the devices."""
    for device in devices:
        if "shared" in themes and dice.random() < 0.7:
            share(dice, device)
        if "taints" in themes and dice.random() < 0.3:
            taint(dice, device)
        if "binding" in themes and dice.random() < 0.4:
            bind(dice, device)
        if "lists" in themes and dice.random() < 0.9:
            list_attributes(dice, device)


def supply(dice: random.Random, themes: Themes) -> tuple[list[Json], list[str]]:
    """The slices of a cluster, and which kinds of device it has."""
    odd, varied = "pools" in themes, "nodes" in themes
    kinds = ["gpu"]
    slices: list[Json] = []
    if "mig" in themes:
        kinds.append("mig")
        sets, devices = partitioned(dice, dice.choice((1, 2)))
        adorn(dice, themes, devices)
        slices += pool(dice, GPU, "node-a", devices, counter_sets=sets, odd=odd, varied=varied)
    for number in range(dice.choice((1, 1, 2)) if "mig" not in themes or dice.random() < 0.2 else 0):
        model = dice.choice(MODELS)
        devices = [
            gpu(dice, n, dice.choice(MODELS) if dice.random() < 0.2 else model)
            for n in range(dice.choice((1, 2, 3, 4, 4, 6)))
        ]
        adorn(dice, themes, devices)
        slices += pool(dice, GPU, f"p{number}", devices, odd=odd, varied=varied)
    if "nic" in themes:
        kinds.append("nic")
        devices = [nic(dice, n) for n in range(dice.choice((1, 2, 3, 4)))]
        adorn(dice, themes, devices)
        slices += pool(
            dice, NIC, dice.choice(("node-a", "nics")), devices, odd=odd and dice.random() < 0.5, varied=varied
        )
    return slices, kinds


def taken(dice: random.Random, themes: Themes, slices: Sequence[Json]) -> Json:
    """What is allocated already, as lists of devices or as claims."""
    places = [
        {"driver": each["spec"]["driver"], "pool": each["spec"]["pool"]["name"], "device": device["name"]}
        for each in slices
        for device in each["spec"].get("devices", ())
    ]
    shareable = {
        (each["spec"]["driver"], each["spec"]["pool"]["name"], device["name"])
        for each in slices
        for device in each["spec"].get("devices", ())
        if device.get("allowMultipleAllocations")
    }
    if dice.random() < 0.55 or not places:
        return {}
    chosen = dice.sample(places, dice.randint(1, max(1, len(places) // 4)))
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
    halves = [results[::2], results[1::2]]
    return {
        "allocatedClaims": [
            {
                "metadata": {"name": f"old-{number}", "namespace": "default"},
                "spec": {},
                "status": {"allocation": {"devices": {"results": half}}},
            }
            for number, half in enumerate(halves)
            if half
        ],
    }


def scenario(seed: int, number: int, kubernetes: str | None = None) -> Json:
    """The scenario that this seed and number always give."""
    dice = random.Random(f"{seed}/allocation/{number}")
    themes = frozenset(dice.sample(sorted(THEMES), dice.choice((1, 1, 2, 2, 3, 4))))
    if "cel" in themes and dice.random() < 0.4:
        themes -= {"cel"}
    slices, kinds = supply(dice, themes)
    made = {
        "name": f"{'-'.join(sorted(themes)) or 'whole'}-{seed}-{number}",
        "features": features(dice, themes),
        "nodes": [
            {"metadata": {"name": "node-a", "labels": {"kubernetes.io/hostname": "node-a", "zone": "z1", "gpus": "4"}}},
            {"metadata": {"name": "node-b", "labels": {"kubernetes.io/hostname": "node-b", "zone": "z2"}}},
        ][: 2 if "nodes" in themes or dice.random() < 0.1 else 1],
        "node": "any",
        "slices": slices,
        "classes": classes(dice, themes),
        "claims": [claim(dice, n, themes, kinds) for n in range(dice.choices((0, 1, 2, 3), (1, 72, 20, 7))[0])],
    }
    made |= taken(dice, themes, slices)
    return made | ({"kubernetes": kubernetes} if kubernetes else {})


def scenarios(count: int, seed: int, kubernetes: str | None = None, *, tight: bool = False) -> list[Json]:
    """``count`` scenarios of one seed."""
    make = generate_tight.scenario if tight else scenario
    return [make(seed, number, kubernetes) for number in range(count)]


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m conformance.generate_allocation",
        description="Random allocation scenarios as JSON lines.",
    )
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--kubernetes", help="write this version into each scenario")
    parser.add_argument("--tight", action="store_true", help="small adversarial inputs, hard for a search")
    wanted = parser.parse_args()
    sys.stdout.buffer.write(lines.dump(scenarios(wanted.count, wanted.seed, wanted.kubernetes, tight=wanted.tight)))


if __name__ == "__main__":
    main()
