"""What stands against the devices that were meant, in clauses: who holds, what taints, which counter is used."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from aliquot.advisor.causes.cause import listed, nodes_named
from aliquot.advisor.causes.holders import owners_of_claims, who
from aliquot.advisor.dra.attributes import probably_meant, published_attributes
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
from aliquot.dra.device import DeviceTaint
from aliquot.snapshot.snapshot import Snapshot

Short = Mapping[str, Sequence[tuple[RequestStory, Sequence[DeviceStory]]]]
"""Node -> the requests that lack devices there, and the devices that were meant."""


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


def _counters(snapshot: Snapshot, short: Short, said: Said) -> None:
    best: dict[tuple[str, str], tuple[str, CounterShort, str]] = {}
    claims: dict[str, None] = {}
    for node, lacks in short.items():
        for _, meant in lacks:
            for device in meant:
                shorts = [why for why in device.reasons if isinstance(why, CounterShort)]
                for why in shorts:
                    claims |= dict.fromkeys(why.claims or _claims_of(snapshot, why))
                    key = (node, why.counter_set)
                    if key not in best or why.needed - why.available < best[key][1].needed - best[key][1].available:
                        best[key] = (node, why, device.device.device)
    if not best:
        return
    _, why, needing = min(best.values(), key=lambda one: one[0])
    holders = who(owners_of_claims(snapshot, claims))
    used = listed([one.device for one in why.held_by])
    by = f" by {holders}" if holders else ""
    sets = listed(sorted({f"{one.counter_set}" for _, one, _ in best.values()}), 2)
    said.words.append(
        f"counter {why.counter} of {sets} is used{by}{f' ({used})' if used else ''}: {needing} needs {why.needed}, "
        f"{why.available} left"
    )
    said.objects += [pod.key for one in owners_of_claims(snapshot, claims)[:2] for pod in one.pods[:2]]
    said.objects += [why.counter_set, needing]


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
    said.words.append(f"{_where(where)} {'is' if count == 1 else 'are'}{by}")
    said.objects += [pod.key for one in holders[:3] for pod in one.pods[:2]]
    said.objects += [device for several in where.values() for device in several[:2]]


def _sharers(snapshot: Snapshot, device: DeviceStory) -> list[str]:
    return [
        key
        for key, claim in snapshot.claims.items()
        if claim.allocation is not None and any(one.device == device.device for one in claim.allocation.results)
    ]


def _others(snapshot: Snapshot, short: Short, said: Said) -> None:
    published = published_attributes(snapshot)
    told: dict[str, None] = {}
    for node, lacks in short.items():
        for request, meant in lacks:
            for device in meant:
                for why in device.reasons:
                    if isinstance(why, ConstraintBroken):
                        told[f"no set of devices on {node} agrees in {why.attribute} ({why.constraint})"] = None
                    elif isinstance(why, AttributeMissing) and why.attribute not in published:
                        near = probably_meant(why.attribute, published)
                        near = f" ({near} is probably meant)" if near is not None else ""
                        told[f"no device publishes {why.attribute}, which {why.constraint} compares{near}"] = None
                    elif isinstance(why, AttributeMissing):
                        told[
                            f"{device.device.device} on {node} has no {why.attribute}, which {why.constraint} compares"
                        ] = None
                    elif isinstance(why, CapacityShort):
                        told[
                            f"capacity {why.capacity} of {device.device.device} on {node}: request "
                            f"{request.request} takes {why.consumes}, {why.available} left"
                        ] = None
                    elif isinstance(why, FeatureOff):
                        told[f"{device.device.device} on {node} needs the feature {why.feature}, which is off"] = None
    said.words += list(told)[:2]
