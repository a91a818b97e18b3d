"""Answers of allocators as JSON, in a form that compares by meaning."""

import json

from aliquot.units.quantity import Quantity
from scenarios.drivers import Json


def plain(node: Json) -> Json:
    """The answer for a node: amounts by value in nano-units, absent fields filled in."""
    made: Json = json.loads(json.dumps(node))
    made.setdefault("nodeOnlyError", False)
    for result in made.get("results") or ():
        for device in result.get("devices", {}).get("results", ()):
            consumed = device.get("consumedCapacity", {})
            device["consumedCapacity"] = {name: Quantity.parse(text).nanos for name, text in consumed.items()}
    return made
