"""Ways out by another claim: a corrected or guarded selector, a toleration, fewer devices, one constraint less.

A claim's spec can't be changed, and neither can a template's: the object is made anew, and the pending pod deleted, so
that a new claim is made from it.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from aliquot.advisor import changes
from aliquot.advisor.case import Case, Spot, device_requests
from aliquot.advisor.claims import Place, Source, changed, places, sources
from aliquot.advisor.nearest import is_near, nearest
from aliquot.advisor.wayout import Candidate, Kind, Patch, Risk, Trial
from aliquot.allocation.answer import (
    AttributeMissing,
    CapacityShort,
    ConstraintBroken,
    Held,
    RequestStory,
    SelectorError,
    SelectorFalse,
    Tainted,
)
from aliquot.allocation.claims.pod_claims import ADMIN_LABEL
from aliquot.dra.claim import ClaimSpec, DeviceToleration, Request, SubRequest
from aliquot.dra.device import Device, DeviceTaint
from aliquot.kube.pod import Pod, PodClaim
from aliquot.units.quantity import Quantity

PROBLEM = "DynamicResources"
NO_SUCH_KEY = re.compile(r"no such key: ([A-Za-z_][A-Za-z0-9_]*)")
EQUALS = re.compile(
    r"""^device\.(?:attributes|capacity)\[\s*(["'])(?P<domain>[^"']+)\1\s*\]\.(?P<name>\w+)\s*==\s*(["'])(?P<value>[^"']*)\4$"""
)
LITERALS_TRIED = 3
FEWER = Risk("high", "the workload must be able to run on fewer devices (for a model: tensor parallelism, memory)")


@dataclass(frozen=True, slots=True)
class Asked:
    """One recipe of the pod's claims, where it's written, and what devices have against it."""

    source: Source
    place: Place
    recipe: SubRequest
    story: RequestStory


def cures(case: Case, spot: Spot) -> Iterator[Candidate]:
    """Whatever of the claims keeps this node's devices from serving them."""
    story = case.stories.get(spot.node.name)
    if story is None or not (spot.lacks_devices or case.error):
        return
    origins = sources(case.snapshot, case.pod)
    for request in story.requests:
        source = origins.get(request.claim)
        found = places(source.claim.spec).get(request.request) if source is not None else None
        if source is None or found is None:
            continue  # of an extended resource: kube-scheduler makes that claim
        asked = Asked(source, *found, request)
        yield from _selectors(case, spot, asked)
        yield from _tolerations(case, spot, asked)
        yield from _fewer(case, spot, asked)
        yield from _admin(case, spot, asked)
        yield from _less_capacity(case, spot, asked)
    broken = {
        reason.attribute
        for request in story.requests
        for device in request.devices
        for reason in device.reasons
        if isinstance(reason, ConstraintBroken | AttributeMissing)
    }
    for source in origins.values():
        yield from _constraints(case, spot, source, broken)
    yield from _without_claim(case)


def claim_candidate(
    case: Case,
    node: str,
    source: Source,
    spec: ClaimSpec,
    operations: Sequence[Patch],
    *,
    kind: Kind,
    title: str,
    risk: Risk,
    rank: float,
) -> Candidate:
    new = replace(source.claim, spec=spec)
    return Candidate(
        kind=kind,
        target="claim",
        title=title,
        changes=changes.claim_spec(source.kind, source.namespace, source.name, operations, case.owner, case.pod.name),
        apply=lambda trial: Trial(trial.snapshot.with_object(new), trial.pod),
        risk=risk,
        rank=rank,
        node=node,
        cures=PROBLEM,
        anywhere=True,
    )


# --- selectors -------------------------------------------------------------------------------------------------------


def _selectors(case: Case, spot: Spot, asked: Asked) -> Iterator[Candidate]:
    tried: set[tuple[int, str]] = set()
    for device in asked.story.devices:
        for reason in device.reasons:
            if not isinstance(reason, SelectorFalse | SelectorError) or reason.owner != "request":
                continue
            expression = reason.expression
            if isinstance(reason, SelectorError):
                rewritten = list(_without_error(case, expression, reason.text))
            else:
                rewritten = list(_other_literal(case, spot, expression, reason.term, device.device.driver))
            for new, text, slip in rewritten:
                if (reason.index, new) not in tried:
                    tried.add((reason.index, new))
                    yield _rewritten(case, spot, asked, reason.index, new, text, slip=slip)
            if (reason.index, "") not in tried:
                tried.add((reason.index, ""))
                yield _dropped(case, spot, asked, reason.index)


def _without_error(case: Case, expression: str, text: str) -> Iterator[tuple[str, str, bool]]:
    """The nearest name that devices do publish; else a guard, so that devices without it don't match."""
    found = NO_SUCH_KEY.search(text)
    if found is None:
        return
    key = found[1]
    path = re.search(rf"""device\.(attributes|capacity)\[\s*(["'])([^"']+)\2\s*\]\.{key}\b""", expression)
    if path is None:
        return
    known = _names(case, path[1], path[3])
    for name in nearest(key, known)[:1]:
        if is_near(key, name):
            new = expression.replace(path[0], path[0].removesuffix(key) + name)
            yield new, f"the {path[1].removesuffix('s')} is {name} (not {key})", True
    whole = f"({expression})" if "||" in expression or "?" in expression else expression
    yield f"has({path[0]}) && {whole}", f"guard with has(), since not every device has {key}", False


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


def _other_literal(case: Case, spot: Spot, expression: str, term: str, driver: str) -> Iterator[tuple[str, str, bool]]:
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
    for value in nearest(wanted["value"], values - {wanted["value"]})[:LITERALS_TRIED]:
        slip = wanted["value"] not in everywhere and is_near(wanted["value"], value)
        new = expression.replace(
            term, term.replace(f"{wanted[4]}{wanted['value']}{wanted[4]}", f"{wanted[4]}{value}{wanted[4]}")
        )
        yield (
            new,
            f"{wanted['name']} is {value} (not {wanted['value']})"
            if slip
            else f"{wanted['name']} {value} instead of {wanted['value']}",
            slip,
        )


def _devices_on(case: Case, node: str, driver: str) -> Iterator[Device]:
    for one in case.snapshot.slices.values():
        if one.driver == driver and (one.node_name == node or one.all_nodes):
            yield from one.devices


def _value(device: Device, driver: str, domain: str, name: str) -> object:
    for full in (f"{domain}/{name}", *([name] if domain == driver else [])):
        if full in device.attributes:
            return device.attributes[full].value
    return None


def _rewritten(case: Case, spot: Spot, asked: Asked, index: int, new: str, text: str, *, slip: bool) -> Candidate:
    def change(recipe: SubRequest) -> SubRequest:
        return replace(recipe, selectors=tuple(new if i == index else one for i, one in enumerate(recipe.selectors)))

    guarded = new.startswith("has(")
    profile = "profile " in text and not slip
    pointer = f"{asked.source.base}{asked.place.pointer}/selectors/{index}/cel/expression"
    return claim_candidate(
        case,
        spot.node.name,
        asked.source,
        changed(asked.source.claim.spec, asked.place, change),
        [{"op": "replace", "path": pointer, "value": new}],
        kind="change-request" if profile else "fix-selector",
        title=f"Correct the selector of request {asked.story.request}: {text}",
        risk=Risk("low", "the original looks like a slip")
        if slip
        else Risk("low", "devices that don't publish the attribute are no longer candidates")
        if guarded
        else Risk("medium", "the pod gets another kind of device than was asked for"),
        rank=5 if slip else 8 if guarded else 27,
    )


def _dropped(case: Case, spot: Spot, asked: Asked, index: int) -> Candidate:
    def change(recipe: SubRequest) -> SubRequest:
        return replace(recipe, selectors=tuple(one for i, one in enumerate(recipe.selectors) if i != index))

    pointer = f"{asked.source.base}{asked.place.pointer}/selectors/{index}"
    return claim_candidate(
        case,
        spot.node.name,
        asked.source,
        changed(asked.source.claim.spec, asked.place, change),
        [{"op": "remove", "path": pointer}],
        kind="drop-selector",
        title=f"Drop selector #{index} of request {asked.story.request}: {asked.recipe.selectors[index]}",
        risk=Risk("medium", f"any device of class {asked.recipe.class_name} may then be given"),
        rank=37,
    )


# --- tolerations, counts, constraints ---------------------------------------------------------------------------------


def _tolerations(case: Case, spot: Spot, asked: Asked) -> Iterator[Candidate]:
    """Only devices that nothing else speaks against; a taint that a driver sets for a fault is told as a risk."""
    taints: dict[DeviceTaint, str] = {}
    for device in asked.story.devices:
        if device.reasons and all(isinstance(reason, Tainted) for reason in device.reasons):
            for reason in device.reasons:
                assert isinstance(reason, Tainted)
                taints.setdefault(replace(reason.taint, time_added=None), device.device.device)
    if not taints:
        return
    added = tuple(
        DeviceToleration(taint.key, "Equal" if taint.value else "Exists", taint.value, taint.effect) for taint in taints
    )
    operations: list[Patch] = [
        {"op": "add", "path": f"{asked.source.base}{asked.place.pointer}/tolerations", "value": [
            _toleration(one)
            for one in (*asked.recipe.tolerations, *added)
        ]}
    ]  # fmt: skip
    names = ", ".join(f"{taint.key}:{taint.effect}" for taint in taints)
    yield claim_candidate(
        case,
        spot.node.name,
        asked.source,
        changed(
            asked.source.claim.spec,
            asked.place,
            lambda recipe: replace(recipe, tolerations=(*recipe.tolerations, *added)),
        ),
        operations,
        kind="add-toleration",
        title=f"Tolerate the device taint {names} in request {asked.story.request}",
        risk=Risk("high", "a driver or an administrator tainted the device for a reason, often a fault"),
        rank=20,
    )


def _toleration(one: DeviceToleration) -> dict[str, str]:
    return {"key": one.key, "operator": one.operator, "effect": one.effect} | (
        {"value": one.value} if one.value else {}
    )


def _fewer(case: Case, spot: Spot, asked: Asked) -> Iterator[Candidate]:
    """Fewer devices; beside alternatives, one more alternative with fewer."""
    usable, wanted = asked.story.usable, asked.story.wanted
    if wanted is None:
        yield from _not_all(case, spot, asked, usable)
        return
    if not 0 < usable < wanted:
        return
    source, spec = asked.source, asked.source.claim.spec
    if asked.place.alternative is None:
        operations: list[Patch] = [{"op": "add", "path": f"{source.base}{asked.place.pointer}/count", "value": usable}]
        new = changed(spec, asked.place, lambda recipe: replace(recipe, count=usable))
        title = f"Ask for {usable} instead of {wanted} in request {asked.story.request}"
    else:
        name = f"{asked.recipe.name}-{usable}"[:63]
        less = replace(asked.recipe, name=name, count=usable)
        request = spec.requests[asked.place.request]
        longer = replace(request, first_available=(*request.first_available, less))
        new = replace(spec, requests=tuple(longer if one is request else one for one in spec.requests))
        value = {
            "name": name,
            "deviceClassName": less.class_name,
            "selectors": [{"cel": {"expression": one}} for one in less.selectors],
            "allocationMode": "ExactCount",
            "count": usable,
        }
        operations = [
            {"op": "add", "path": f"{source.base}/requests/{asked.place.request}/firstAvailable/-", "value": value}
        ]
        title = (
            f"Add a last alternative to request {request.name}: {usable} of what {asked.recipe.name} asks {wanted} of"
        )
    yield claim_candidate(
        case,
        spot.node.name,
        source,
        new,
        operations,
        kind="fewer-devices" if asked.place.alternative is None else "change-request",
        title=title,
        risk=FEWER,
        rank=34,
    )


def _not_all(case: Case, spot: Spot, asked: Asked, usable: int) -> Iterator[Candidate]:
    """As many as would do, in place of all."""
    if not usable:
        return
    base = f"{asked.source.base}{asked.place.pointer}"
    yield claim_candidate(
        case,
        spot.node.name,
        asked.source,
        changed(asked.source.claim.spec, asked.place, lambda one: replace(one, mode="ExactCount", count=usable)),
        [
            {"op": "add", "path": f"{base}/allocationMode", "value": "ExactCount"},
            {"op": "add", "path": f"{base}/count", "value": usable},
        ],
        kind="fewer-devices",
        title=f"Ask for {usable} instead of all in request {asked.story.request} (allocationMode ExactCount)",
        risk=FEWER,
        rank=33,
    )


def _admin(case: Case, spot: Spot, asked: Asked) -> Iterator[Candidate]:
    """For what only watches devices: access beside whoever holds them, where the namespace allows it."""
    namespace = case.snapshot.namespaces.get(case.pod.namespace)
    allowed = namespace is not None and namespace.meta.labels.get(ADMIN_LABEL) == "true"
    held = any(isinstance(why, Held) for device in asked.story.devices for why in device.reasons)
    if not (allowed and held) or asked.place.alternative is not None or asked.recipe.admin_access:
        return
    yield claim_candidate(
        case,
        spot.node.name,
        asked.source,
        changed(asked.source.claim.spec, asked.place, lambda one: replace(one, admin_access=True)),
        [{"op": "add", "path": f"{asked.source.base}{asked.place.pointer}/adminAccess", "value": True}],
        kind="admin-access",
        title=f"Ask for admin access in request {asked.story.request}: it then sees the devices beside who holds them",
        risk=Risk("high", "only for what watches devices: nothing keeps it from using what others hold"),
        rank=36,
    )


def _less_capacity(case: Case, spot: Spot, asked: Asked) -> Iterator[Candidate]:
    """Of a shared device as much as it has left."""
    best: dict[str, Quantity] = {}
    for device in asked.story.devices:
        shorts = [why for why in device.reasons if isinstance(why, CapacityShort) and not why.broken_policy]
        if len(shorts) == 1 == len(device.reasons) and shorts[0].available.sign > 0:
            name = shorts[0].capacity.rpartition("/")[2] if asked.recipe.capacity is None else shorts[0].capacity
            if name not in best or best[name] < shorts[0].available:
                best[name] = shorts[0].available
    for name, left in best.items():
        requested = (asked.recipe.capacity or {}).get(name)
        if requested is None:
            continue
        amounts = {**(asked.recipe.capacity or {}), name: left}
        pointer = (
            f"{asked.source.base}{asked.place.pointer}/capacity/requests/{name.replace('~', '~0').replace('/', '~1')}"
        )
        yield claim_candidate(
            case,
            spot.node.name,
            asked.source,
            changed(asked.source.claim.spec, asked.place, lambda one, amounts=amounts: replace(one, capacity=amounts)),  # type: ignore[misc]
            [{"op": "add", "path": pointer, "value": str(left)}],
            kind="shrink",
            title=f"Ask for {left} of {name} instead of {requested} in request {asked.story.request}",
            risk=Risk("high", f"the workload gets less than it asked for ({left} against {requested})"),
            rank=35,
        )


def _without_claim(case: Case) -> Iterator[Candidate]:
    """Where one of several claims is in the way: the pod without it."""
    if len(case.pod.claims) + bool(device_requests(case.pod)) < 2:
        return
    for gone in case.pod.claims:
        users = [one.name for one in case.pod.containers if any(ref.name == gone.name for ref in one.claims)]
        patch: Patch = {
            "resourceClaims": [{"name": gone.name, "$patch": "delete"}],
            "containers": [
                {"name": name, "resources": {"claims": [{"name": gone.name, "$patch": "delete"}]}} for name in users
            ],
        }
        yield Candidate(
            kind="drop-claim",
            target="pod",
            title=f"Leave the claim {gone.name} out: the rest of what it asks for is there",
            changes=changes.pod_spec(case.owner, case.pod.name, patch),
            apply=lambda trial, gone=gone: Trial(trial.snapshot, _dropping(trial.pod, gone)),  # type: ignore[misc]
            risk=Risk("medium", f"the pod then runs without what {gone.name} gives it: it must be able to"),
            rank=35,
            cures=PROBLEM,
            anywhere=True,
        )


def _dropping(pod: Pod, gone: PodClaim) -> Pod:
    containers = tuple(
        replace(one, claims=tuple(ref for ref in one.claims if ref.name != gone.name)) for one in pod.containers
    )
    return replace(pod, claims=tuple(one for one in pod.claims if one != gone), containers=containers)


def _constraints(case: Case, spot: Spot, source: Source, broken: set[str]) -> Iterator[Candidate]:
    spec = source.claim.spec
    for index, constraint in enumerate(spec.constraints):
        attribute = constraint.match_attribute or constraint.distinct_attribute or ""
        if attribute not in broken:
            continue
        kept = tuple(one for i, one in enumerate(spec.constraints) if i != index)
        kind = "matchAttribute" if constraint.match_attribute else "distinctAttribute"
        yield claim_candidate(
            case,
            spot.node.name,
            source,
            replace(spec, constraints=kept),
            [{"op": "remove", "path": f"{source.base}/constraints/{index}"}],
            kind="change-request",
            title=f"Drop the constraint {kind} {attribute}",
            risk=Risk("medium", "the devices may then be far from each other: slower transfers between them"),
            rank=31,
        )


def describe(request: Request) -> str:
    """`2 of gpu.nvidia.com`, or its alternatives."""
    recipes = request.first_available or ((request.exactly,) if request.exactly is not None else ())
    return " or ".join(f"{'all' if one.mode == 'All' else one.count} of {one.class_name}" for one in recipes)
