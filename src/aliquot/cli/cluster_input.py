"""The cluster that a command looks at, from its -f arguments."""

from collections.abc import Sequence
from pathlib import Path

from aliquot.cli.output import fail, warn
from aliquot.cluster.files import FileCluster, Reading
from aliquot.cluster.problem import Problem

WARNINGS_SHOWN = 30
EXPECTED = "expected what `kubectl get nodes,pods -A -o yaml` (or -o json) or `kubectl cluster-info dump` prints"


def read_cluster(paths: Sequence[Path]) -> Reading | None:
    """Read it, and tell on stderr what was left out. None: there's nothing to work on (told too)."""
    reading = FileCluster([str(path) for path in paths]).read()
    for problem in reading.warnings[:WARNINGS_SHOWN]:
        warn(problem)
    if len(reading.warnings) > WARNINGS_SHOWN:
        warn(f"and {len(reading.warnings) - WARNINGS_SHOWN} more problems (-o json lists all)")
    if not reading.objects:
        kinds = ", ".join(f"{count} {kind}" for kind, count in reading.skipped.items())
        fail("nothing usable in the input" + (f": it holds only {kinds}" if kinds else ""), EXPECTED)
        return None
    return reading


def as_json(problem: Problem) -> dict[str, object]:
    """A problem as `-o json` lists it."""
    line = f"line {problem.line}" if problem.line is not None else ""
    document = f"document {problem.document}" if problem.document is not None else ""
    where = ", ".join(part for part in (document, line, problem.path) if part)
    return {"file": problem.file, "path": where, "message": problem.message, "hint": problem.hint}
