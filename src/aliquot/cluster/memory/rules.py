"""What an API server does with an object of a kind on its way in: kube-apiserver 1.37's strategies, as far as we write.

Pure: the clock's time and the new uid are arguments.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from aliquot.cluster.memory.merging import OPAQUE, trimmed
from aliquot.cluster.objects.protocol import Subresource
from aliquot.cluster.objects.resources import Resource
from aliquot.cluster.objects.status import Cause, StatusError

Json = dict[str, Any]

_NAME = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*")
_NAME_LENGTH = 253
_SERVERS = (
    "uid",
    "creationTimestamp",
    "generation",
    "deletionTimestamp",
    "deletionGracePeriodSeconds",
    "managedFields",
)
"""Fields of metadata that no client sets."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """Of a kind."""

    generation: bool = False
    """metadata.generation counts its changes of anything but metadata and status."""
    created_with_status: bool = False
    first_status: Mapping[str, Any] | None = None
    """What its status is when it's created."""
    status_sets_metadata: bool = False
    """Labels, annotations and finalizers may be written through the status subresource."""
    fixed: tuple[str, ...] = ()
    """Paths that may not change."""
    put_creates: bool = False
    """An update of an object that isn't there creates it."""
    put_needs_version: bool = False


_RULES: Final[Mapping[str, Rules]] = {
    "Node": Rules(created_with_status=True, status_sets_metadata=True),
    "Pod": Rules(generation=True, first_status={"phase": "Pending"}, status_sets_metadata=True),
    "Event": Rules(put_creates=True),
    "Lease": Rules(put_creates=True, put_needs_version=True),
    "ResourceSlice": Rules(generation=True, fixed=("spec.driver", "spec.nodeName", "spec.pool.name")),
    "ResourceClaim": Rules(fixed=("spec",)),
    "ResourceClaimTemplate": Rules(fixed=("spec",)),
    "DeviceClass": Rules(generation=True),
    "DeviceTaintRule": Rules(generation=True),
}


def rules_of(resource: Resource) -> Rules:
    """Of a kind."""
    return _RULES.get(resource.kind, Rules(generation=True))


def received(resource: Resource, thing: Any, unknown: Sequence[str] = ()) -> Json:
    """An object from a client, with its apiVersion and kind, without nulls and fields that this server doesn't know.

    Raises:
        StatusError: 400: it's no object of this kind, or has no name or namespace.
    """
    if not isinstance(thing, dict) or not isinstance(thing.get("metadata"), dict):
        raise StatusError(400, f"an object with metadata is wanted for {resource.name}")
    for name, right in (("apiVersion", resource.api_version), ("kind", resource.kind)):
        if thing.get(name, right) != right:
            raise StatusError(400, f"{name} is {thing[name]}, but {right} is written here")
    if bool(thing["metadata"].get("namespace")) != resource.namespaced:
        told = "needs metadata.namespace" if resource.namespaced else "has no namespace"
        raise StatusError(400, f"{resource.kind} {thing['metadata'].get('name', '')} {told}")
    first = {"apiVersion": resource.api_version, "kind": resource.kind}
    known = first | {name: _without_nulls(value) for name, value in thing.items() if value is not None}
    for path in unknown:
        known = without(known, path.split("."))
    return known


def _without_nulls(value: Any) -> Any:
    """The API's types know no null, but for what is opaque to them."""
    if isinstance(value, dict):
        return {
            name: each if name in OPAQUE else _without_nulls(each) for name, each in value.items() if each is not None
        }
    if isinstance(value, list):
        return [_without_nulls(each) for each in value]
    return value


def without(value: Any, path: Sequence[str]) -> Any:
    """`value` without a field that this server doesn't know, in every item where lists lie on its path."""
    if isinstance(value, list):
        return [without(each, path) for each in value]
    if not isinstance(value, dict) or path[0] not in value:
        return value
    left = {name: each for name, each in value.items() if name != path[0]}
    return left if len(path) == 1 else left | {path[0]: without(value[path[0]], path[1:])}


def created(resource: Resource, thing: Json, now: str, uid: str, suffix: str) -> Json:
    """A new object as it's stored; `suffix` completes a generateName.

    Raises:
        StatusError: 500: it has a resourceVersion; 422: its name isn't good.
    """
    rules = rules_of(resource)
    kept = () if rules.generation else ("generation",)
    metadata = {name: value for name, value in thing["metadata"].items() if name not in _SERVERS or name in kept}
    if metadata.get("resourceVersion"):
        raise StatusError(500, "resourceVersion should not be set on objects to be created")  # as it is: no 400
    if not metadata.get("name") and metadata.get("generateName"):
        metadata["name"] = metadata["generateName"] + suffix
    name = metadata.get("name", "")
    if not isinstance(name, str) or not _NAME.fullmatch(name) or len(name) > _NAME_LENGTH:
        raise invalid(resource, str(name), "metadata.name", f"{name!r} is no DNS subdomain in lower case")
    metadata |= {"uid": uid, "creationTimestamp": now}
    if rules.generation:
        metadata["generation"] = 1
    new: Json = trimmed({**thing, "metadata": metadata})
    if resource.status and not rules.created_with_status:
        new.pop("status", None)
        if rules.first_status is not None:
            new["status"] = dict(rules.first_status)
    return new


def changed(resource: Resource, live: Json, thing: Json, subresource: Subresource) -> Json:
    """An object after a write, as it's stored: what this write may not change is as before.

    Raises:
        StatusError: 422: it changes what may not change.
    """
    rules = rules_of(resource)
    uid = thing["metadata"].get("uid", live["metadata"]["uid"])
    if uid != live["metadata"]["uid"]:
        raise invalid(resource, live["metadata"]["name"], "metadata.uid", f"field is immutable, it can't be {uid}")
    allowed = _allowed(resource, rules, live, thing, subresource)
    before, after = live["metadata"], dict(allowed["metadata"])
    for name in (*_SERVERS, "name", "namespace", "generateName", "resourceVersion"):
        after.pop(name, None)
        if name in before:
            after[name] = before[name]
    new: Json = trimmed({**allowed, "metadata": after})
    metadata: Json = new["metadata"]
    for name in ("labels", "annotations"):
        if metadata.get(name) == {}:
            del metadata[name]
    if "deletionTimestamp" in before:
        added = set(metadata.get("finalizers", ())) - set(before.get("finalizers", ()))
        if added:
            told = f"no new finalizers once it's being deleted: {', '.join(sorted(added))}"
            raise invalid(resource, before["name"], "metadata.finalizers", told)
    for path in rules.fixed:
        if _at(live, path) != _at(new, path):
            raise invalid(resource, before["name"], path, "field is immutable")
    if rules.generation and _content(new) != _content(live):
        metadata["generation"] = before.get("generation", 0) + 1
    return new


def _allowed(resource: Resource, rules: Rules, live: Json, thing: Json, subresource: Subresource) -> Json:
    if subresource == "status":
        new = {**live, "metadata": thing["metadata"] if rules.status_sets_metadata else live["metadata"]}
        new.pop("status", None)
        if "status" in thing:
            new["status"] = (
                _of_allocated(live, thing["status"]) if resource.kind == "ResourceClaim" else thing["status"]
            )
        return new
    if not resource.status:
        return dict(thing)
    new = {name: value for name, value in thing.items() if name != "status"}
    return new | ({"status": live["status"]} if "status" in live else {})


def wanted_by_apply(resource: Resource, thing: Json, subresource: Subresource) -> Json:
    """What of an applied object counts in this (sub)resource."""
    metadata = {name: value for name, value in thing["metadata"].items() if name not in {*_SERVERS, "resourceVersion"}}
    if subresource != "status":
        left = {name: value for name, value in thing.items() if name != "status" or not resource.status}
        return {**left, "metadata": metadata}
    if not rules_of(resource).status_sets_metadata:
        metadata = {name: value for name, value in metadata.items() if name in {"name", "namespace"}}
    kept = {name: value for name, value in thing.items() if name in {"apiVersion", "kind", "status"}}
    return {**kept, "metadata": metadata}


def _of_allocated(live: Json, status: Json) -> Json:
    """A claim that loses devices loses what drivers said of them."""
    gone = _allocated(live.get("status", {})) - _allocated(status)
    devices = [each for each in status.get("devices", ()) if _device(each) not in gone]
    left = {name: value for name, value in status.items() if name != "devices"}
    return left | ({"devices": devices} if devices else {})


def _allocated(status: Json) -> set[tuple[str, ...]]:
    return {_device(each) for each in status.get("allocation", {}).get("devices", {}).get("results", ())}


def _device(each: Json) -> tuple[str, ...]:
    return tuple(each.get(name, "") for name in ("driver", "pool", "device", "shareID"))


def _content(thing: Json) -> Json:
    return {name: value for name, value in thing.items() if name not in {"metadata", "status"}}


def _at(thing: Json, path: str) -> Any:
    found: Any = thing
    for name in path.split("."):
        found = found.get(name) if isinstance(found, dict) else None
    return found


def invalid(resource: Resource, name: str, path: str, told: str) -> StatusError:
    """422."""
    message = f"{resource.kind} {name!r} is invalid: {path}: {told}"
    return StatusError(422, message, causes=(Cause("FieldValueInvalid", told, path),))
