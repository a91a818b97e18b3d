"""Our answers to allocation scenarios: ``python -m conformance.allocation --engine reference < scenarios > answers``.

A scenario is what ``../shared/cases/README.md`` describes: ``{name, features, nodes, slices, classes, claims,
allocatedDevices?, allocatedSharedDeviceIDs?, allocatedCapacity?, allocatedClaims?, node, kubernetes?}``, the objects
being resource.k8s.io/v1 JSON. An answer: ``{name, implementation, nodes: [{node, outcome: allocated|none|error,
results?, error?, nodeOnlyError?, allocateOneCalls, ns?}], ns?}``; ``unsupported`` and no nodes where the chosen
implementation lacks a feature. ``ns`` is the median warm time of ``--repeat`` calls: a node's own, and one for the pod
on all nodes.
"""

import argparse
import functools
import statistics
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Literal, TypeVar

import msgspec

from aliquot.allocation.answer import Allocation, Answer
from aliquot.allocation.behaviour import behaviour_of
from aliquot.allocation.exact.allocator import Exact
from aliquot.allocation.features import (
    IMPLEMENTATIONS,
    Features,
    Implementation,
    implementation_of,
    supports,
)
from aliquot.allocation.inputs import AllocatedState, Engine, Supply, allocated_state
from aliquot.allocation.reference.allocator import Reference
from aliquot.allocation.rules.cel_selectors import selectors_of
from aliquot.allocation.rules.selectors import Selectors
from aliquot.dra import read as dra_read
from aliquot.dra.claim import AllocatedConfig, AllocatedDevice, Claim, ClaimAllocation, DeviceClass
from aliquot.dra.device import DeviceId, Slice
from aliquot.kube.node import Node
from aliquot.kube.reading import kinds as kube_kinds
from aliquot.kube.reading.memo import Memo
from aliquot.kube.release import Kubernetes, kubernetes_of
from aliquot.kube.selectors import Requirement
from aliquot.units.quantity import Quantity
from conformance import absent, lines

Json = dict[str, Any]
T = TypeVar("T")
EngineName = Literal["reference", "exact"]

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
    return next(each for each in (*dra_read.KINDS, *kube_kinds.KINDS) if each.name == name and "v1" in each.versions)


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


def engine_of(
    question: Question, name: EngineName, implementation: Implementation | None, selectors: Selectors
) -> Engine:
    """A new allocator over the scenario's supply."""
    if name == "exact":
        return Exact(question.supply, selectors)
    return Reference(question.supply, selectors, behaviour_of(question.kubernetes), implementation)


# --- answers in the API's JSON ----------------------------------------------------------------------------------------


def given(**members: object) -> Json:
    """The members that say something, as Go writes an object with omitempty."""
    return {name: value for name, value in members.items() if value not in (None, (), [], {}, "", False)}


def requirement(each: Requirement) -> Json:
    return given(key=each.key, operator=each.operator, values=each.values)


def result_of(each: AllocatedDevice, tolerations: Mapping[str, Any]) -> Json:
    """A device result; its tolerations as the request wrote them."""
    return given(
        request=each.request,
        driver=each.device.driver,
        pool=each.device.pool,
        device=each.device.device,
        adminAccess=each.admin_access,
        tolerations=tolerations.get(each.request) if each.tolerations else None,
        bindingConditions=each.binding_conditions,
        bindingFailureConditions=each.binding_failure_conditions,
        shareID=each.share_id,
        consumedCapacity={name: str(amount) for name, amount in (each.consumed or {}).items()},
    )


def config_of(each: AllocatedConfig) -> Json:
    made = given(source=each.source, requests=each.config.requests)
    return made | {"opaque": {"driver": each.config.driver, "parameters": each.config.parameters}}


def allocation_of(each: ClaimAllocation, tolerations: Mapping[str, Any]) -> Json:
    """An AllocationResult of resource.k8s.io/v1."""
    devices = given(
        results=[result_of(result, tolerations) for result in each.results],
        config=[config_of(config) for config in each.config],
    )
    terms = [
        given(
            matchExpressions=[requirement(one) for one in term.expressions],
            matchFields=[requirement(one) for one in term.fields],
        )
        for term in (each.node_selector.terms if each.node_selector else ())
    ]
    return {"devices": devices} | ({"nodeSelector": {"nodeSelectorTerms": terms}} if terms else {})


def tolerations_of(claim: Json) -> dict[str, Any]:
    """What each request (and alternative) of a claim tolerates, as written."""
    found: dict[str, Any] = {}
    for request in claim["spec"].get("devices", {}).get("requests") or ():
        found[request["name"]] = (request.get("exactly") or {}).get("tolerations")
        for sub in request.get("firstAvailable") or ():
            found[f"{request['name']}/{sub['name']}"] = sub.get("tolerations")
    return found


def node_answer(node: Node, answer: Answer, claims: Sequence[Json]) -> Json:
    """What the engine said of one node."""
    made: Json = {"node": node.meta.name}
    if isinstance(answer, Allocation):
        results = [
            allocation_of(each, tolerations_of(claim)) for each, claim in zip(answer.claims, claims, strict=True)
        ]
        return made | {"outcome": "allocated", "results": results, "allocateOneCalls": answer.steps}
    if answer.category == "does not fit":
        return made | {"outcome": "none", "allocateOneCalls": answer.steps}
    made |= {"outcome": "error", "error": answer.error}
    if answer.category == "this node only":
        made["nodeOnlyError"] = True
    if answer.category == "gave up":
        made["timedOut"] = True
    return made | {"allocateOneCalls": answer.steps}


def median_ns(allocator: Engine, nodes: Sequence[Node], claims: Sequence[Json], repeat: int) -> float:
    """The middle time of ``repeat`` warm calls on these nodes, in nanoseconds.

    Every call is given claims of its own (Go's deep copy), so that what an engine remembers of a claim doesn't count.
    """

    def once() -> int:
        fresh = claims_of(claims, Memo())
        start = time.perf_counter_ns()
        for node in nodes:
            allocator.allocate(node, fresh)
        return time.perf_counter_ns() - start

    once()
    return statistics.median(once() for _ in range(repeat))


def answer(
    scenario: Json,
    *,
    engine: EngineName = "reference",
    implementation: Implementation | None = None,
    kubernetes: str = "1.36",
    repeat: int = 0,
) -> Json:
    """Allocate a scenario's claims on its nodes, one engine for all of them, as kube-scheduler does for a pod."""
    question = question_of(scenario, kubernetes)
    name = scenario.get("name", "")
    features = question.supply.features
    if implementation and not supports(implementation, features):
        return {"name": name, "unsupported": f"{implementation} lacks a feature that is on", "nodes": []}
    selectors = selectors_of(question.kubernetes, features)
    allocator = engine_of(question, engine, implementation, selectors)
    claims = scenario.get("claims") or []
    made: Json = {
        "name": name,
        "implementation": "exact" if engine == "exact" else implementation or implementation_of(features),
        "nodes": [node_answer(node, allocator.allocate(node, question.claims), claims) for node in question.nodes],
    }
    if repeat:
        for node, told in zip(question.nodes, made["nodes"], strict=True):
            told["ns"] = median_ns(allocator, (node,), claims, repeat)
        made["ns"] = median_ns(allocator, question.nodes, claims, repeat)
    return made


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m conformance.allocation",
        description="Our answers to allocation scenarios, JSON lines in and out.",
    )
    parser.add_argument("--engine", choices=("reference", "exact"), default="reference")
    parser.add_argument("--implementation", choices=IMPLEMENTATIONS, help="default: as the features ask")
    parser.add_argument("--kubernetes", default="1.36", help="for scenarios that name no version")
    parser.add_argument("--repeat", type=int, default=0, help="time each call this many times")
    wanted = parser.parse_args()
    lines.serve(
        lambda scenario, _: answer(
            scenario,
            engine=wanted.engine,
            implementation=wanted.implementation,
            kubernetes=wanted.kubernetes,
            repeat=wanted.repeat,
        ),
    )


if __name__ == "__main__":
    main()
