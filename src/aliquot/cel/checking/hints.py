"""What to write instead: advice for the usual mistakes."""

import re
from difflib import get_close_matches

from aliquot.cel.checking.schema import Schema

_FIELD = re.compile(r"undefined field '(\w+)'")
_UNDECLARED = re.compile(r"undeclared reference to '([\w.]+)'")
_OVERLOAD = re.compile(r"found no matching overload for '([^']+)' applied to '(.*)'", re.DOTALL)
_ORDER = {"_<_": "isLessThan", "_<=_": "compareTo(...) <= 0", "_>_": "isGreaterThan", "_>=_": "compareTo(...) >= 0"}


def nearest(name: str, names: list[str]) -> str:
    """The name that was probably meant, or nothing."""
    lowered = {candidate.lower(): candidate for candidate in names}
    close = get_close_matches(name.lower(), lowered, n=1, cutoff=0.6)
    return lowered[close[0]] if close else ""


def hint_for(message: str, schema: Schema) -> str:
    """Advice for a compile problem, or nothing."""
    if match := _FIELD.match(message):
        return _field_hint(match[1], schema)
    if match := _UNDECLARED.match(message):
        meant = nearest(match[1], ["device", *schema.functions])
        return f"did you mean {meant}?" if meant else ""
    if match := _OVERLOAD.match(message):
        return _overload_hint(match[1], match[2])
    if "cannot be range of a comprehension" in message:
        return "an attribute can only be a list where the gate DRAListTypeAttributes is on"
    if message.startswith("must evaluate to bool"):
        return "compare the value with something, as in device.driver == 'gpu.nvidia.com'"
    if message.startswith("expected type") and "bool" in message:
        return "&&, || and ?: take bools: compare the value with something"
    if message.startswith("invalid argument to has()"):
        return "write has(device.attributes['domain'].name), or 'name' in device.attributes['domain']"
    return ""


def _field_hint(field: str, schema: Schema) -> str:
    meant = nearest(field, list(schema.fields))
    if meant:
        return f"did you mean device.{meant}?"
    if field == "allowMultipleAllocations":
        return "it exists where the gate DRAConsumableCapacity is on"
    return f"device has {', '.join(schema.fields)}; write device.attributes['domain'].{field} for an attribute"


def _overload_hint(function: str, applied: str) -> str:
    for kind, name in (("kubernetes.Quantity", "quantities"), ("kubernetes.Semver", "versions")):
        if kind in applied and function in _ORDER:
            return f"{name} have no {function.strip('_')}: use {_ORDER[function]}"
        if kind in applied and "string" in applied:
            call = "quantity('...')" if name == "quantities" else "semver('...')"
            return f"{name} are compared with {name}: wrap the text in {call}"
    if "map(" in applied:
        return "device.attributes['domain'] is a map: select a name from it, as in device.attributes['domain'].name"
    if "(int, double)" in applied or "(double, int)" in applied:
        return "ints and doubles don't mix here: convert one with int() or double()"
    return ""
