"""Our answers to CEL cases: ``python -m conformance.cel < cases.jsonl > answers.jsonl``.

A case: ``{id, expr, device, listTypeAttributes, consumableCapacity, newExpressionsEnv, kubernetes?}``; ``name`` or the
line's number stand for a missing ``id``, ``expression`` for ``expr``, and ``features: {...}`` may hold the two gates.
An answer: ``{id, verdict, error, max_cost, actual_cost}``, the verdict T (true), F (false), E (run-time error) or C
(refused by the compiler). ``max_cost`` is the static estimate, 0 where nothing was compiled; ``actual_cost`` the
run-time cost, null where nothing was evaluated.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from aliquot.cel import CompileError, EvaluationError, compile, environment  # noqa: A004  re.compile's name, too
from aliquot.units.quantity import Quantity
from conformance import lines

KINDS: Final = ("ints", "bools", "strings", "versions", "int", "bool", "string", "version")
"""The fields of an attribute, in the order in which Kubernetes looks."""


@dataclass(frozen=True, slots=True)
class Attribute:
    """An attribute as `aliquot.cel` reads it."""

    kind: str
    value: object


@dataclass(frozen=True, slots=True)
class Device:
    """A device as `aliquot.cel` reads it."""

    driver: str
    attributes: Mapping[str, Attribute]
    capacity: Mapping[str, Quantity]
    allow_multiple: bool


def device_of(given: Mapping[str, Any]) -> Device:
    """The device of a case; a capacity may be written ``{"value": "1Gi"}`` or shortly ``"1Gi"``."""
    capacity = given.get("capacity") or {}
    return Device(
        given.get("driver") or "",
        {name: attribute_of(value) for name, value in (given.get("attributes") or {}).items()},
        {
            name: Quantity.parse(value["value"] if isinstance(value, Mapping) else value)
            for name, value in capacity.items()
        },
        bool(given.get("allowMultipleAllocations")),
    )


def attribute_of(given: Mapping[str, Any]) -> Attribute:
    """The one value of an attribute."""
    for kind in KINDS:
        value = given.get(kind)
        if value is not None:
            return Attribute(kind, tuple(value) if isinstance(value, list) else value)
    return Attribute("unset", None)


def answer(case: Mapping[str, Any], number: int = 0) -> dict[str, Any]:
    """Compile the expression of a case and evaluate it on its device."""
    gates = case.get("features") or case
    made: dict[str, Any] = {
        "id": case.get("id", case.get("name", str(number))),
        "verdict": "C",
        "error": None,
        "max_cost": 0,
        "actual_cost": None,
    }
    program = compile(
        case["expr"] if "expr" in case else case["expression"],
        environment(
            case.get("kubernetes") or "1.36",
            consumable_capacity=bool(gates.get("consumableCapacity")),
            list_attributes=bool(gates.get("listTypeAttributes")),
            mode="new" if case.get("newExpressionsEnv") or case.get("envType") == "NewExpressions" else "stored",
        ),
    )
    if isinstance(program, CompileError):
        return made | {"error": program.message}
    made["max_cost"] = program.max_cost
    verdict, made["actual_cost"] = program.trace(device_of(case.get("device") or {}))
    if isinstance(verdict, EvaluationError):
        return made | {"verdict": "E", "error": verdict.message}
    return made | {"verdict": "T" if verdict else "F"}


if __name__ == "__main__":
    lines.serve(answer)
