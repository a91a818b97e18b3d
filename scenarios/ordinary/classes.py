"""Random device classes, and configuration."""

import random
from typing import Final

from scenarios.api.classes import device_class, of_driver
from scenarios.api.selectors import attribute
from scenarios.drivers import GPU, NIC, Json
from scenarios.ordinary.selectors import SELECTORS
from scenarios.ordinary.themes import Themes

CLASSES: Final = {
    "gpu": (GPU, f"{of_driver(GPU)} && {attribute('type')} == 'gpu'"),
    "mig": ("mig.nvidia.com", f"{of_driver(GPU)} && {attribute('type')} == 'mig'"),
    "nic": (NIC, of_driver(NIC)),
}
"""Kind of device -> the name of its class, and the class's selector."""


def opaque(dice: random.Random, label: str) -> Json:
    """A configuration for one of the drivers."""
    return {"opaque": {"driver": dice.choice((GPU, NIC)), "parameters": {"kind": "Config", "label": label}}}


def classes(dice: random.Random, themes: Themes) -> list[Json]:
    """The device classes of a scenario: one a kind of device, one that takes everything, one that is broken."""
    made = [device_class(name, expression) for name, expression in CLASSES.values()]
    made.append(device_class("any"))
    if "cel" in themes:
        made.append(device_class("broken", dice.choice(SELECTORS["broken"])))
    if "config" in themes:
        for each in made:
            if dice.random() < 0.6:
                each["spec"]["config"] = [opaque(dice, f"class-{n}") for n in range(dice.choice((1, 2)))]
    return made
