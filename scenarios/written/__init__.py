"""Aliquot's DRA values written as v1 JSON: what they were read from."""

from aliquot.dra.claim import Claim, ClaimTemplate, DeviceClass
from aliquot.dra.device import Slice
from scenarios.drivers import Json
from scenarios.written.allocations import allocation
from scenarios.written.claims import claim_spec, config
from scenarios.written.devices import slice_spec
from scenarios.written.values import without_absent


def written(made: Slice | DeviceClass | Claim | ClaimTemplate) -> Json:
    """Spec (and the allocation) as v1 JSON, absent fields left out."""
    match made:
        case Slice():
            whole: Json = {"spec": slice_spec(made)}
        case DeviceClass():
            whole = {
                "spec": {
                    "selectors": [{"cel": {"expression": one}} for one in made.selectors],
                    "config": [config(one) for one in made.config],
                    "extendedResourceName": made.extended_resource,
                }
            }
        case ClaimTemplate():
            whole = {"spec": {"spec": claim_spec(made.spec)}}
        case Claim():
            consumers = [
                {"apiGroup": one.api_group or None, "resource": one.resource, "name": one.name, "uid": one.uid}
                for one in made.reserved_for
            ]
            status = {"allocation": allocation(made.allocation) if made.allocation else None, "reservedFor": consumers}
            whole = {"spec": claim_spec(made.spec), "status": status}
    cleaned: Json = without_absent(whole)
    return cleaned
