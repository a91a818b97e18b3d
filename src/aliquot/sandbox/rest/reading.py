"""GET: an object, a page of a list, a watch."""

import base64
from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from aliquot.cluster.memory.cluster import MemoryCluster
from aliquot.cluster.objects.protocol import WatchEvent
from aliquot.cluster.objects.status import StatusError
from aliquot.sandbox.rest.bodies import Answer, Stream, answer, status
from aliquot.sandbox.rest.paths import Place

Json = dict[str, Any]
Query = Mapping[str, str]

INITIAL_EVENTS_END = {"k8s.io/initial-events-end": "true"}
"""The annotation of the bookmark after all objects that were there."""


def read(cluster: MemoryCluster, place: Place, query: Query) -> Answer | Stream:
    """The answer to a GET."""
    if place.name:
        return answer(cluster.get(place.resource, place.name, place.namespace))
    if query.get("watch") in {"true", "1"}:
        return _watch(cluster, place, query)
    return _page(cluster, place, query)


def _page(cluster: MemoryCluster, place: Place, query: Query) -> Answer:
    version, after = None, ("", "")
    if query.get("continue"):
        version, after = _continued(query["continue"])
    elif query.get("resourceVersionMatch") == "Exact":
        version = _number(query, "resourceVersion")
    labels, fields = query.get("labelSelector", ""), query.get("fieldSelector", "")
    states, at = cluster.states(place.resource, place.namespace, labels=labels, fields=fields, version=version)
    things = [state.thing for state in states]
    if query.get("continue"):
        things = [thing for thing in things if _key(thing) > after]
    meta: Json = {"resourceVersion": str(at)}
    limit = _number(query, "limit")
    if limit and len(things) > limit:
        meta["continue"] = base64.urlsafe_b64encode(msgspec.json.encode([at, *_key(things[limit - 1])])).decode()
        if not labels and not fields:
            meta["remainingItemCount"] = len(things) - limit
        things = things[:limit]
    items = [{name: part for name, part in thing.items() if name not in {"apiVersion", "kind"}} for thing in things]
    kind = {"apiVersion": place.resource.api_version, "kind": f"{place.resource.kind}List"}
    return answer({**kind, "metadata": meta, "items": items})


def _watch(cluster: MemoryCluster, place: Place, query: Query) -> Stream:
    labels, fields = query.get("labelSelector", ""), query.get("fieldSelector", "")
    since, first = query.get("resourceVersion", ""), list[WatchEvent]()
    if query.get("sendInitialEvents") == "true":
        listing = cluster.list(place.resource, place.namespace, labels=labels, fields=fields)
        since, first = listing.resource_version, [WatchEvent("ADDED", thing) for thing in listing.items]
        kind = {"apiVersion": place.resource.api_version, "kind": place.resource.kind}
        meta = {"resourceVersion": since, "annotations": INITIAL_EVENTS_END}
        first.append(WatchEvent("BOOKMARK", {**kind, "metadata": meta}))
    seconds = _number(query, "timeoutSeconds") or None
    watch = cluster.watch(place.resource, place.namespace, since=since, labels=labels, fields=fields, seconds=seconds)
    bookmarks = query.get("allowWatchBookmarks") in {"true", "1"}

    def lines() -> Iterator[bytes]:
        yield from map(_line, first)
        try:
            yield from (_line(event) for event in watch if bookmarks or event.what != "BOOKMARK")
        except StatusError as error:
            yield msgspec.json.encode({"type": "ERROR", "object": status(error)}) + b"\n"

    return Stream(lines(), watch.close)


def _line(event: WatchEvent) -> bytes:
    return msgspec.json.encode({"type": event.what, "object": event.thing}) + b"\n"


def _continued(token: str) -> tuple[int, tuple[str, str]]:
    try:
        version, namespace, name = msgspec.json.decode(base64.urlsafe_b64decode(token), type=tuple[int, str, str])
    except ValueError as error:
        raise StatusError(400, f"the continue token can't be read: {error}") from error
    return version, (namespace, name)


def _number(query: Query, name: str) -> int:
    try:
        return int(query.get(name, "") or 0)
    except ValueError as error:
        raise StatusError(400, f"{name}={query[name]!r} is no number") from error


def _key(thing: Json) -> tuple[str, str]:
    return thing["metadata"].get("namespace", ""), thing["metadata"]["name"]
