"""Our answers to allocation scenarios: ``python -m conformance.allocation --engine reference < scenarios > answers``.

A scenario is what `scenarios.api.allocation` describes. An answer: ``{name, implementation, nodes: [{node, outcome:
allocated|none|error, results?, error?, nodeOnlyError?, allocateOneCalls, ns?}], ns?}``; ``unsupported`` and no nodes
where the chosen implementation lacks a feature. ``ns`` is the median warm time of ``--repeat`` calls: a node's own, and
one for the pod on all nodes.
"""

import argparse
import statistics
import time
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from aliquot.allocation.allocator_features import IMPLEMENTATIONS, Implementation, implementation_of, supports
from aliquot.allocation.answer import Allocation, Answer
from aliquot.allocation.behaviour import behaviour_of
from aliquot.allocation.exact.allocator import Exact
from aliquot.allocation.inputs import Engine
from aliquot.allocation.reference.allocator import Reference
from aliquot.allocation.rules.cel_selectors import selectors_of
from aliquot.allocation.rules.selectors import Selectors
from aliquot.dra.claim import AllocatedConfig, AllocatedDevice, ClaimAllocation
from aliquot.kube.memo import Memo
from aliquot.kube.node import Node
from aliquot.kube.selectors import Requirement
from conformance import lines
from scenarios.asking.question import Question, claims_of, question_of
from scenarios.drivers import Json

EngineName = Literal["reference", "exact"]


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
        prepared = allocator.prepare(fresh)
        for node in nodes:
            prepared.on(node)
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
    prepared = allocator.prepare(question.claims)
    claims = scenario.get("claims") or []
    made: Json = {
        "name": name,
        "implementation": "exact" if engine == "exact" else implementation or implementation_of(features),
        "nodes": [node_answer(node, prepared.on(node), claims) for node in question.nodes],
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
