"""Ways out by another selector in a claim: corrected, guarded against an error, or dropped."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Literal

from aliquot.advisor.case import Case, Spot
from aliquot.advisor.causes.errors import OTHER_TABLE
from aliquot.advisor.dra.attributes import domains_of
from aliquot.advisor.dra.claims import DRIVER, changed
from aliquot.advisor.nearest import meant, nearest, telling
from aliquot.advisor.remedies.claims.change import Asked, claim_candidate
from aliquot.advisor.remedies.claims.less import is_less
from aliquot.advisor.wayout import Candidate, Risk
from aliquot.allocation.answer import (
    SelectorError,
    SelectorFalse,
)
from aliquot.dra.claim import SubRequest
from aliquot.dra.device import Device

NO_SUCH_KEY = re.compile(r"no such key: ([A-Za-z_][A-Za-z0-9_]*)")
EQUALS = re.compile(
    r"""^device\.(?:attributes|capacity)\[\s*(["'])(?P<domain>[^"']+)\1\s*\]\.(?P<name>\w+)\s*==\s*(["'])(?P<value>[^"']*)\4$"""
)
AT_LEAST = re.compile(
    r"""device\.capacity\[\s*["'](?P<domain>[^"']+)["']\s*\]\.(?P<name>\w+)\.(?:compareTo|isGreaterThan)\("""
    r"""\s*quantity\(\s*["'](?P<amount>[^"']+)["']"""
)
LITERALS_TRIED = 3
OTHER_KIND = 31
"""Another kind of device than was asked for, rightly spelt; see `remedies.selectors`."""


Effect = Literal["slip", "guard", "less", "other"]
RISKS: Mapping[Effect, Risk] = {
    "slip": Risk("low", "the original looks like a slip"),
    "guard": Risk("low", "devices that don't publish the attribute are no longer candidates"),
    "less": Risk("high", "less than was asked for: the model may not fit"),
    "other": Risk("medium", "the pod gets another kind of device than was asked for"),
}
RANKS: Mapping[Effect, float] = {"slip": 5, "guard": 8, "less": 27, "other": OTHER_KIND}


@dataclass(frozen=True, slots=True)
class Rewrite:
    """Another expression, what it changes in words, and what the pod gets by it."""

    expression: str
    text: str
    effect: Effect
    size: bool = False
    """The same kind of device in another size."""


def cures(case: Case, spot: Spot, asked: Asked) -> Iterator[Candidate]:
    """Each selector of a recipe that rules a device out, mended or dropped."""
    tried: set[tuple[int, str]] = set()
    less: set[int] = set()
    dropped: set[int] = set()
    for device in asked.story.devices:
        for reason in device.reasons:
            if not isinstance(reason, SelectorFalse | SelectorError) or reason.owner != "request":
                continue
            expression = reason.expression
            if isinstance(reason, SelectorError):
                rewritten = list(_without_error(case, expression, reason.text))
            else:
                rewritten = [
                    *_other_driver(case, expression, reason.term),
                    *_other_literal(case, spot, expression, reason.term, device.device.driver),
                    *_smaller(case, spot, expression, reason.term),
                ]
            for new in rewritten:
                if new.effect == "less":
                    less.add(reason.index)
                if (reason.index, new.expression) not in tried:
                    tried.add((reason.index, new.expression))
                    yield _rewritten(case, spot, asked, reason.index, new)
            dropped.add(reason.index)
    for index in sorted(dropped):
        yield _dropped(case, spot, asked, index, less=index in less)


def _without_error(case: Case, expression: str, text: str) -> Iterator[Rewrite]:
    """The nearest name that devices do publish; else a guard, so that devices without it don't match."""
    found = NO_SUCH_KEY.search(text)
    if found is None:
        return
    key = found[1]
    path = re.search(rf"""device\.(attributes|capacity)\[\s*(["'])([^"']+)\2\s*\]\.{key}\b""", expression)
    if path is None:
        return
    known = _names(case, path[1], path[3])
    other = OTHER_TABLE[path[1]]
    if key in _names(case, other, path[3]):
        new = expression.replace(path[0], path[0].replace(f"device.{path[1]}", f"device.{other}", 1))
        yield Rewrite(new, f"{key} is in {other} (not among the {path[1]})", "slip")
    if key not in known:
        for domain in domains_of(case.snapshot, path[1], key):
            new = expression.replace(path[0], path[0].replace(path[3], domain, 1))
            yield Rewrite(new, f"{key} is in the domain {domain} (not {path[3]})", "slip")
    likely = meant(key, known)
    first = [likely] if likely is not None else list[str]()
    for name in dict.fromkeys(first + _by_value(case, path, expression)):
        new = expression.replace(path[0], path[0].removesuffix(key) + name)
        yield Rewrite(new, f"the {path[1].removesuffix('s')} is {name} (not {key})", "slip")
    whole = f"({expression})" if "||" in expression or "?" in expression else expression
    guarded = f"has({path[0]}) && {whole}"
    yield Rewrite(guarded, f"guard with has(), since not every device has {key}", "guard")


def _by_value(case: Case, path: re.Match[str], expression: str) -> list[str]:
    """The attributes that have the very value with which the expression compares."""
    compared = re.search(rf"""{re.escape(path[0])}\s*==\s*(["'])([^"']+)\1""", expression)
    if compared is None or not telling(compared[2]):
        return []
    return sorted(
        {
            full.rpartition("/")[2]
            for one in case.snapshot.slices.values()
            for device in one.devices
            for full, attribute in device.attributes.items()
            if attribute.value == compared[2] and (full.rpartition("/")[0] or one.driver) == path[3]
        }
    )


def _names(case: Case, table: str, domain: str) -> list[str]:
    """Names in a domain that any device publishes; those without a domain are their driver's."""
    found: set[str] = set()
    for one in case.snapshot.slices.values():
        for device in one.devices:
            for full in device.attributes if table == "attributes" else device.capacity:
                prefix, _, name = full.rpartition("/")
                if (prefix or one.driver) == domain:
                    found.add(name)
    return sorted(found)


def _smaller(case: Case, spot: Spot, expression: str, term: str) -> Iterator[Rewrite]:
    """For `capacity >= amount`: the most that this node's devices have."""
    wanted = AT_LEAST.search(term)
    if wanted is None:
        return
    domain, name = wanted["domain"], wanted["name"]
    amounts = [
        device.capacity[key].value
        for one in case.snapshot.slices.values()
        if one.node_name == spot.node.name
        for device in one.devices
        for key in (f"{domain}/{name}", *([name] if one.driver == domain else []))
        if key in device.capacity
    ]
    if amounts:
        most = max(amounts).canonical()
        new = expression.replace(term, term.replace(wanted["amount"], most))
        yield Rewrite(new, f"{most} of {name} instead of {wanted['amount']}", "less", size=True)


def _other_driver(case: Case, expression: str, term: str) -> Iterator[Rewrite]:
    """For `device.driver == 'name'`: the driver of that name put otherwise (`nvidia.com/gpu`: `gpu.nvidia.com`)."""
    named = DRIVER.search(term)
    drivers = {one.driver for one in case.snapshot.slices.values()}
    likely = meant(named[2], drivers) if named is not None and named[2] not in drivers else None
    if named is not None and likely is not None:
        new = expression.replace(term, term.replace(named[2], likely))
        yield Rewrite(new, f"the driver is {likely} (not {named[2]})", "slip")


def _other_literal(case: Case, spot: Spot, expression: str, term: str, driver: str) -> Iterator[Rewrite]:
    """For `attribute == 'value'`: values that this node's devices have."""
    wanted = EQUALS.match(term.strip())
    if wanted is None:
        return
    values = {
        value
        for device in _devices_on(case, spot.node.name, driver)
        if isinstance(value := _value(device, driver, wanted["domain"], wanted["name"]), str)
    }
    everywhere = {
        value
        for one in case.snapshot.slices.values()
        for device in one.devices
        if isinstance(value := _value(device, one.driver, wanted["domain"], wanted["name"]), str)
    }
    likely = meant(wanted["value"], values)
    near = [*([likely] if likely is not None else []), *nearest(wanted["value"], values)]
    for value in [one for one in dict.fromkeys(near) if one != wanted["value"]][:LITERALS_TRIED]:
        slip = wanted["value"] not in everywhere and meant(wanted["value"], everywhere) == value
        new = expression.replace(
            term, term.replace(f"{wanted[4]}{wanted['value']}{wanted[4]}", f"{wanted[4]}{value}{wanted[4]}")
        )
        if slip:
            yield Rewrite(new, f"{wanted['name']} is {value} (not {wanted['value']})", "slip")
        else:
            text = f"{wanted['name']} {value} instead of {wanted['value']}"
            effect: Effect = "less" if is_less(value, wanted["value"]) else "other"
            yield Rewrite(new, text, effect, size=wanted["name"] == "profile")


def _devices_on(case: Case, node: str, driver: str) -> Iterator[Device]:
    for one in case.snapshot.slices.values():
        if one.driver == driver and (one.node_name == node or one.all_nodes):
            yield from one.devices


def _value(device: Device, driver: str, domain: str, name: str) -> object:
    for full in (f"{domain}/{name}", *([name] if domain == driver else [])):
        if full in device.attributes:
            return device.attributes[full].value
    return None


def _rewritten(case: Case, spot: Spot, asked: Asked, index: int, new: Rewrite) -> Candidate:
    def change(recipe: SubRequest) -> SubRequest:
        kept = tuple(new.expression if i == index else one for i, one in enumerate(recipe.selectors))
        return replace(recipe, selectors=kept)

    pointer = f"{asked.source.base}{asked.place.pointer}/selectors/{index}/cel/expression"
    return claim_candidate(
        case,
        spot.node.name,
        asked.source,
        changed(asked.source.claim.spec, asked.place, change),
        [{"op": "replace", "path": pointer, "value": new.expression}],
        kind="change-request" if new.size or new.effect == "less" else "fix-selector",
        title=f"{'Correct' if new.effect in ('slip', 'guard') else 'Change'} request {asked.story.request} of "
        f"{asked.source.kind} {asked.source.name}: {new.text}",
        risk=RISKS[new.effect],
        rank=RANKS["less"] if new.size else RANKS[new.effect],
    )


def _dropped(case: Case, spot: Spot, asked: Asked, index: int, *, less: bool) -> Candidate:
    def change(recipe: SubRequest) -> SubRequest:
        return replace(recipe, selectors=tuple(one for i, one in enumerate(recipe.selectors) if i != index))

    pointer = f"{asked.source.base}{asked.place.pointer}/selectors/{index}"
    anything = f"any device of class {asked.recipe.class_name} may then be given"
    return claim_candidate(
        case,
        spot.node.name,
        asked.source,
        changed(asked.source.claim.spec, asked.place, change),
        [{"op": "remove", "path": pointer}],
        kind="drop-selector",
        title=f"Drop selector #{index} of request {asked.story.request}: {asked.recipe.selectors[index]}",
        risk=Risk("high", f"{anything}, one that has less than was asked for too: the model may not fit")
        if less
        else Risk("medium", anything),
        rank=37,
    )
