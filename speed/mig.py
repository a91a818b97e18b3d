"""MIG geometry on eight GPUs, beside the rule written out: ``python -m speed mig``.

A planner asks thousands of times what still fits on a node. Ours answers by bit masks; the reference judges every
place of every GPU by the rule as it's written (`legal_layouts.violations`). Both answer the same, or the figure doesn't
count.
"New" states were never asked about before: answers that are kept are thrown away within the clock.

Seconds are printed for people: eight GPUs are meant to take less than 100 microseconds.
"""

import sys
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from aliquot.devices.mig import Geometry, Placement, State, fitting, geometry, legal_states
from aliquot.devices.mig.legal_layouts import violations
from speed.limits import ROUNDS, Ratio, missed, ratio

GPUS: Final = 8
REPEAT: Final = 20
TARGET_US: Final = 100
KEPT, NEW, PLACED = 0.02, 0.1, 0.1
"""How much of the reference's time ours may take."""

Answer = Mapping[str, tuple[int, ...]]


def by_the_rule(gpu: Geometry, state: State) -> Answer:
    """Where one more instance of each profile may be created."""
    return {
        profile.name: tuple(s for s in profile.starts if not violations(gpu, (*state, Placement(s, profile.name))))
        for profile in gpu.profiles
    }


def _us(question: Callable[[], object]) -> float:
    begin = time.thread_time()
    for _ in range(REPEAT):
        question()
    return (time.thread_time() - begin) / REPEAT * 1e6


def _forgotten(question: Callable[[], object]) -> Callable[[], object]:
    def asked() -> object:
        fitting._still_fit.cache_clear()  # noqa: SLF001 # pyright: ignore[reportPrivateUsage]
        fitting._fits.cache_clear()  # noqa: SLF001 # pyright: ignore[reportPrivateUsage]
        return question()

    return asked


def main() -> list[Ratio]:
    """Ask what still fits, and where instances go, on eight H100s in different states."""
    gpu = geometry("H100-80GB")
    assert gpu is not None
    states: Sequence[State] = legal_states(gpu, gpu.plain_profiles())[::90][:GPUS]
    asked: Final = ["1g.10gb"]

    def still_fit() -> list[Answer]:
        return [fitting.still_fit(gpu, state) for state in states]

    def fits() -> list[object]:
        return [fitting.fits(gpu, state, asked) for state in states]

    def reference() -> list[Answer]:
        return [by_the_rule(gpu, state) for state in states]

    wrong = "" if [dict(each) for each in still_fit()] == reference() else "DIFFERENT ANSWERS"
    made: list[Ratio] = []
    for name, question, limit in (
        ("what still fits, asked before", still_fit, KEPT),
        ("what still fits, new states", _forgotten(still_fit), NEW),
        ("where an instance goes, new states", _forgotten(fits), PLACED),
    ):
        rounds = [(_us(question), _us(reference)) for _ in range(ROUNDS)]
        best = min(ours for ours, _ in rounds)
        made.append(ratio(f"mig: {name}", rounds, limit, wrong))
        print(
            f"{name:36} {GPUS} GPUs {best:6.1f} us (meant: below {TARGET_US}); the rule {rounds[0][1]:.0f} us; "
            f"{made[-1]}"
        )
    return made


if __name__ == "__main__":
    sys.exit(int(bool(missed(main()))))
