"""POST, PUT, PATCH and DELETE."""

from collections.abc import Mapping
from typing import Any, Literal, TypeVar, cast

import msgspec

from aliquot.cluster.memory.cluster import MemoryCluster
from aliquot.cluster.objects.protocol import PatchKind, Subresource
from aliquot.cluster.objects.status import StatusError
from aliquot.cluster.yaml_stream import YamlError, load_all
from aliquot.sandbox.rest.bodies import Answer, answer
from aliquot.sandbox.rest.paths import Place

Json = dict[str, Any]
Query = Mapping[str, str]
T = TypeVar("T")

JSON = "application/json"
PATCHES: Mapping[str, PatchKind | Literal["apply"]] = {
    "application/merge-patch+json": "merge",
    "application/json-patch+json": "json",
    "application/apply-patch+yaml": "apply",
    "application/apply-patch+json": "apply",
}


class _Conditions(msgspec.Struct, rename="camel"):
    uid: str | None = None
    resource_version: str | None = None


class _DeleteOptions(msgspec.Struct, rename="camel"):
    grace_period_seconds: int | None = None
    propagation_policy: str | None = None
    orphan_dependents: bool | None = None
    preconditions: _Conditions | None = None


def write(
    cluster: MemoryCluster, method: str, place: Place, query: Query, body: bytes, content: str, agent: str
) -> Answer:
    """The answer to a write.

    Raises:
        StatusError: as the cluster says, or the request makes no sense.
    """
    if query.get("dryRun"):
        raise StatusError(400, "dryRun isn't known here")
    manager = query.get("fieldManager") or agent.partition("/")[0] or "unknown"
    subresource = cast("Subresource", place.subresource)
    content = content.partition(";")[0].strip()
    if body and method != "PATCH" and content not in {"", JSON}:  # client-go's own default is protobuf
        raise StatusError(415, f"a body of type {content} isn't known; known is {JSON}")
    if method == "POST" and not place.name:
        return answer(cluster.create(place.resource, _placed(place, _decoded(body, Json)), manager=manager), 201)
    if method == "PUT" and place.name:
        thing = _placed(place, _decoded(body, Json))
        return answer(cluster.update(place.resource, thing, subresource=subresource, manager=manager))
    if method == "PATCH" and place.name:
        return answer(_patched(cluster, place, query, body, content, manager))
    if method == "DELETE" and place.name and not place.subresource:
        return _deleted(cluster, place, query, body)
    raise StatusError(405, f"the server does not allow {method} on this resource")


def _patched(cluster: MemoryCluster, place: Place, query: Query, body: bytes, content: str, manager: str) -> Json:
    kind = PATCHES.get(content)
    subresource = cast("Subresource", place.subresource)
    if kind is None:
        raise StatusError(415, f"a patch of type {content or 'none'} isn't known; known are {', '.join(PATCHES)}")
    if kind == "apply":
        thing = _placed(place, _yaml(body))
        force = query.get("force") in {"true", "1"}
        if not query.get("fieldManager"):
            raise StatusError(422, "fieldManager: Required value: is required for apply patch")
        return cluster.apply(place.resource, thing, manager=manager, force=force, subresource=subresource)
    patch = _decoded(body, Json) if kind == "merge" else _decoded(body, list[Json])
    return cluster.patch(
        place.resource, place.name, patch, place.namespace, kind=kind, subresource=subresource, manager=manager
    )


def _deleted(cluster: MemoryCluster, place: Place, query: Query, body: bytes) -> Answer:
    options = _decoded(body or b"{}", _DeleteOptions)
    policy = query.get("propagationPolicy") or options.propagation_policy or "Background"
    if policy != "Background" or options.orphan_dependents:
        raise StatusError(400, f"propagationPolicy {policy} isn't known here; Background is")
    grace = query.get("gracePeriodSeconds", options.grace_period_seconds)
    conditions = options.preconditions or _Conditions()
    uid = cluster.get(place.resource, place.name, place.namespace)["metadata"]["uid"]
    cluster.delete(
        place.resource,
        place.name,
        place.namespace,
        uid=conditions.uid or "",
        resource_version=conditions.resource_version or "",
        grace_seconds=None if grace is None else int(grace),
    )
    try:
        left = cluster.get(place.resource, place.name, place.namespace)
    except StatusError:
        left = None
    if left is not None and left["metadata"]["uid"] == uid:
        return answer(left)  # it waits for finalizers, or for its kubelet
    details = {"name": place.name, "kind": place.resource.plural, "group": place.resource.group, "uid": uid}
    return answer({"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success", "details": details})


def _placed(place: Place, thing: Json) -> Json:
    """The object in the path's namespace and of the path's name, which the body may leave out but not contradict."""
    metadata = dict(_converted(thing.get("metadata", {}), Json))
    for name, right in (("namespace", place.namespace), ("name", place.name)):
        if right and metadata.setdefault(name, right) != right:
            told = f"the {name} of the object ({metadata[name]}) isn't that of the request ({right})"
            raise StatusError(400, told)
    return {**thing, "metadata": metadata}


def _decoded(body: bytes, kind: type[T]) -> T:
    try:
        return msgspec.json.decode(body, type=kind)
    except msgspec.MsgspecError as error:
        raise StatusError(400, f"the body can't be read: {error}") from error


def _yaml(body: bytes) -> Json:
    try:
        documents = load_all(body.decode())
    except (YamlError, UnicodeDecodeError) as error:
        raise StatusError(400, f"the body is no YAML: {error}") from error
    return _converted(documents[0] if len(documents) == 1 else None, Json)


def _converted(value: Any, kind: type[T]) -> T:
    try:
        return msgspec.convert(value, kind)
    except msgspec.ValidationError as error:
        raise StatusError(400, f"the body isn't an object with metadata: {error}") from error
