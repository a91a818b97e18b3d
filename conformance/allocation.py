"""Our answers to allocation scenarios, in the format of `cases/allocator`.

    python -m conformance.allocation --engine reference < scenarios.jsonl > answers.jsonl

An answer: ``{name, nodes: [{node, outcome, results, error, nodeOnlyError, allocateOneCalls, ns}]}``; ``ns`` (only with
``--repeat``) is the median time of so many warm repeats. A scenario whose features the implementation doesn't support
gets ``{name, nodes: [], unsupported}``.
"""

import argparse
import statistics
import time
from collections.abc import Callable
from typing import Any

from aliquot.allocation.behaviour import behaviour_of
from aliquot.allocation.cel_selectors import selectors_of
from aliquot.allocation.features import IMPLEMENTATIONS, Implementation, supports
from aliquot.allocation.inputs import Engine
from aliquot.allocation.reference import Reference
from conformance import lines
from conformance.answers import answer_json
from conformance.scenario import Scenario, scenario

Json = dict[str, Any]
Make = Callable[[Scenario, str, Implementation | None], Engine]


def reference_engine(asked: Scenario, kubernetes: str, implementation: Implementation | None) -> Engine:
    """The reference for a scenario."""
    selectors = selectors_of(kubernetes, asked.supply.features)
    return Reference(asked.supply, selectors, behaviour_of(kubernetes), implementation)


ENGINES: dict[str, Make] = {"reference": reference_engine}


def answer(given: Json, make: Make, kubernetes: str, implementation: Implementation | None, repeat: int) -> Json:
    """Answers one scenario."""
    asked = scenario(given)
    if implementation is not None and not supports(implementation, asked.supply.features):
        return {"name": asked.name, "nodes": [], "unsupported": f"{implementation} doesn't support these features"}
    engine = make(asked, asked.kubernetes or kubernetes, implementation)
    nodes: list[Json] = []
    for node in asked.nodes:
        answered = answer_json(node.name, engine.allocate(node, asked.claims))
        if repeat:
            spent: list[int] = []
            for _ in range(repeat):
                start = time.perf_counter_ns()
                engine.allocate(node, asked.claims)
                spent.append(time.perf_counter_ns() - start)
            answered["ns"] = statistics.median(spent)
        nodes.append(answered)
    return {"name": asked.name, "nodes": nodes}


def main() -> None:
    """Serves standard input."""
    parser = argparse.ArgumentParser(prog="python -m conformance.allocation", description=__doc__)
    parser.add_argument("--engine", choices=sorted(ENGINES), default="reference")
    parser.add_argument("--implementation", choices=IMPLEMENTATIONS, help="default: the one that the features choose")
    parser.add_argument("--kubernetes", default="1.36", help="for scenarios that don't say; also 1.37, 1.37.0-alpha.2")
    parser.add_argument("--repeat", type=int, default=0, help="measure so many warm repeats")
    asked = parser.parse_args()
    make = ENGINES[asked.engine]
    lines.serve(lambda given, _: answer(given, make, asked.kubernetes, asked.implementation, asked.repeat))


if __name__ == "__main__":
    main()
