"""The exact allocator beside kube-scheduler's own, in one run: ``python -m speed allocation``.

Ours is asked as a scheduler asks: an engine that lives on, claims that are compiled in every call. Go's figure is
`Allocate` by `incubating` of Kubernetes 1.36 with a warm CEL cache; on a thousand nodes it includes `NewAllocator`,
once for the pod. The two sides take turns; the median of the ratios counts.

Beside it stands what the same costs cold: a new engine's first call, with CEL to be compiled, devices to be numbered
and nothing remembered. It's printed only; there the search itself shows, which a warm engine asks once per question.
"""

import statistics
import sys
import time
from collections.abc import Iterator, Sequence
from typing import Any, Final

from aliquot.allocation.exact.allocator import Exact
from aliquot.allocation.rules.cel_selectors import selectors_of
from conformance import allocation, reference
from conformance.reference import MissingReferenceError
from scenarios.asking.question import question_of
from scenarios.shapes.everyday import everyday
from scenarios.shapes.explosive import explosive as explosive_shapes
from scenarios.shapes.thousand import thousand
from speed.limits import ROUNDS, Ratio, missed, ratio

Json = dict[str, Any]
GO_TIMEOUT: Final = "1s"
"""Go's explosive searches take up to 14 s; nothing more is learnt by waiting."""
LIMIT_MS: Final = 5.0


def ours_ns(scenario: Json, repeat: int) -> tuple[float, Json]:
    """Our median time for the pod, all nodes, and the answer."""
    answer = allocation.answer(scenario, engine="exact", repeat=repeat)
    return answer["ns"] if len(scenario["nodes"]) > 1 else answer["nodes"][0]["ns"], answer


def cold_ns(scenario: Json) -> float:
    """Our median time for the pod, all nodes, by an engine that was never asked before."""
    times: list[int] = []
    for _ in range(ROUNDS):
        question = question_of(scenario, "1.36")
        start = time.perf_counter_ns()
        engine = Exact(question.supply, selectors_of(question.kubernetes, question.supply.features))
        prepared = engine.prepare(question.claims)
        for node in question.nodes:
            prepared.on(node)
        times.append(time.perf_counter_ns() - start)
    return statistics.median(times)


def go_ns(scenario: Json, repeat: int) -> tuple[float, Json]:
    """Go's, likewise."""
    flags = ("--repeat", str(repeat), "--implementation", "incubating", "--timeout", GO_TIMEOUT)
    (answer,) = reference.ask("1.36", "allocate", [scenario], *flags)
    return answer["ns"] if len(scenario["nodes"]) > 1 else answer["nodes"][0]["ns"], answer


def beside(shapes: Sequence[Json], limit: float, *, repeat: int) -> Iterator[Ratio]:
    """A table of shapes on which Go is quick."""
    for scenario in shapes:
        rounds: list[tuple[float, float]] = []
        for _ in range(ROUNDS):
            ours, answer = ours_ns(scenario, repeat)
            theirs, told = go_ns(scenario, repeat)
            rounds.append((ours, theirs))
        same = [node["outcome"] for node in answer["nodes"]] == [node["outcome"] for node in told["nodes"]]
        found = ratio(f"allocation: {scenario['name']}", rounds, limit, "" if same else "DIFFERENT ANSWERS")
        ours, theirs = (min(side) / 1e3 for side in zip(*rounds, strict=True))
        cold = cold_ns(scenario) / 1e3
        print(f"  {scenario['name']:38} {theirs:12.1f} {ours:12.1f} {cold:12.1f}   {found}")
        yield found


def explosive(repeat: int) -> None:
    """A table of shapes on which Go's search explodes: their times are printed only."""
    for scenario in explosive_shapes():
        ours, answer = ours_ns(scenario, repeat)
        theirs, told = go_ns(scenario, 1)
        shown = "> 1 s" if told["nodes"][0].get("timedOut") else f"{theirs / 1e6:.1f} ms"
        remark = "ok" if ours / 1e6 < LIMIT_MS else "SLOW"
        figures = f"{shown:>12} {ours / 1e6:9.3f} ms {cold_ns(scenario) / 1e6:9.3f} ms"
        print(f"  {scenario['name']:38} {figures}   {answer['nodes'][0]['outcome']:10} {remark}")


def main() -> list[Ratio]:
    try:
        reference.build("1.36")
    except MissingReferenceError as error:
        print(f"  no comparison: {error}")
        return []
    print(f"  {'shape':38} {'Go, us':>12} {'ours, us':>12} {'cold, us':>12}")
    ratios = [*beside(everyday(), 0.6, repeat=300), *beside(thousand(), 0.25, repeat=3)]
    heads = f"{'explosive shape':38} {'Go':>12} {'ours':>12} {'cold':>12}"
    print(f"  {heads}   answer     (limit {LIMIT_MS:.0f} ms warm, for people)")
    explosive(50)
    return ratios


if __name__ == "__main__":
    sys.exit(bool(missed(main())))
