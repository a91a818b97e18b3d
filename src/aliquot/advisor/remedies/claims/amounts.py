"""Ways out by asking for less, or more leniently: fewer devices, less capacity, a toleration."""

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from aliquot.advisor import changes
from aliquot.advisor.case import Case, Spot, device_requests
from aliquot.advisor.causes.cause import number
from aliquot.advisor.dra.claims import changed
from aliquot.advisor.remedies.claims.change import PROBLEM, Asked, claim_candidate
from aliquot.advisor.wayout import Candidate, Patch, Risk, Trial
from aliquot.allocation.answer import (
    CapacityShort,
    Held,
    Tainted,
)
from aliquot.allocation.claims.pod_claims import ADMIN_LABEL
from aliquot.dra.claim import DeviceToleration
from aliquot.kube.pod import Container, Pod, PodClaim

if TYPE_CHECKING:
    from aliquot.dra.device import DeviceTaint
    from aliquot.units.quantity import Quantity

FEWER = Risk("high", "the workload must be able to run on fewer devices (for a model: tensor parallelism, memory)")


def cures(case: Case, spot: Spot, asked: Asked) -> Iterator[Candidate]:
    """Of one recipe."""
    yield from _tolerations(case, spot, asked)
    yield from _fewer(case, spot, asked)
    yield from _admin(case, spot, asked)
    yield from _less_capacity(case, spot, asked)


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
        title = f"Ask for {number(usable, 'device')} instead of {wanted} (request {asked.story.request})"
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
        rank=34 + (wanted - usable) / wanted,  # the nearest count first
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


def _other_uses(container: Container, gone: PodClaim) -> list[dict[str, str]] | None:
    """The claims that a container still uses, as a whole: a strategic merge replaces this list."""
    kept = [ref for ref in container.claims if ref.name != gone.name]
    return [{"name": ref.name} | ({"request": ref.request} if ref.request else {}) for ref in kept] or None


def without_claim(case: Case) -> Iterator[Candidate]:
    """Where one of several claims is in the way: the pod without it."""
    if len(case.pod.claims) + bool(device_requests(case.pod)) < 2:
        return
    for gone in case.pod.claims:
        patch: dict[str, object] = {"resourceClaims": [{"name": gone.name, "$patch": "delete"}]}
        for field, containers in (("containers", case.pod.containers), ("initContainers", case.pod.init_containers)):
            users = [one for one in containers if any(ref.name == gone.name for ref in one.claims)]
            if users:
                patch[field] = [{"name": one.name, "resources": {"claims": _other_uses(one, gone)}} for one in users]
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
