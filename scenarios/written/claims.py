"""Claims: what is asked for."""

from aliquot.dra.claim import ClaimSpec, Constraint, DeviceConfig, DeviceToleration, Request, SubRequest
from scenarios.drivers import Json
from scenarios.written.values import text


def claim_spec(made: ClaimSpec) -> Json:
    """A claim's spec."""
    return {
        "devices": {
            "requests": [request(one) for one in made.requests],
            "constraints": [constraint(one) for one in made.constraints],
            "config": [config(one) for one in made.config],
        }
    }


def request(made: Request) -> Json:
    """A request."""
    return {
        "name": made.name,
        "exactly": recipe(made.exactly, named=False) if made.exactly else None,
        "firstAvailable": [recipe(one, named=True) for one in made.first_available],
    }


def recipe(made: SubRequest, *, named: bool) -> Json:
    """What a request, or an alternative of one, asks for."""
    return {
        "name": made.name if named else None,
        "deviceClassName": made.class_name,
        "selectors": [{"cel": {"expression": one}} for one in made.selectors],
        "allocationMode": made.mode,
        "count": made.count,
        "tolerations": [toleration(one) for one in made.tolerations],
        "capacity": {"requests": {key: text(value) for key, value in made.capacity.items()}} if made.capacity else None,
        "adminAccess": made.admin_access,
    }


def toleration(made: DeviceToleration) -> Json:
    """A toleration."""
    return {
        "key": made.key or None,
        "operator": made.operator,
        "value": made.value or None,
        "effect": made.effect or None,
        "tolerationSeconds": made.seconds,
    }


def constraint(made: Constraint) -> Json:
    """A constraint."""
    return {
        "requests": list(made.requests),
        "matchAttribute": made.match_attribute,
        "distinctAttribute": made.distinct_attribute,
    }


def config(made: DeviceConfig) -> Json:
    """Opaque configuration."""
    return {"requests": list(made.requests), "opaque": {"driver": made.driver, "parameters": made.parameters}}
