"""The shared cases and their given answers (``../shared/cases``): asked like any case, and a check of the Go programs.

The answers were given by the same upstream code that ``conformance/go`` links, so its program for Kubernetes 1.36 must
give them again. (The ``v037`` answers are v0.37.0-alpha.2's; the released 1.37 repaired most of the defects they show.)
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from conformance import lines, reference
from conformance.allocation_subject import allocation_differs
from conformance.compare import Json

CASES: Final = Path(__file__).parent.parent.parent / "shared" / "cases"
VERSION: Final = "1.36"
IMPLEMENTATIONS: Final = ("incubating", "experimental")
"""Those whose devices and steps are reproducible; stable's depend on Go's random map order."""


def cel_cases() -> list[Json]:
    """The shared CEL cases; none where the shared folder isn't beside the project."""
    return [case for name in ("reference.json", "extra.jsonl", "edges.jsonl") for case in present("cel", name)]


def allocation_cases() -> list[Json]:
    """The shared allocation scenarios, likewise."""
    return [case for name in ("reference", "random", "quirks") for case in present("allocator", f"{name}.jsonl")]


SCENARIO: Final = (
    "name",
    "features",
    "nodes",
    "node",
    "slices",
    "classes",
    "claims",
    "allocatedClaims",
    "allocatedDevices",
    "allocatedSharedDeviceIDs",
    "allocatedCapacity",
)
"""What a scenario consists of."""

CDI_FILES: Final = (
    "probes_spec_load.json",
    "spec_load.json",
    "version_minimum.json",
    "probes_names.json",
    "parser_qualified_name.json",
    "probes_inject.json",
    "inject.json",
    "random.jsonl",
)


def cdi_cases() -> list[Json]:
    """The shared CDI cases that the reference library can be asked."""
    return [
        {"file": file, "name": case["name"], "input": case["input"]}
        for file in CDI_FILES
        for case in present("cdi", file)
    ]


def bare_scenario(case: Json) -> Json:
    """A scenario without what upstream's test says of it."""
    return {name: case[name] for name in SCENARIO if name in case}


def present(*parts: str) -> list[Json]:
    """The cases of a shared file."""
    path = CASES.joinpath(*parts)
    return lines.read(path) if path.exists() else []


def cel_verdict(case: Json) -> str:
    """The given verdict, in either of the two forms."""
    if "verdict" in case:
        return str(case["verdict"])
    actual = case["actual"]
    if "compileError" in actual:
        return "C"
    return "E" if "matchError" in actual else "T" if actual["match"] else "F"


def allocation_given(case: Json, implementation: str) -> Json | None:
    """The given answer of an implementation; None where it has none for this version."""
    if "answers" in case:
        answer: Json = case["answers"][implementation]
        return answer if "nodes" in answer else None
    if implementation not in case["supportedBy"]:
        return None
    others: Json = (case.get("answersOfOtherVersion") or {}).get("v0.36.2") or {}
    node = dict(others.get(implementation) or case["expected"])
    node["allocateOneCalls"] = case["allocateOneCalls"][implementation]
    return {"nodes": [node]}


def disagreements() -> Iterator[str]:
    """Where the Go program doesn't repeat a given answer; there's no such place."""
    cases = cel_cases()
    for case, answer in zip(cases, reference.ask(VERSION, "cel", cases), strict=True):
        if cel_verdict(case) != answer["verdict"]:
            yield f"cel {answer['id']}: given {cel_verdict(case)}, the reference says {answer['verdict']}"
    scenarios = allocation_cases()
    for implementation in IMPLEMENTATIONS:
        answers = reference.ask(VERSION, "allocate", scenarios, "--implementation", implementation)
        for case, answer in zip(scenarios, answers, strict=True):
            given = allocation_given(case, implementation)
            if given and (what := differs(given, answer)):
                yield f"allocation {case['name']} ({implementation}): {', '.join(what)}"


def differs(given: dict[str, Any], answer: Json) -> list[str]:
    """What of a given answer is not repeated; words aside, and the step on which a random error is met."""
    what = allocation_differs(given, answer)
    failed = any(node["outcome"] == "error" for node in given["nodes"])
    return [each for each in what if each != "words" and not (each == "steps" and failed)]
