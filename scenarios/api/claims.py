"""ResourceClaims (resource.k8s.io/v1), without the API server's defaults: what isn't said isn't there."""

from collections.abc import Sequence

from scenarios.api.selectors import selector
from scenarios.drivers import Json


def recipe(class_name: str, count: int = 1, *expressions: str, **fields: object) -> Json:
    """What a request, or an alternative of one, asks for: so many devices; empty expressions don't count."""
    return _recipe(class_name, expressions, {"allocationMode": "ExactCount", "count": count, **fields})


def all_of(class_name: str, *expressions: str, **fields: object) -> Json:
    """Likewise: every device of a kind."""
    return _recipe(class_name, expressions, {"allocationMode": "All", **fields})


def _recipe(class_name: str, expressions: Sequence[str], fields: Json) -> Json:
    selectors = [selector(each) for each in expressions if each]
    return {"deviceClassName": class_name, **fields} | ({"selectors": selectors} if selectors else {})


def request(name: str, class_name: str, count: int = 1, *expressions: str, **fields: object) -> Json:
    """A request for so many devices."""
    return {"name": name, "exactly": recipe(class_name, count, *expressions, **fields)}


def request_all(name: str, class_name: str, *expressions: str, **fields: object) -> Json:
    """A request for every device of a kind."""
    return {"name": name, "exactly": all_of(class_name, *expressions, **fields)}


def first_of(name: str, *recipes: Json) -> Json:
    """A request with alternatives, the best first; they're named s0, s1 ..."""
    return {"name": name, "firstAvailable": [{"name": f"s{place}", **each} for place, each in enumerate(recipes)]}


def recipes_of(asked: Json) -> list[Json]:
    """The recipes of a request: its alternatives, or what it asks for exactly."""
    return asked.get("firstAvailable") or [asked["exactly"]]


def claim(number: int, requests: Sequence[Json], constraints: Sequence[Json] = ()) -> Json:
    """The claim c0, c1 ... of these requests."""
    devices: Json = {"requests": list(requests)} | ({"constraints": list(constraints)} if constraints else {})
    return {"metadata": {"name": f"c{number}", "namespace": "default"}, "spec": {"devices": devices}}


def match(attribute: str, *requests: str) -> Json:
    """Devices of these requests (none named: of all) have one value of the attribute."""
    return {"matchAttribute": attribute} | ({"requests": list(requests)} if requests else {})


def distinct(attribute: str, *requests: str) -> Json:
    """Their values of the attribute differ."""
    return {"distinctAttribute": attribute} | ({"requests": list(requests)} if requests else {})
