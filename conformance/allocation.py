"""Our answers to allocation scenarios, in the format of ``cases/allocator``.

    python -m conformance.allocation --engine reference < scenarios.jsonl > answers.jsonl

A scenario is what ``conformance.scenario`` reads. An answer: ``{name, implementation, nodes: [{node, outcome:
allocated|none|error, results?, error?, nodeOnlyError?, allocateOneCalls, ns?}], ns?}``; ``unsupported`` and no nodes
where the chosen implementation lacks a feature. ``ns`` (with ``--repeat``) is the median warm time of so many calls:
each node's own, and the pod's on all nodes.
"""

import argparse
import statistics
import time
from collections.abc import Callable, Mapping
from typing import Any, Final, Literal

from aliquot.allocation.behaviour import behaviour_of
from aliquot.allocation.cel_selectors import selectors_of
from aliquot.allocation.exact import Exact
from aliquot.allocation.features import IMPLEMENTATIONS, Implementation, implementation_of, supports
from aliquot.allocation.inputs import Engine
from aliquot.allocation.reference import Reference
from aliquot.kube.node import Node
from conformance import lines
from conformance.answers import answer_json
from conformance.scenario import Scenario, scenario

Json = dict[str, Any]
EngineName = Literal["reference", "exact"]
Make = Callable[[Scenario, str, Implementation | None], Engine]


def reference_engine(asked: Scenario, kubernetes: str, implementation: Implementation | None) -> Engine:
    """What kube-scheduler does."""
    selectors = selectors_of(kubernetes, asked.supply.features)
    return Reference(asked.supply, selectors, behaviour_of(kubernetes), implementation)


def exact_engine(asked: Scenario, kubernetes: str, implementation: Implementation | None) -> Engine:
    """What is possible; there's one implementation of that."""
    del implementation
    return Exact(asked.supply, selectors_of(kubernetes, asked.supply.features))


ENGINES: Final[Mapping[EngineName, Make]] = {"reference": reference_engine, "exact": exact_engine}


def answer(
    given: Json,
    *,
    engine: EngineName = "reference",
    implementation: Implementation | None = None,
    kubernetes: str = "1.36",
    repeat: int = 0,
) -> Json:
    """Allocate a scenario's claims on its nodes: one engine for all of them, as kube-scheduler does for a pod."""
    asked = scenario(given)
    features = asked.supply.features
    if implementation is not None and not supports(implementation, features):
        return {"name": asked.name, "nodes": [], "unsupported": f"{implementation} doesn't support these features"}
    allocator = ENGINES[engine](asked, asked.kubernetes or kubernetes, implementation)
    made: Json = {
        "name": asked.name,
        "implementation": "exact" if engine == "exact" else implementation or implementation_of(features),
        "nodes": [answer_json(node.name, allocator.allocate(node, asked.claims)) for node in asked.nodes],
    }
    if repeat:
        for node, told in zip(asked.nodes, made["nodes"], strict=True):
            told["ns"] = median_ns(allocator, asked, (node,), repeat)
        made["ns"] = median_ns(allocator, asked, asked.nodes, repeat)
    return made


def median_ns(allocator: Engine, asked: Scenario, nodes: tuple[Node, ...], repeat: int) -> float:
    """The middle time of ``repeat`` warm calls on these nodes, in nanoseconds."""

    def once() -> int:
        start = time.perf_counter_ns()
        for node in nodes:
            allocator.allocate(node, asked.claims)
        return time.perf_counter_ns() - start

    once()
    return statistics.median(once() for _ in range(repeat))


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m conformance.allocation", description=__doc__)
    parser.add_argument("--engine", choices=tuple(ENGINES), default="reference")
    parser.add_argument("--implementation", choices=IMPLEMENTATIONS, help="default: the one that the features choose")
    parser.add_argument("--kubernetes", default="1.36", help="for scenarios that don't say; also 1.37, 1.37.0-alpha.2")
    parser.add_argument("--repeat", type=int, default=0, help="time so many warm calls")
    wanted = parser.parse_args()
    lines.serve(
        lambda given, _: answer(
            given,
            engine=wanted.engine,
            implementation=wanted.implementation,
            kubernetes=wanted.kubernetes,
            repeat=wanted.repeat,
        ),
    )


if __name__ == "__main__":
    main()
