"""What stands against the devices that were meant, in clauses: who holds, what taints, which counter is used."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from aliquot.advisor.causes.cause import listed, nodes_named, number
from aliquot.advisor.causes.holders import owners_of_claims, who
from aliquot.advisor.dra.attributes import probably_meant, published_attributes
from aliquot.advisor.dra.chips import Chip, chip_of, drawn, published
from aliquot.advisor.dra.claims import unused
from aliquot.allocation.answer import (
    AttributeMissing,
    CapacityShort,
    ConstraintBroken,
    CounterShort,
    DeviceStory,
    FeatureOff,
    Held,
    RequestStory,
    Tainted,
)
from aliquot.dra.device import DeviceId, DeviceTaint
from aliquot.snapshot.snapshot import Snapshot
from aliquot.units.quantity import Quantity

Short = Mapping[str, Sequence[tuple[RequestStory, Sequence[DeviceStory]]]]
"""Node -> the requests that lack devices there, and the devices that were meant."""


Needs = Mapping[tuple[str, str], "_Need"]
"""(Node, counter set) -> the device that lacks least there."""


@dataclass(slots=True)
class Said:
    """Clauses, and the objects that they name."""

    words: list[str] = field(default_factory=list[str])
    objects: list[str] = field(default_factory=list[str])


def clauses(snapshot: Snapshot, short: Short) -> Said:
    """Taints first, for somebody put them there; then what is used up; then who holds the rest."""
    said = Said()
    _tainted(snapshot, short, said)
    _counters(snapshot, short, said)
    _held(snapshot, short, said)
    _others(snapshot, short, said)
    return said


def _where(found: Mapping[str, Sequence[str]]) -> str:
    """`gpu-0 on a`, `4 devices on a and b`."""
    devices = [device for several in found.values() for device in several]
    names = listed(sorted(set(devices)), 3) if len(set(devices)) <= 4 else f"{len(devices)} devices"
    return f"{names} on {nodes_named(list(found))}"


def _tainted(snapshot: Snapshot, short: Short, said: Said) -> None:
    found: dict[tuple[str, str, str], dict[str, list[str]]] = {}
    for node, lacks in short.items():
        for _, meant in lacks:
            for device in meant:
                for why in device.reasons:
                    if isinstance(why, Tainted):
                        key = (why.taint.key, why.taint.value, why.taint.effect)
                        devices = found.setdefault(key, {}).setdefault(node, [])
                        if device.device.device not in devices:
                            devices.append(device.device.device)
    for (name, value, effect), where in found.items():
        taint = f"{name}{f'={value}' if value else ''}:{effect}"
        rules = rules_with(snapshot, DeviceTaint(name, effect, value))
        by = f"DeviceTaintRule {listed(rules)} taints" if rules else "its driver taints"
        said.words.append(f"{by} {_where(where)} with {taint}, which the claim doesn't tolerate")
        said.objects += [*rules, *(device for several in where.values() for device in several[:2])]


def rules_with(snapshot: Snapshot, taint: DeviceTaint) -> list[str]:
    """The DeviceTaintRules that set such a taint."""
    return [
        name
        for name, rule in snapshot.taint_rules.items()
        if (rule.taint.key, rule.taint.value, rule.taint.effect) == (taint.key, taint.value, taint.effect)
    ]


@dataclass(frozen=True, slots=True)
class _Need:
    """A device that nobody holds, and a counter of which it needs more than is left."""

    node: str
    why: CounterShort
    device: DeviceId

    @property
    def missing(self) -> Quantity:
        return self.why.needed - self.why.available


def _counters(snapshot: Snapshot, short: Short, said: Said) -> None:
    best: dict[tuple[str, str], _Need] = {}
    claims: dict[str, None] = {}
    for node, lacks in short.items():
        for _, meant in lacks:
            for device in meant:
                if any(isinstance(why, Held) for why in device.reasons):
                    continue  # that it's held says it all
                for why in device.reasons:
                    if isinstance(why, CounterShort):
                        claims |= dict.fromkeys(why.claims or _claims_of(snapshot, why))
                        need = _Need(node, why, device.device)
                        there = best.get((node, why.counter_set))
                        if there is None or need.missing < there.missing:
                            best[node, why.counter_set] = need
    if not best:
        return
    words, named = _slices(snapshot, best, claims) or _one_counter(best, who(owners_of_claims(snapshot, claims)))
    said.words.append(words)
    _unused(snapshot, claims, said)
    said.objects += [pod.key for one in owners_of_claims(snapshot, claims)[:2] for pod in one.pods[:2]]
    said.objects += named


def _slices(snapshot: Snapshot, best: Needs, claims: Iterable[str]) -> tuple[str, list[str]] | None:
    """Where slices of a GPU's memory are what is short: how many are free on the GPU that has most."""
    chips: list[tuple[Chip, frozenset[str], _Need]] = []
    for need in best.values():
        device = published(snapshot, need.device)
        chip = chip_of(snapshot, need.device, need.why.counter_set)
        needs = drawn(device, need.why.counter_set) if device is not None else frozenset[str]()
        if chip is None or needs <= chip.free:
            return None
        chips.append((chip, needs, need))
    chip, needs, need = min(chips, key=lambda one: (-len(one[0].free), one[2].node, one[0].name))
    name, count, free, every = need.device.device, len(needs), len(chip.free), len(chip.slices)
    here = [key for key in claims if _holds(snapshot, key, need.device, chip.holders)]
    holders, others = (who(owners_of_claims(snapshot, keys)) for keys in (here, [k for k in claims if k not in here]))
    gpu = chip.name if chip.name == need.why.counter_set else f"{chip.name} ({need.why.counter_set})"
    of = f"all {every} of its memory slices" if chip.name == name else f"{number(count, 'memory slice')} of {gpu}"
    there = f"{free} of {every} {'is' if free == 1 else 'are'} free" if free else "none is free"
    enough = ", but not those" if free >= count else ""
    most = (", the most of any GPU" if free else ", there or on any other GPU") if len(chips) > 1 else ""
    by = f"held by {holders} ({listed(list(chip.holders))})" if holders else f"used by {listed(list(chip.holders))}"
    rest = f"; on other GPUs by {others}" if others else ""
    words = f"{name} needs {of}, and {there}{enough}{most}: {'the others are ' if free else ''}{by}{rest}"
    return words, [need.why.counter_set, name]


def _holds(snapshot: Snapshot, claim: str, device: DeviceId, names: Collection[str]) -> bool:
    """The claim holds one of these devices of the same pool."""
    allocation = snapshot.claims[claim].allocation if claim in snapshot.claims else None
    held = (one.device for one in allocation.results) if allocation is not None else ()
    return any((one.driver, one.pool) == (device.driver, device.pool) and one.device in names for one in held)


def _one_counter(best: Needs, holders: str) -> tuple[str, list[str]]:
    need = min(best.values(), key=lambda one: one.node)
    why = need.why
    used = listed([one.device for one in why.held_by])
    by = f" by {holders}" if holders else ""
    sets = listed(sorted({one.why.counter_set for one in best.values()}), 2)
    words = (
        f"counter {why.counter} of {sets} is used{by}{f' ({used})' if used else ''}: {need.device.device} needs "
        f"{why.needed}, {why.available} left"
    )
    return words, [why.counter_set, need.device.device]


def _claims_of(snapshot: Snapshot, why: CounterShort) -> list[str]:
    wanted = set(why.held_by)
    return [
        key
        for key, claim in snapshot.claims.items()
        if claim.allocation is not None and any(one.device in wanted for one in claim.allocation.results)
    ]


def _held(snapshot: Snapshot, short: Short, said: Said) -> None:
    where: dict[str, list[str]] = {}
    claims: dict[str, None] = {}
    for node, lacks in short.items():
        for _, meant in lacks:
            for device in meant:
                for why in device.reasons:
                    if isinstance(why, Held | CapacityShort):
                        if device.device.device not in where.setdefault(node, []):
                            where[node].append(device.device.device)
                        claims |= dict.fromkeys(
                            (why.claim,) if isinstance(why, Held) and why.claim else _sharers(snapshot, device)
                        )
    where = {node: devices for node, devices in where.items() if devices}
    if not where:
        return
    holders = owners_of_claims(snapshot, claims)
    by = f" held by {who(holders)}" if holders else f" held by claim {listed(sorted(claims))}" if claims else " in use"
    count = sum(map(len, where.values()))
    idle = len(claims) == 1 and not holders and unused(snapshot).issuperset(claims)
    tail = ", which is allocated, but no pod in the input uses it" if idle else ""
    said.words.append(f"{_where(where)} {'is' if count == 1 else 'are'}{by}{tail}")
    if not idle:
        _unused(snapshot, claims, said)
    said.objects += [*claims] if idle else []
    said.objects += [pod.key for one in holders[:3] for pod in one.pods[:2]]
    said.objects += [device for several in where.values() for device in several[:2]]


def _unused(snapshot: Snapshot, claims: Iterable[str], said: Said) -> None:
    """Of these claims those that hold for nobody."""
    idle = sorted(unused(snapshot).intersection(claims))
    if idle:
        which = f"claim {idle[0]} is" if len(idle) == 1 else f"claims {listed(idle)} are"
        said.words.append(f"{which} allocated, but no pod in the input uses {'it' if len(idle) == 1 else 'them'}")
        said.objects += idle[:2]


def _sharers(snapshot: Snapshot, device: DeviceStory) -> list[str]:
    return [
        key
        for key, claim in snapshot.claims.items()
        if claim.allocation is not None and any(one.device == device.device for one in claim.allocation.results)
    ]


def _most_alike(snapshot: Snapshot, attribute: str, devices: Iterable[DeviceStory]) -> int:
    """How many of these devices have one value of an attribute."""
    domain, _, name = attribute.rpartition("/")
    values: Counter[object] = Counter()
    for story in devices:
        device = published(snapshot, story.device)
        for key in (attribute, *([name] if domain == story.device.driver else [])):
            if device is not None and key in device.attributes:
                values[device.attributes[key].value] += 1
    return max(values.values(), default=0)


def _others(snapshot: Snapshot, short: Short, said: Said) -> None:
    published = published_attributes(snapshot)
    told: dict[str, dict[str, None]] = {}
    for node, lacks in short.items():
        for request, meant in lacks:
            for device in meant:
                for why in device.reasons:
                    if isinstance(why, ConstraintBroken):
                        most = _most_alike(snapshot, why.attribute, meant)
                        few = [f"{most} of request {request.request}'s"] if most < (request.wanted or 0) else []
                        clause = f"no set of devices on {node} agrees in {why.attribute} ({why.constraint})"
                        told.setdefault(clause, {}).update(dict.fromkeys(few))
                    elif isinstance(why, AttributeMissing) and why.attribute not in published:
                        near = probably_meant(why.attribute, published)
                        near = f" ({near} is probably meant)" if near is not None else ""
                        told[f"no device publishes {why.attribute}, which {why.constraint} compares{near}"] = {}
                    elif isinstance(why, AttributeMissing):
                        told[
                            f"{device.device.device} on {node} has no {why.attribute}, which {why.constraint} compares"
                        ] = {}
                    elif isinstance(why, CapacityShort):
                        told[
                            f"capacity {why.capacity} of {device.device.device} on {node}: request "
                            f"{request.request} takes {why.consumes}, {why.available} left"
                        ] = {}
                    elif isinstance(why, FeatureOff):
                        told[f"{device.device.device} on {node} needs the feature {why.feature}, which is off"] = {}
    for clause, alike in list(told.items())[:2]:
        said.words.append(f"{clause}: at most {listed(list(alike))} have the same" if alike else clause)
