"""Allocation, compared: outcome, results and steps must agree on every node; the words of errors are counted."""

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import Any, Final

from aliquot.allocation.allocator_features import Implementation
from aliquot.allocation.behaviour import REPAIRED
from aliquot.allocation.reference.allocator import Reference
from aliquot.allocation.rules.cel_selectors import selectors_of
from aliquot.units.quantity import Quantity
from conformance import allocation
from conformance.compare import Json, Subject, replaced, without_key, without_one
from scenarios.asking.question import question_of

REFERENCE_TIMEOUT: Final = "2s"
"""A search that takes the reference longer isn't compared."""


def canonical(value: Any, key: str = "") -> Any:
    """An answer in a form that compares by meaning: quantities by value, defaults left out."""
    if key == "consumedCapacity" and isinstance(value, dict):
        return {name: Quantity.parse(amount) for name, amount in value.items()}
    if isinstance(value, dict):
        return {
            name: canonical(item, name)
            for name, item in value.items()
            if item not in (None, [], (), {}, "") and not (name == "operator" and item == "Equal")
        }
    if isinstance(value, list | tuple):
        return [canonical(item) for item in value]
    return value


def nodes_differ(given: Json, ours: Json, *, results: bool, steps: bool) -> Iterator[str]:
    """What is different between two answers for the same node."""
    outcome = (given["outcome"], bool(given.get("nodeOnlyError")))
    if outcome != (ours["outcome"], bool(ours.get("nodeOnlyError"))):
        yield "outcome"
        return
    if results and canonical(given.get("results")) != canonical(ours.get("results")):
        yield "results"
    if steps and given["allocateOneCalls"] != ours["allocateOneCalls"]:
        yield "steps"
    if given.get("error", "") != ours.get("error", ""):
        yield "words"


def allocation_differs(given: Json, ours: Json, *, results: bool = True, steps: bool = True) -> list[str]:
    """Outcome, results and steps on every node, then the words of errors."""
    if bool(given.get("unsupported")) != bool(ours.get("unsupported")):
        return ["support"]
    if len(given["nodes"]) != len(ours["nodes"]):
        return ["nodes"]
    found = {
        what
        for one, other in zip(given["nodes"], ours["nodes"], strict=True)
        for what in nodes_differ(one, other, results=results, steps=steps)
    }
    return [what for what in ("outcome", "results", "steps", "words") if what in found]


def allocation_smaller(case: Json) -> Iterator[Json]:
    """The scenario with one thing less."""
    for path in (
        ("nodes",),
        ("claims",),
        ("slices",),
        ("allocatedClaims",),
        ("allocatedDevices",),
        ("claims", "*", "spec", "devices", "requests"),
        ("claims", "*", "spec", "devices", "constraints"),
        ("claims", "*", "spec", "devices", "config"),
        ("claims", "*", "spec", "devices", "requests", "*", "firstAvailable"),
        ("claims", "*", "spec", "devices", "requests", "*", "exactly", "selectors"),
        ("claims", "*", "spec", "devices", "requests", "*", "exactly", "tolerations"),
        ("slices", "*", "spec", "devices"),
        ("slices", "*", "spec", "sharedCounters"),
        ("classes",),
    ):
        yield from without_one(case, path)
    yield from without_key(case, ("features",))
    yield from without_key(case, ("slices", "*", "spec", "sharedCounters", "*", "counters"))
    yield from without_key(case, ("slices", "*", "spec", "devices", "*", "attributes"))
    yield from without_key(case, ("slices", "*", "spec", "devices", "*", "capacity"))
    yield from leaner_devices(case)


def leaner_devices(case: Json) -> Iterator[Json]:
    """The scenario with a device that lacks taints, late binding, counters or sharing."""
    optional = (
        "taints",
        "bindingConditions",
        "bindingFailureConditions",
        "bindsToNode",
        "consumesCounters",
        "allowMultipleAllocations",
    )
    for number, piece in enumerate(case.get("slices") or ()):
        for index, device in enumerate(piece["spec"].get("devices") or ()):
            for name in optional:
                if name in device:
                    leaner = {key: value for key, value in device.items() if key != name}
                    yield replaced(case, ("slices", number, "spec", "devices", index), leaner)


def allocation_subject(implementation: Implementation | None, kubernetes: str = "1.36") -> Subject:
    """Our reference engine by one of upstream's implementations; None: the one that the features choose."""
    stable = implementation == "stable"
    return Subject(
        f"allocation, {implementation or 'as the features choose'}",
        "allocate",
        partial(allocation.answer, implementation=implementation, kubernetes=kubernetes),
        # stable visits pools in random order: its devices and steps are one of several, so only outcomes are compared
        partial(allocation_differs, results=not stable, steps=not stable),
        lambda case: proper(allocation_smaller(case)),
        flags=("--timeout", REFERENCE_TIMEOUT, *(("--implementation", implementation) if implementation else ())),
        tolerated=frozenset({"words"}),
    )


def exact_answer(case: Json) -> Json:
    """The exact engine's answer, and whether our reference without the defects gives the same devices."""
    exact = without_config(allocation.answer(case, engine="exact"))
    repaired = without_config(repaired_answer(case))
    return exact | {"repaired": not set(allocation_differs(repaired, exact, steps=False)) - {"words"}}


def repaired_answer(case: Json) -> Json:
    """What our reference answers without any of upstream's defects."""
    question = question_of(case, "1.36")
    supply = question.supply
    engine = Reference(supply, selectors_of(question.kubernetes, supply.features), REPAIRED, "experimental")
    claims = case.get("claims") or []
    nodes = [allocation.node_answer(node, engine.allocate(node, question.claims), claims) for node in question.nodes]
    return {"nodes": nodes}


def exact_differs(given: Json, ours: Json) -> list[str]:
    """Outcome and devices; a difference that the repaired reference shows as well comes from a defect of upstream's."""
    what = [each for each in allocation_differs(without_config(given), ours, steps=False) if each != "words"]
    return ["repaired defect" if ours["repaired"] else each for each in what]


def without_config(answer: Json) -> Json:
    """An answer without configuration, which has its own rules per version."""
    nodes = [
        node
        | {"results": [each | {"devices": {"results": each["devices"].get("results")}} for each in node["results"]]}
        if node.get("results")
        else node
        for node in answer["nodes"]
    ]
    return answer | {"nodes": nodes}


EXACT: Final = Subject(
    "allocation, exact engine beside experimental",
    "allocate",
    exact_answer,
    exact_differs,
    lambda case: proper(allocation_smaller(case)),
    flags=("--timeout", REFERENCE_TIMEOUT, "--implementation", "experimental"),
    tolerated=frozenset({"repaired defect"}),
)


def proper(cases: Iterable[Json]) -> Iterator[Json]:
    """Without the variants that no API server would take: a request with no alternatives left, an empty slice list."""
    for case in cases:
        requests: Sequence[Json] = [
            request for claim in case.get("claims") or () for request in claim["spec"]["devices"].get("requests") or ()
        ]
        if case.get("nodes") and all(request.get("exactly") or request.get("firstAvailable") for request in requests):
            yield case
