"""What is compared, and what counts as a difference: CEL, and allocation by each implementation."""

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import Any, Final, Literal

from aliquot.allocation.features import Implementation
from aliquot.units.quantity import Quantity
from conformance import allocation, cel
from conformance.compare import Json, Subject, replaced, without_key, without_one

REFERENCE_TIMEOUT: Final = "2s"
"""A search that takes the reference longer isn't compared."""


# --- CEL -------------------------------------------------------------------------------------------------------------


def cel_differs(given: Json, ours: Json) -> list[str]:
    """Verdict, then both costs, then the words of the error; those of a syntax error apart (ANTLR's recovery)."""
    what = [each for each in ("verdict", "max_cost", "actual_cost") if given.get(each) != ours.get(each)]
    if given["error"] != ours["error"]:
        what.append("syntax words" if "Syntax error" in (given["error"] or "") else "words")
    return what


def cel_smaller(case: Json) -> Iterator[Json]:
    """The case with a part of its expression for the whole, with a literal for a part, or with less of a device."""
    text = case["expr"] if "expr" in case else case["expression"]
    key = "expr" if "expr" in case else "expression"
    parts = sorted(set(sub_expressions(text)), key=len)
    for part in parts:
        if part != text:
            yield case | {key: part}
            yield case | {key: f"dyn({part}) == dyn({part})"} if len(part) + 20 < len(text) else case | {key: part}
    for part in reversed(parts):
        if len(part) > 5:
            for literal in ("true", "1", "'a'", "[]"):
                yield case | {key: text.replace(part, literal, 1)}
    yield from without_key(case, ("device", "attributes"))
    yield from without_key(case, ("device", "capacity"))


def sub_expressions(text: str) -> Iterator[str]:
    """Pieces of an expression between operators, commas and brackets; many are expressions themselves."""
    opened: list[int] = []
    for index, sign in enumerate(text):
        if sign in "([{":
            opened.append(index)
        elif sign in ")]}" and opened:
            start = opened.pop()
            inside = text[start + 1 : index].strip()
            if inside:
                yield inside
                yield from (piece.strip() for piece in re.split(r",(?![^(\[{]*[)\]}])", inside) if piece.strip())
            called = re.search(r"[\w.]+$", text[:start])
            yield text[called.start() if called else start : index + 1]
    yield from (piece.strip() for piece in re.split(r"\|\||&&|[!=<>]=|[?:<>]", text) if piece.strip())


CEL: Final = Subject(
    "cel",
    "cel",
    cel.answer,
    cel_differs,
    cel_smaller,
    tolerated=frozenset({"max_cost", "actual_cost", "words", "syntax words"}),
)


# --- allocation ------------------------------------------------------------------------------------------------------


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


def allocation_subject(
    implementation: Implementation | None,
    engine: Literal["reference", "exact"] = "reference",
    kubernetes: str = "1.36",
) -> Subject:
    """Allocation by one of upstream's implementations; None: the one that the features choose."""
    ours = partial(allocation.answer, engine=engine, implementation=implementation, kubernetes=kubernetes)
    stable = implementation == "stable"
    return Subject(
        f"allocation, {engine}, {implementation or 'as the features choose'}",
        "allocate",
        ours,
        # stable visits pools in random order: its devices and steps are one of several, so only outcomes are compared
        partial(allocation_differs, results=not stable, steps=not stable and engine == "reference"),
        lambda case: proper(allocation_smaller(case)),
        flags=("--timeout", REFERENCE_TIMEOUT, *(("--implementation", implementation) if implementation else ())),
        tolerated=frozenset({"words"}),
    )


def proper(cases: Iterable[Json]) -> Iterator[Json]:
    """Without the variants that no API server would take: a request with no alternatives left, an empty slice list."""
    for case in cases:
        requests: Sequence[Json] = [
            request for claim in case.get("claims") or () for request in claim["spec"]["devices"].get("requests") or ()
        ]
        if case.get("nodes") and all(request.get("exactly") or request.get("firstAvailable") for request in requests):
            yield case
