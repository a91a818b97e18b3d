"""Cases that were answered by the Go code, and our answers to them."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from aliquot import cel
from aliquot.units.quantity import Quantity
from tests.conftest import SHARED

CASES = Path(__file__).parent.parent / "cases" / "cel"
REFERENCE = SHARED / "cases" / "cel" / "reference.json"
KINDS = ("ints", "bools", "strings", "versions", "int", "bool", "string", "version")


@dataclass(frozen=True)
class Attribute:
    kind: str
    value: object


@dataclass(frozen=True)
class Device:
    driver: str
    attributes: Mapping[str, Attribute]
    capacity: Mapping[str, Quantity]
    allow_multiple: bool = False


def device_of(given: Mapping[str, Any]) -> Device:
    """From the API's JSON; a capacity may be short."""
    amounts = {
        name: Quantity.parse(value["value"] if isinstance(value, dict) else value)
        for name, value in (given.get("capacity") or {}).items()
    }
    attributes = {name: _attribute(value) for name, value in (given.get("attributes") or {}).items()}
    allow = given.get("allowMultipleAllocations") is True
    return Device(given.get("driver") or "", attributes, amounts, allow)


def _attribute(given: Mapping[str, Any]) -> Attribute:
    for kind in KINDS:
        if given.get(kind) is not None:
            return Attribute(kind, given[kind])
    return Attribute("unset", None)


@dataclass(frozen=True)
class Case:
    name: str
    expression: str
    environment: cel.Environment
    device: Device
    verdict: str
    """T, F, E (run-time error) or C (refused by the compiler)."""
    error: str | None
    max_cost: int
    actual_cost: int


def _environment(row: Mapping[str, Any], *, new: bool) -> cel.Environment:
    return cel.environment(
        row.get("kubernetes") or "1.36",
        consumable_capacity=row["consumableCapacity"],
        list_attributes=row["listTypeAttributes"],
        mode="new" if new else "stored",
    )


def _of_actual(name: str, row: Mapping[str, Any]) -> Case:
    actual = row["actual"]
    error = actual.get("compileError") or actual.get("matchError")
    match = "T" if actual.get("match") else "F"
    verdict = "C" if "compileError" in actual else "E" if error else match
    return Case(
        name,
        row["expression"],
        _environment(row["features"], new=row.get("envType") == "NewExpressions"),
        device_of(row.get("device") or {}),
        verdict,
        error,
        actual.get("costEstimate", 0),
        actual.get("actualCost", 0),
    )


def _of_verdict(name: str, row: Mapping[str, Any], device: Mapping[str, Any]) -> Case:
    return Case(
        name,
        row["expr"],
        _environment(row, new=row["newExpressionsEnv"]),
        device_of(device),
        row["verdict"],
        row.get("error") or row.get("eval_err") or row.get("compile_err"),
        row["max_cost"],
        row["actual_cost"] or 0,
    )


def _lines(file: str) -> Iterator[Any]:
    for line in (CASES / file).read_text(encoding="utf-8").splitlines():
        yield json.loads(line)


def extra() -> list[Case]:
    return [_of_actual(row["name"], row) for row in _lines("extra.jsonl")]


def edges() -> list[Case]:
    return [_of_verdict(row["id"], row, row["device"]) for row in _lines("edges.jsonl")]


def with_devices(file: str) -> list[Case]:
    """Cases whose devices stand in the first line."""
    head, *rows = _lines(file)
    return [_of_verdict(f"{file}:{i}", row, head["devices"][row["device"]]) for i, row in enumerate(rows, start=2)]


def reference() -> list[Case]:
    return [_of_actual(row["name"], row) for row in json.loads(REFERENCE.read_text(encoding="utf-8"))]


def answer(case: Case) -> tuple[str, str | None, int, int]:
    """(verdict, error, static cost, run-time cost) of ours."""
    program = cel.compile(case.expression, case.environment)
    if isinstance(program, cel.CompileError):
        return "C", program.message, 0, 0
    value, cost = program.trace(case.device)
    if isinstance(value, cel.EvaluationError):
        return "E", value.message, program.max_cost, cost or 0
    return "T" if value else "F", None, program.max_cost, cost or 0
