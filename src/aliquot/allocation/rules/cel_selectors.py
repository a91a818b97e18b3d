"""Selectors evaluated by `cel`, in the environment of a Kubernetes version."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

from aliquot.allocation.allocator_features import Features
from aliquot.allocation.rules.device_memo import DeviceMemo
from aliquot.allocation.rules.selectors import CelFailure, Evaluate, Read, Selectors, SelectorVerdict
from aliquot.cel import CompileError, Environment, EvaluationError, PreparedDevice, environment, prepare
from aliquot.cel import compile as compiled
from aliquot.dra.device import Attribute, Device
from aliquot.kube.feature_gates import FIRST_WITH_GATES
from aliquot.kube.release import Kubernetes
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
    prepared: dict[str, DeviceMemo[PreparedDevice]] = {}

    def evaluate(expression: str, driver: str, device: Device) -> SelectorVerdict:
        program = compiled(expression, where)
        if isinstance(program, CompileError):
            return CelFailure("compile", program.message)
        of_driver = prepared.get(driver)
        if of_driver is None:
            of_driver = prepared[driver] = DeviceMemo(partial(_prepared, driver))
        verdict = program.evaluate(of_driver.of(device))
        return CelFailure("runtime", verdict.message) if isinstance(verdict, EvaluationError) else verdict

    return evaluate


def _prepared(driver: str, device: Device) -> PreparedDevice:
    capacity = {name: amount.value for name, amount in device.capacity.items()}
    return prepare(_Shown(driver, device.attributes, capacity, device.allow_multiple))
