"""Ask the reference and our code the same questions: ``python -m conformance --count 2000``.

Exit status: 0 nothing differs, 1 something does, 2 there's no reference (Go or its modules are missing).
"""

import argparse
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final

import msgspec

from aliquot.allocation.allocator_features import IMPLEMENTATIONS
from conformance import generate_allocation, generate_cdi, generate_cel, given, lines, reference
from conformance.allocation_subject import EXACT, allocation_subject
from conformance.cdi_subject import CDI
from conformance.cel_subject import CEL
from conformance.compare import Difference, Json, Outcome, Subject, compared, shrunk
from conformance.reference import MissingReferenceError

SHOWN: Final = 10
"""So many failures are shrunk and printed per subject."""
SUBJECTS: Final = ("cdi", "cel", "allocation", "exact")


@dataclass(frozen=True, slots=True)
class Run:
    """One subject, asked of one version's code."""

    subject: Subject
    kubernetes: str
    cases: Callable[[], list[Json]]


def cel_cases(count: int, seed: int) -> list[Json]:
    return given.cel_cases() + generate_cel.cases(count, seed)


def cdi_cases(count: int, seed: int) -> list[Json]:
    return given.cdi_cases() + generate_cdi.cases(count, seed)


def allocation_cases(count: int, seed: int) -> list[Json]:
    tight = generate_allocation.scenarios(max(count // 4, 1), seed, tight=True)
    shared = [given.bare_scenario(case) for case in given.allocation_cases()]
    return shared + generate_allocation.scenarios(count, seed) + tight


def runs(count: int, seed: int, versions: Sequence[str], only: Sequence[str]) -> Iterator[Run]:
    """What is to be compared, and on which cases."""
    if "cdi" in only:  # both programs link the same library
        yield Run(CDI, versions[0], partial(cdi_cases, count, seed))
    if "exact" in only:  # 1.37 has fewer defects, so less is told apart by them
        yield Run(EXACT, versions[-1], partial(allocation_cases, max(count // 2, 1), seed + 10))
    for kubernetes in versions:
        if "cel" in only:
            yield Run(CEL, kubernetes, partial(cel_cases, count, seed))
        if "allocation" in only:
            subject = allocation_subject(None, kubernetes=kubernetes)
            yield Run(subject, kubernetes, partial(allocation_cases, count, seed))
            for number, implementation in enumerate(IMPLEMENTATIONS, start=1):
                subject = allocation_subject(implementation, kubernetes=kubernetes)
                yield Run(subject, kubernetes, partial(allocation_cases, max(count // 4, 1), seed + number))


def tell(outcome: Outcome, seconds: float) -> None:
    """One line for the outcome, then the failures, each as small as it could be made."""
    counts = outcome.counts()
    kinds = ", ".join(f"{what} {number}" for what, number in sorted(counts.items())) or "none"
    skipped = f", {outcome.skipped} skipped (too slow for the reference)" if outcome.skipped else ""
    head = f"{outcome.subject.name}, Kubernetes {outcome.kubernetes}"
    print(f"{head}: {outcome.asked} asked{skipped}; differences: {kinds} ({seconds:.0f} s)", flush=True)
    for difference in outcome.failures[:SHOWN]:
        show(shrunk(outcome.subject, outcome.kubernetes, difference))
    more = len(outcome.failures) - SHOWN
    if more > 0:
        print(f"  ... and {more} more")


def show(difference: Difference) -> None:
    """A difference as three lines of JSON, to be pasted into a file and asked again."""
    print(f"  differs in {', '.join(difference.what)}")
    for side, value in (("case", difference.case), ("reference", difference.reference), ("ours", difference.ours)):
        print(f"    {side:9} {msgspec.json.encode(value).decode()}")


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m conformance", description="Compare with the reference implementations."
    )
    parser.add_argument("--count", type=int, default=2000, help="generated cases per subject and version")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--kubernetes", nargs="+", choices=tuple(reference.MODULE_FILES), default=tuple(reference.MODULE_FILES)
    )
    parser.add_argument("--only", nargs="+", choices=SUBJECTS, default=SUBJECTS)
    parser.add_argument("--write", type=Path, help="write every difference, as JSON lines, to this file")
    wanted = parser.parse_args()
    try:
        for kubernetes in reference.MODULE_FILES:
            reference.build(kubernetes)
        broken = list(given.disagreements())
    except MissingReferenceError as error:
        print(f"no comparison: {error}", file=sys.stderr)
        return 2
    for each in broken:
        print(f"the reference doesn't repeat a given answer: {each}")
    found: list[Difference] = []
    failed = bool(broken)
    for run in runs(wanted.count, wanted.seed, wanted.kubernetes, wanted.only):
        start = time.monotonic()
        cases = [case | {"kubernetes": run.kubernetes} for case in run.cases()]
        outcome = compared(run.subject, run.kubernetes, cases)
        tell(outcome, time.monotonic() - start)
        found += outcome.differences
        failed |= bool(outcome.failures)
    if wanted.write:
        wanted.write.write_bytes(lines.dump(found))
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
