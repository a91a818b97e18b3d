"""Allocations: what was given."""

from aliquot.dra.claim import AllocatedDevice, ClaimAllocation
from scenarios.drivers import Json
from scenarios.written.claims import config, toleration
from scenarios.written.values import node_selector, text


def allocation(made: ClaimAllocation) -> Json:
    """What a claim was given."""
    return {
        "devices": {
            "results": [result(one) for one in made.results],
            "config": [{"source": one.source, **config(one.config)} for one in made.config],
        },
        "nodeSelector": node_selector(made.node_selector),
    }


def result(made: AllocatedDevice) -> Json:
    """A device that was given."""
    return {
        "request": made.request,
        "driver": made.device.driver,
        "pool": made.device.pool,
        "device": made.device.device,
        "adminAccess": made.admin_access or None,
        "tolerations": [toleration(one) for one in made.tolerations],
        "shareID": made.share_id,
        "consumedCapacity": {key: text(value) for key, value in made.consumed.items()} if made.consumed else None,
        "bindingConditions": list(made.binding_conditions),
        "bindingFailureConditions": list(made.binding_failure_conditions),
    }
