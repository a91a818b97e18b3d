"""An allocation scenario, read."""

import functools
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, TypeVar

import msgspec

from aliquot.allocation.allocator_features import Features
from aliquot.allocation.inputs import AllocatedState, Supply, allocated_state
from aliquot.dra import read as dra_read
from aliquot.dra.claim import Claim, DeviceClass
from aliquot.dra.device import DeviceId, Slice
from aliquot.kube import read as kube_read
from aliquot.kube.memo import Memo
from aliquot.kube.node import Node
from aliquot.kube.release import Kubernetes, kubernetes_of
from aliquot.units.quantity import Quantity
from scenarios.asking import absent
from scenarios.drivers import Json

T = TypeVar("T")

FEATURES: Final = {
    "adminAccess": "admin_access",
    "consumableCapacity": "consumable_capacity",
    "deviceBindingAndStatus": "binding_conditions",
    "deviceTaints": "device_taints",
    "fractionalCapacityRange": "fractional_range",
    "listTypeAttributes": "list_attributes",
    "partitionableDevices": "partitionable_devices",
    "prioritizedList": "prioritized_list",
}
"""A scenario's name of a feature -> ours."""


@dataclass(frozen=True, slots=True)
class Question:
    """A scenario, read."""

    supply: Supply
    claims: tuple[Claim, ...]
    nodes: tuple[Node, ...]
    kubernetes: Kubernetes


@functools.cache
def kind(name: str) -> Any:
    """How a kind of the scenario is read."""
    return next(each for each in (*dra_read.KINDS, *kube_read.KINDS) if each.name == name and "v1" in each.versions)


def objects(name: str, given: Sequence[Json] | None, noun: type[T], memo: Memo) -> tuple[T, ...]:
    """The objects of one kind, with nothing that the scenario doesn't give, as in Go."""
    made: list[T] = []
    for each in given or ():
        read, faults = kind(name).read(msgspec.json.encode(absent.marked(name, each)), memo)
        if not isinstance(read, noun):
            raise SystemExit(f"{name}: {'; '.join(str(fault) for fault in faults)}")
        made.append(read)
    return tuple(made)


def claims_of(given: Sequence[Json] | None, memo: Memo) -> tuple[Claim, ...]:
    """Claims, likewise."""
    read = objects("ResourceClaim", given, Claim, memo)
    return tuple(absent.unmarked(claim, each) for claim, each in zip(read, given or (), strict=True))


def device_id(given: Json) -> DeviceId:
    """A device by its three names."""
    return DeviceId(given["driver"], given["pool"], given["device"])


def state_of(scenario: Json, claims: Sequence[Claim], *, consumable_capacity: bool) -> AllocatedState:
    """What is allocated: the scenario's three lists and what its allocated claims hold."""
    held = allocated_state(claims, consumable_capacity=consumable_capacity)
    shares = {(device_id(each), each.get("shareID", "")) for each in scenario.get("allocatedSharedDeviceIDs") or ()}
    consumed = {device: dict(amounts) for device, amounts in held.consumed.items()}
    for each in scenario.get("allocatedCapacity") or ():
        total = consumed.setdefault(device_id(each), {})
        for name, text in each["consumed"].items():
            amount = Quantity.parse(text)
            total[name] = total[name] + amount if name in total else amount
    return replace(
        held,
        devices=held.devices | {device_id(each) for each in scenario.get("allocatedDevices") or ()},
        shares=held.shares | shares,
        consumed=consumed,
    )


def question_of(scenario: Json, kubernetes: str) -> Question:
    """Read a scenario.

    Raises:
        SystemExit: for an object that can't be read or a feature that doesn't exist; a scenario is ours to write.
    """
    unknown = sorted(set(scenario.get("features") or {}) - set(FEATURES))
    if unknown:
        raise SystemExit(f"{scenario.get('name')}: unknown features: {', '.join(unknown)}")
    features = Features(**{FEATURES[name]: bool(on) for name, on in (scenario.get("features") or {}).items()})
    memo = Memo()
    nodes = objects("Node", scenario.get("nodes"), Node, memo)
    wanted = scenario.get("node") or "any"
    supply = Supply(
        objects("ResourceSlice", scenario.get("slices"), Slice, memo),
        {each.meta.name: each for each in objects("DeviceClass", scenario.get("classes"), DeviceClass, memo)},
        state_of(
            scenario,
            claims_of(scenario.get("allocatedClaims"), memo),
            consumable_capacity=features.consumable_capacity,
        ),
        features,
    )
    return Question(
        supply,
        claims_of(scenario.get("claims"), memo),
        nodes if wanted == "any" else tuple(node for node in nodes if node.meta.name == wanted),
        kubernetes_of(scenario.get("kubernetes") or kubernetes),
    )
