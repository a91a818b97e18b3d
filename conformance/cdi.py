"""Answers the cases of ``cases/cdi``: ``python -m conformance.cdi < cases > answers``.

A line in: ``{file, name, input}``; the file's name decides what is done with the input (``cdi_operations``). A line
out: ``{file, name, ok, error_category, result}``; ``ok`` is true when the operation itself succeeded (a spec loads, a
name is qualified, an injection works), ``error_category`` is that of the first problem, or null.
"""

import sys
from typing import Any

import msgspec

from aliquot.cdi.problems import SpecError
from conformance.cdi_operations import OPERATIONS, Answer


def answer(case: dict[str, Any]) -> dict[str, Any]:
    """Carry out one case."""
    file = str(case.get("file", "")).rsplit("/", 1)[-1].split(".", 1)[0]
    operation = OPERATIONS.get(file)
    if operation is None:
        said = Answer(ok=False, result={"error": f"no operation for {case.get('file')!r}"})
    else:
        try:
            said = operation(case["input"])
        except SpecError as error:
            said = Answer(ok=False, category=error.category, result={"error": str(error)})
    return {
        "file": case.get("file"),
        "name": case.get("name"),
        "ok": said.ok,
        "error_category": said.category,
        "result": said.result,
    }


def main() -> None:
    """Answer each line of standard input."""
    for line in sys.stdin.buffer:
        if line.strip():
            sys.stdout.buffer.write(msgspec.json.encode(answer(msgspec.json.decode(line))) + b"\n")


if __name__ == "__main__":
    main()
