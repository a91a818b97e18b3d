"""What a path of the REST API means."""

from collections.abc import Iterable
from typing import NamedTuple
from urllib.parse import unquote

from aliquot.cluster.objects.resources import Resource


class Place(NamedTuple):
    """A collection, an object or its subresource."""

    resource: Resource
    namespace: str
    name: str
    """Empty: the collection."""
    subresource: str


def place_of(path: str, resources: Iterable[Resource]) -> Place | None:
    """Of `/apis/GROUP/VERSION/namespaces/NS/PLURAL/NAME/SUB` and its shorter forms; None: there's no such place."""
    parts = [unquote(part) for part in path.strip("/").split("/")]
    if parts[0] == "api":
        group, rest = "", parts[1:]
    elif parts[0] == "apis" and len(parts) > 1:
        group, rest = parts[1], parts[2:]
    else:
        return None
    if not rest:
        return None
    version, rest = rest[0], rest[1:]
    namespace = ""
    if len(rest) > 2 and rest[0] == "namespaces":
        namespace, rest = rest[1], rest[2:]
    if not rest or len(rest) > 3 or not all(rest):
        return None
    plural, name, subresource = [*rest, "", ""][:3]
    for resource in resources:
        if (resource.group, resource.version, resource.plural) == (group, version, plural):
            fits = resource.namespaced or not namespace
            fits = fits and (bool(namespace) or not name or not resource.namespaced)
            fits = fits and (not subresource or (subresource == "status" and resource.status))
            return Place(resource, namespace, name, subresource) if fits else None
    return None
