"""Where a slice's devices can be used."""

import random
from collections.abc import Sequence

from scenarios.drivers import Json


def selector_of_nodes(dice: random.Random) -> Json:
    """A node selector: mostly one that matches node-a."""
    term = dice.choice(
        (
            {"matchExpressions": [{"key": "zone", "operator": "In", "values": ["z1"]}]},
            {"matchExpressions": [{"key": "zone", "operator": "In", "values": ["z2", "z1"]}]},
            {"matchExpressions": [{"key": "gpus", "operator": "Gt", "values": ["3"]}]},
            {
                "matchExpressions": [
                    {"key": "zone", "operator": "NotIn", "values": ["z2"]},
                    {"key": "gpus", "operator": "Exists"},
                ]
            },
            {"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["node-a"]}]},
            {"matchExpressions": [{"key": "nope", "operator": "DoesNotExist"}]},
            {"matchExpressions": [{"key": "zone", "operator": "In", "values": ["z9"]}]},
        ),
    )
    terms = [term]
    if dice.random() < 0.05:
        terms.append({"matchExpressions": [{"key": "zone", "operator": "Exists"}]})
    return {"nodeSelectorTerms": terms}


def place(dice: random.Random, *, varied: bool, devices: Sequence[Json] = ()) -> Json:
    """Where a slice's devices can be used: on node-a, or (``varied``) in any of the ways that the API knows."""
    if not varied:
        return {"nodeName": "node-a"}
    match dice.randrange(6):
        case 0 | 1:
            return {"nodeName": dice.choice(("node-a", "node-a", "node-b"))}
        case 2:
            return {"allNodes": True}
        case 3 | 4:
            return {"nodeSelector": selector_of_nodes(dice)}
        case _:
            if dice.random() < 0.1:
                return {}
            for device in devices:
                device.update(
                    place(dice, varied=False)
                    if dice.random() < 0.3
                    else dice.choice(
                        (
                            {"allNodes": True},
                            {"nodeName": "node-b"},
                            {"nodeName": "node-a"},
                            {"nodeSelector": selector_of_nodes(dice)},
                        ),
                    )
                )
            return {"perDeviceNodeSelection": True}
