"""Random allocation scenarios of all features: clusters, claims and what is allocated already.

A scenario mixes one to four themes (whole GPUs, MIG, GPU and network card, alternatives, All, admin access, shared
capacity, taints, late binding, lists, node selection, pools in disorder, configuration, broken selectors). The same
seed and number give the same scenario on every machine.
"""

import random

from scenarios.api.allocation import node
from scenarios.drivers import Json
from scenarios.ordinary.claims import claim
from scenarios.ordinary.classes import classes
from scenarios.ordinary.supply import supply
from scenarios.ordinary.taken import taken
from scenarios.ordinary.themes import THEMES, features


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
        "nodes": [node("node-a", zone="z1", gpus="4"), node("node-b", zone="z2")][
            : 2 if "nodes" in themes or dice.random() < 0.1 else 1
        ],
        "node": "any",
        "slices": slices,
        "classes": classes(dice, themes),
        "claims": [claim(dice, n, themes, kinds) for n in range(dice.choices((0, 1, 2, 3), (1, 72, 20, 7))[0])],
    }
    made |= taken(dice, themes, slices)
    return made | ({"kubernetes": kubernetes} if kubernetes else {})
