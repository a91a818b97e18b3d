"""Scenarios of allocation, from JSON to nouns: the format of `cases/allocator` (its README tells the fields).

The objects in them are as Go holds them: the API server's defaults were *not* applied. The readers of `aliquot.dra` do
apply them, so what is absent is marked before reading and taken out again after.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, cast

import msgspec

from aliquot.allocation.features import Features
from aliquot.allocation.inputs import AllocatedState, Supply, allocated_state
from aliquot.dra.claim import Claim, DeviceClass, DeviceToleration, Request, SubRequest
from aliquot.dra.device import DeviceId, Slice
from aliquot.dra.read import KINDS as DRA_KINDS
from aliquot.kube.memo import Memo
from aliquot.kube.node import Node
from aliquot.kube.read import KINDS as CORE_KINDS
from aliquot.units.quantity import Quantity

ABSENT: Final = "-absent-"

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Scenario:
    """A scenario: a cluster, the claims of one pod, and the nodes to try, in order."""

    name: str
    supply: Supply
    nodes: tuple[Node, ...]
    claims: tuple[Claim, ...]
    kubernetes: str | None


class BadScenarioError(ValueError):
    """A scenario whose objects can't be read."""


def scenario(given: Mapping[str, Any]) -> Scenario:
    """Reads a scenario.

    Raises:
        BadScenarioError: an object has the wrong shape, or the node isn't among the nodes.
    """
    memo = Memo()
    features = features_of(given.get("features") or {})
    nodes = tuple(cast("Node", _read("Node", one, memo)) for one in given.get("nodes") or ())
    wanted = given.get("node") or "any"
    if wanted != "any":
        nodes = tuple(node for node in nodes if node.name == wanted)
        if not nodes:
            raise BadScenarioError(f"{given.get('name')}: node {wanted} is not among the nodes")
    classes = [cast("DeviceClass", _read("DeviceClass", one, memo)) for one in given.get("classes") or ()]
    return Scenario(
        name=given.get("name") or "",
        supply=Supply(
            slices=tuple(_slice(one, memo) for one in given.get("slices") or ()),
            classes={one.meta.name: one for one in reversed(classes)},
            state=_state(given, features, memo),
            features=features,
        ),
        nodes=nodes,
        claims=tuple(_claim(one, memo) for one in given.get("claims") or ()),
        kubernetes=given.get("kubernetes"),
    )


def features_of(given: Mapping[str, Any]) -> Features:
    """Reads features by upstream's names, in any capitalisation."""
    on = {name.lower() for name, value in given.items() if value}
    return Features(
        admin_access="adminaccess" in on,
        consumable_capacity="consumablecapacity" in on,
        binding_conditions="devicebindingandstatus" in on,
        device_taints="devicetaints" in on,
        list_attributes="listtypeattributes" in on,
        partitionable_devices="partitionabledevices" in on,
        prioritized_list="prioritizedlist" in on,
        fractional_range="fractionalcapacityrange" in on,
    )


def _read(kind: str, given: Json, memo: Memo) -> object:
    reader = next(one for one in (*DRA_KINDS, *CORE_KINDS) if one.name == kind and "v1" in one.versions)
    noun, faults = reader.read(msgspec.json.encode(given), memo)
    if noun is None:
        raise BadScenarioError("; ".join(f"{kind} {fault.path}: {fault.message}" for fault in faults))
    return noun


def _slice(given: Json, memo: Memo) -> Slice:
    spec = given.get("spec") or {}
    pool = {"resourceSliceCount": 0, **(spec.get("pool") or {})}
    return cast("Slice", _read("ResourceSlice", {**given, "spec": {**spec, "pool": pool}}, memo))


def _claim(given: Json, memo: Memo) -> Claim:
    spec = given.get("spec") or {}
    devices = spec.get("devices") or {}
    marked = {
        **given,
        "spec": {**spec, "devices": {**devices, "requests": [_marked(one) for one in devices.get("requests") or ()]}},
    }
    read = cast("Claim", _read("ResourceClaim", marked, memo))
    namespace = (given.get("metadata") or {}).get("namespace") or ""
    requests = tuple(_unmarked(one) for one in read.spec.requests)
    return replace(read, meta=replace(read.meta, namespace=namespace), spec=replace(read.spec, requests=requests))


def _marked(request: Json) -> Json:
    marked = dict(request)
    if request.get("exactly") is not None:
        marked["exactly"] = _marked_recipe(request["exactly"])
    if request.get("firstAvailable"):
        marked["firstAvailable"] = [_marked_recipe(one) for one in request["firstAvailable"]]
    return marked


def _marked_recipe(recipe: Json) -> Json:
    return {
        **recipe,
        "allocationMode": recipe.get("allocationMode") or ABSENT,
        "count": recipe.get("count") or 0,
        "tolerations": [{**one, "operator": one.get("operator") or ABSENT} for one in recipe.get("tolerations") or ()],
    }


def _unmarked(request: Request) -> Request:
    return replace(
        request,
        exactly=_unmarked_recipe(request.exactly) if request.exactly is not None else None,
        first_available=tuple(_unmarked_recipe(one) for one in request.first_available),
    )


def _unmarked_recipe(recipe: SubRequest) -> SubRequest:
    return replace(
        recipe,
        mode="" if recipe.mode == ABSENT else recipe.mode,
        tolerations=tuple(_unmarked_toleration(one) for one in recipe.tolerations),
    )


def _unmarked_toleration(toleration: DeviceToleration) -> DeviceToleration:
    return replace(toleration, operator="" if toleration.operator == ABSENT else toleration.operator)


def _state(given: Mapping[str, Any], features: Features, memo: Memo) -> AllocatedState:
    """Joins the three lists with what the allocated claims hold."""
    claims = [_claim(one, memo) for one in given.get("allocatedClaims") or ()]
    held = allocated_state(claims, consumable_capacity=features.consumable_capacity)
    consumed = {device: dict(amounts) for device, amounts in held.consumed.items()}
    for one in given.get("allocatedCapacity") or ():
        total = consumed.setdefault(_device(one), {})
        for name, text in (one.get("consumed") or {}).items():
            amount = Quantity.parse(text)
            total[name] = total[name] + amount if name in total else amount
    return AllocatedState(
        held.devices | frozenset(map(_device, _list(given, "allocatedDevices"))),
        held.shares | frozenset((_device(one), one["shareID"]) for one in _list(given, "allocatedSharedDeviceIDs")),
        consumed,
        held.holders,
    )


def _list(given: Mapping[str, Any], name: str) -> Sequence[Json]:
    return given.get(name) or ()


def _device(given: Json) -> DeviceId:
    return DeviceId(given["driver"], given["pool"], given["device"])
