"""The slices of a cluster of one or two nodes."""

import random
from collections.abc import Sequence

from scenarios.drivers import GPU, NIC, Json
from scenarios.ordinary.adornments import bind, list_attributes, share, taint
from scenarios.ordinary.devices import MODELS, gpu, nic, partitioned
from scenarios.ordinary.pools import pool
from scenarios.ordinary.themes import Themes


def supply(dice: random.Random, themes: Themes) -> tuple[list[Json], list[str]]:
    """The slices, and which kinds of device there are: gpu, mig, nic."""
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
        name = dice.choice(("node-a", "nics"))
        slices += pool(dice, NIC, name, devices, odd=odd and dice.random() < 0.5, varied=varied)
    return slices, kinds


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
