"""Reading the part `offer` of the node's configuration: who offers which GPU.

`others` is who offers what no rule names, `dra` where it isn't said; `gpus` are the rules, such as
`{index: 0, by: device-plugin}`, `{product: L4, by: device-plugin}` or `{uuid: GPU-…, by: dra}`. A product that the
catalogue doesn't know is no fault: it may be what the driver calls one.
"""

from collections.abc import Iterator
from typing import Any, Final

import msgspec

from aliquot.kube.reading.shape import Fault, FaultsError, faults, found, is_list, is_object
from aliquot.kube.reading.strict import unknown_fields, without_unknown
from aliquot.node.device_plugin.offering.division import By, Offering, Rule

_KNOWN: Final = tuple(each.value for each in By)
_NAMES: Final = ("index", "uuid", "product")


class WireRule(msgspec.Struct):
    """An item of `gpus`."""

    by: str
    index: int | None = None
    uuid: str | None = None
    product: str | None = None


class WireOffer(msgspec.Struct):
    """`offer`."""

    others: str | None = None
    gpus: list[WireRule] | None = None


def read_offering(value: Any) -> Offering:
    """Read `offer`, as plain data.

    Raises:
        FaultsError: with every fault, by its path within it.
    """
    known = without_unknown(value, WireOffer)
    wrong = [*unknown_fields(value, WireOffer), *faults(known, WireOffer)]
    places = {fault.path for fault in wrong}
    wrong += [fault for fault in _judge(known) if fault.path not in places]
    if wrong:
        raise FaultsError(*wrong)
    wire = msgspec.convert(known, WireOffer)
    rules = (Rule(by=By(each.by), index=each.index, uuid=each.uuid, product=each.product) for each in wire.gpus or ())
    return Offering(tuple(rules), By(wire.others) if wire.others is not None else By.DRA)


def _judge(value: Any) -> Iterator[Fault]:
    """What values of the right types have wrong."""
    if not is_object(value):
        return
    yield from _by("others", value.get("others"))
    rules = value.get("gpus")
    for number, each in enumerate(rules if is_list(rules) else ()):
        if is_object(each):
            yield from (fault.under(f"gpus[{number}]") for fault in _rule(each))


def _rule(rule: dict[str, Any]) -> Iterator[Fault]:
    yield from _by("by", rule.get("by"))
    given = [name for name in _NAMES if rule.get(name) is not None]
    if len(given) != 1:
        told = f"{' and '.join(given)} are given" if given else "no GPU is named"
        yield Fault("", told, f"one of {', '.join(_NAMES)}")
    index = rule.get("index")
    if type(index) is int and index < 0:
        yield Fault("index", f"{index} isn't possible", "the driver's number of the GPU, from 0")
    for name in ("uuid", "product"):
        if rule.get(name) == "":
            yield Fault(name, "empty: which GPU is meant?")


def _by(path: str, given: object) -> Iterator[Fault]:
    if isinstance(given, str) and given not in _KNOWN:
        yield Fault(path, f"{found(given)} isn't known", ", ".join(_KNOWN))
