"""Selectors evaluated by `cel`, in the environment of a Kubernetes version."""

from collections.abc import Mapping
from dataclasses import dataclass

from aliquot.allocation.features import Features
from aliquot.allocation.rules.selectors import CelFailure, Evaluate, Read, Selectors, Verdict
from aliquot.cel import CompileError, Environment, EvaluationError, PreparedDevice, environment, prepare
from aliquot.cel import compile as compiled
from aliquot.dra.device import Attribute, Device
from aliquot.kube.release import FIRST_WITH_GATES, Kubernetes
from aliquot.units.quantity import Quantity


@dataclass(frozen=True, slots=True)
class _Shown:
    """A device as `cel` reads it."""

    driver: str
    attributes: Mapping[str, Attribute]
    capacity: Mapping[str, Quantity]
    allow_multiple: bool


def selectors_of(kubernetes: Kubernetes, features: Features) -> Selectors:
    """Returns selectors that evaluate as kube-scheduler of this version does, with its gates' state."""
    where = _environment(kubernetes, features)

    def reads(expression: str) -> frozenset[Read] | None:
        program = compiled(expression, where)
        return frozenset() if isinstance(program, CompileError) else program.reads

    return Selectors(evaluator(kubernetes, features), reads)


def _environment(kubernetes: Kubernetes, features: Features) -> Environment:
    """A general CEL knows no Kubernetes: here is where the one becomes the other's environment.

    Alphas of 1.37 still have the CEL of 1.36; what is older than DRA's first stable API reads as that.
    """
    minor = 36 if (kubernetes.minor, kubernetes.pre_release[:5]) == (37, "alpha") else kubernetes.minor
    return environment(
        f"1.{max(minor, FIRST_WITH_GATES)}",
        consumable_capacity=features.consumable_capacity,
        list_attributes=features.list_attributes,
    )


def evaluator(kubernetes: Kubernetes, features: Features) -> Evaluate:
    """Returns the evaluation of one expression on one device."""
    where = _environment(kubernetes, features)
    prepared: dict[tuple[str, int], tuple[Device, PreparedDevice]] = {}

    def evaluate(expression: str, driver: str, device: Device) -> Verdict:
        program = compiled(expression, where)
        if isinstance(program, CompileError):
            return CelFailure("compile", program.message)
        known = prepared.get((driver, id(device)))
        if known is None:
            capacity = {name: one.value for name, one in device.capacity.items()}
            known = (device, prepare(_Shown(driver, device.attributes, capacity, device.allow_multiple)))
            prepared[driver, id(device)] = known
        verdict = program.evaluate(known[1])
        return CelFailure("runtime", verdict.message) if isinstance(verdict, EvaluationError) else verdict

    return evaluate
