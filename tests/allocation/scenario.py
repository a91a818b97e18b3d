"""Scenarios in the format of ../shared/cases/allocator, read into an engine's inputs."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from aliquot.allocation.features import Features
from aliquot.allocation.inputs import AllocatedState, Supply, allocated_state
from aliquot.dra.claim import Claim, DeviceClass
from aliquot.dra.device import DeviceId, Slice
from aliquot.dra.read import KINDS as DRA_KINDS
from aliquot.kube.memo import Memo
from aliquot.kube.node import Node
from aliquot.kube.read import KINDS as CORE_KINDS
from aliquot.units.quantity import Quantity

_KINDS = {kind.name: kind for kind in (*reversed(DRA_KINDS), *CORE_KINDS) if "v1" in kind.versions}


@dataclass(frozen=True, slots=True)
class Scenario:
    """One scenario: what an engine is given, and for which nodes."""

    name: str
    supply: Supply
    claims: tuple[Claim, ...]
    nodes: tuple[Node, ...]
    """Those to be answered for."""


def noun(kind: str, value: Mapping[str, Any], memo: Memo) -> Any:
    made, faults = _KINDS[kind].read(json.dumps(value).encode(), memo)
    assert made is not None, faults
    return made


def scenario_of(row: Mapping[str, Any]) -> Scenario:
    memo = Memo()
    on = row["features"]
    features = Features(
        admin_access=on.get("adminAccess", False),
        consumable_capacity=on.get("consumableCapacity", False),
        binding_conditions=on.get("deviceBindingAndStatus", False),
        device_taints=on.get("deviceTaints", False),
        list_attributes=on.get("listTypeAttributes", False),
        partitionable_devices=on.get("partitionableDevices", False),
        prioritized_list=on.get("prioritizedList", False),
    )
    slices: list[Slice] = [noun("ResourceSlice", value, memo) for value in row["slices"]]
    classes: list[DeviceClass] = [noun("DeviceClass", value, memo) for value in row["classes"]]
    claims: list[Claim] = [noun("ResourceClaim", value, memo) for value in row["claims"]]
    nodes: list[Node] = [noun("Node", value, memo) for value in row["nodes"]]
    if "allocatedClaims" in row:
        held = [noun("ResourceClaim", value, memo) for value in row["allocatedClaims"]]
        state = allocated_state(held, consumable_capacity=features.consumable_capacity)
    else:
        state = AllocatedState(
            frozenset(_id(one) for one in row.get("allocatedDevices", ())),
            frozenset((_id(one), one["shareID"]) for one in row.get("allocatedSharedDeviceIDs", ())),
            {
                _id(one): {name: Quantity.parse(amount) for name, amount in one["consumed"].items()}
                for one in row.get("allocatedCapacity", ())
            },
        )
    wanted = row.get("node", "any")
    return Scenario(
        row["name"],
        Supply(tuple(slices), {each.meta.name: each for each in classes}, state, features),
        tuple(claims),
        tuple(node for node in nodes if wanted in {"any", node.name}),
    )


def _id(one: Mapping[str, str]) -> DeviceId:
    return DeviceId(one["driver"], one["pool"], one["device"])
