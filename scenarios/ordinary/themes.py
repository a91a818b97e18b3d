"""What a scenario is about, and the features that are on for it."""

import random
from typing import Final

from scenarios.api.allocation import FEATURES

Themes = frozenset[str]

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


def features(dice: random.Random, themes: Themes) -> dict[str, bool]:
    """The features that the themes need, seldom one less, often all that are on by default."""
    wanted = {feature for theme in sorted(themes) if (feature := THEMES[theme])}
    if dice.random() < 0.4:
        wanted |= set(FEATURES)
    if wanted and dice.random() < 0.06:
        wanted.discard(dice.choice(sorted(wanted)))
    return dict.fromkeys(sorted(wanted), True)
