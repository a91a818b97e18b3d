"""What a scenario leaves out, as Go holds it: the API server's defaults were *not* applied to its objects.

The readers of `aliquot.dra` do apply them (mode ExactCount, count 1, operator Equal, one slice a pool). So what is
absent is marked before reading, and the marks are taken out again after.
"""

from dataclasses import replace
from typing import Final

from aliquot.dra.claim import Claim, DeviceToleration, Request, SubRequest
from scenarios.drivers import Json

ABSENT: Final = "-absent-"


def marked(kind: str, given: Json) -> Json:
    """The object with every absent field that a reader would fill in."""
    spec = given.get("spec") or {}
    match kind:
        case "ResourceSlice":
            pool = {"resourceSliceCount": 0, **(spec.get("pool") or {})}
            return {**given, "spec": {**spec, "pool": pool}}
        case "ResourceClaim":
            devices = spec.get("devices") or {}
            requests = [_marked_request(each) for each in devices.get("requests") or ()]
            return {**given, "spec": {**spec, "devices": {**devices, "requests": requests}}}
        case _:
            return given


def unmarked(claim: Claim, given: Json) -> Claim:
    """The claim that was read, without what the reader filled in; a namespace only if the scenario gives one."""
    namespace = (given.get("metadata") or {}).get("namespace") or ""
    requests = tuple(_unmarked_request(each) for each in claim.spec.requests)
    return replace(claim, meta=replace(claim.meta, namespace=namespace), spec=replace(claim.spec, requests=requests))


def _marked_request(request: Json) -> Json:
    made = dict(request)
    if request.get("exactly") is not None:
        made["exactly"] = _marked_recipe(request["exactly"])
    if request.get("firstAvailable"):
        made["firstAvailable"] = [_marked_recipe(each) for each in request["firstAvailable"]]
    return made


def _marked_recipe(recipe: Json) -> Json:
    return {
        **recipe,
        "allocationMode": recipe.get("allocationMode") or ABSENT,
        "count": recipe.get("count") or 0,
        "tolerations": [
            {**each, "operator": each.get("operator") or ABSENT} for each in recipe.get("tolerations") or ()
        ],
    }


def _unmarked_request(request: Request) -> Request:
    return replace(
        request,
        exactly=_unmarked_recipe(request.exactly) if request.exactly is not None else None,
        first_available=tuple(_unmarked_recipe(each) for each in request.first_available),
    )


def _unmarked_recipe(recipe: SubRequest) -> SubRequest:
    return replace(
        recipe,
        mode="" if recipe.mode == ABSENT else recipe.mode,
        tolerations=tuple(_unmarked_toleration(each) for each in recipe.tolerations),
    )


def _unmarked_toleration(toleration: DeviceToleration) -> DeviceToleration:
    return replace(toleration, operator="") if toleration.operator == ABSENT else toleration
