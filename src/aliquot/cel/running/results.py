"""From a result to a verdict."""

from aliquot.cel.problems import EvaluationError
from aliquot.cel.running.native_faults import native_fault
from aliquot.cel.values.optional import NONE, Optional
from aliquot.cel.values.type_names import type_name
from aliquot.cel.values.value import Err, Value


def verdict(value: Value) -> bool | EvaluationError:
    """True, False, or why the result is neither."""
    if value is True or value is False:
        return value
    if type(value) is Err:
        return EvaluationError(value.message)
    why = _no_bool(value)
    if why is True or why is False:
        return why
    return EvaluationError(f"CEL result of type {type_name(value)} could not be converted to bool: {why}")


def _no_bool(value: Value) -> bool | str:
    """Why a result is no bool, or the bool inside an optional."""
    if type(value) is Optional:
        return "optional.none() dereference" if value is NONE else _no_bool(value.value)
    return value if type(value) is bool else native_fault(value, "bool")
