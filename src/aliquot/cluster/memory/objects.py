"""Reads and writes of single objects in memory, by any number of threads."""

import random
import threading
import uuid
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from types import MappingProxyType
from typing import Any

import msgspec

from aliquot.cluster.memory import managers, rules
from aliquot.cluster.memory.managers import Manager, Owners
from aliquot.cluster.memory.owning import Owning
from aliquot.cluster.memory.patches import json_patched, merge_patched
from aliquot.cluster.memory.selectors import selector
from aliquot.cluster.memory.shapes import shapes_of
from aliquot.cluster.memory.shelf import Change, Kept, Key, Shelf, kept
from aliquot.cluster.memory.watching import MemoryWatch
from aliquot.cluster.objects.protocol import MANAGER, Json, Listing, PatchKind, Subresource
from aliquot.cluster.objects.resources import ALL, Resource
from aliquot.cluster.objects.status import ALREADY_EXISTS, StatusError

HISTORY = 5_000
"""Changes of a kind that a watch can go on from."""
BOOKMARK_SECONDS = 60.0
"""As an API server has it."""
FIRST_VERSION = 1
CONDITIONS = ("uid", "resourceVersion")
"""By which an update or a deletion says what object, in which state, it means; in a patch a uid is a field."""


def _now() -> datetime:
    return datetime.now(UTC)  # noqa: TID251 - an edge: the clock of who gives none


class MemoryObjects:
    """A cluster's objects, with an API server's rules (`aliquot.cluster.objects.protocol.Objects`).

    Args:
        resources: the kinds that it keeps; others are 404.
        clock: for creationTimestamp, deletionTimestamp and managedFields.
        chance: for uids and generated names.
        history: changes of a kind that a watch can go on from at least.
        bookmark_seconds: how long a watch is quiet before it says from which version on.
        version: of Kubernetes, as `/version` says it.
        unknown: kind -> fields that are dropped silently, as where their feature gate is off
            (`{"ResourceSlice": ["spec.devices.taints"]}`).
    """

    def __init__(
        self,
        *,
        resources: Sequence[Resource] = ALL,
        clock: Callable[[], datetime] = _now,
        chance: random.Random | None = None,
        history: int = HISTORY,
        bookmark_seconds: float = BOOKMARK_SECONDS,
        version: str = "v1.37.2",
        unknown: Mapping[str, Sequence[str]] = MappingProxyType({}),
    ) -> None:
        self.resources = tuple(resources)
        self.version = version
        self._unknown = unknown
        self._clock = clock
        self._chance = chance or random.SystemRandom()
        self._bookmark_seconds = bookmark_seconds
        self._shelves = {resource: Shelf(history) for resource in self.resources}
        self._owning = Owning(self.resources)
        self._happened = threading.Condition(threading.RLock())
        self._version = FIRST_VERSION

    # --- reading -------------------------------------------------------------------------------------------------

    def get(self, resource: Resource, name: str, namespace: str = "") -> Json:
        """The object. 404: there's none."""
        with self._happened:
            state = self._there(resource, (namespace, name))
        return state.copy()

    def list(self, resource: Resource, namespace: str = "", *, labels: str = "", fields: str = "") -> Listing:
        """All objects that both selectors match."""
        states, version = self.states(resource, namespace, labels=labels, fields=fields)
        return Listing(tuple(state.copy() for state in states), str(version))

    def states(
        self, resource: Resource, namespace: str = "", *, labels: str = "", fields: str = "", version: int | None = None
    ) -> tuple[Sequence[Kept], int]:
        """The same as they're kept, now or at a version that is still known, and at which version that is.

        Raises:
            StatusError: 400, 404, 410.
        """
        matches = selector(resource, labels, fields)
        with self._happened:
            at = self._version if version is None else version
            found = list(self._shelf(resource).at(at))
        return [state for key, state in found if namespace in {"", key[0]} and matches(state.thing)], at

    def watch(
        self,
        resource: Resource,
        namespace: str = "",
        *,
        since: str,
        labels: str = "",
        fields: str = "",
        seconds: float | None = None,
    ) -> MemoryWatch:
        """What happens after `since`; with an empty `since` first all objects that are there."""
        matches = selector(resource, labels, fields)
        if since and not since.isdecimal():
            raise StatusError(400, f"{since!r} is no resourceVersion of a list or an event")
        return MemoryWatch(
            resource,
            self._shelf(resource),
            self._happened,
            lambda: self._version,
            lambda thing: namespace in {"", thing["metadata"].get("namespace", "")} and matches(thing),
            int(since) if since not in {"", "0"} else None,
            seconds,
            self._bookmark_seconds,
        )

    # --- writing -------------------------------------------------------------------------------------------------

    def create(self, resource: Resource, thing: Json, *, manager: str = MANAGER) -> Json:
        """A new object, as stored."""
        self._shelf(resource)
        thing = self._received(resource, thing)
        with self._happened:
            return self._created(resource, thing, Manager("Update", manager, "", resource.api_version)).copy()

    def update(self, resource: Resource, thing: Json, *, subresource: Subresource = "", manager: str = MANAGER) -> Json:
        """The whole object anew (or only its status), as stored."""
        thing = self._received(resource, thing)
        by = Manager("Update", manager, subresource, resource.api_version)
        with self._happened:
            shelf, key = self._shelf(resource), _key(thing)
            rule = rules.rules_of(resource)
            if key not in shelf.objects and rule.put_creates and not subresource:
                return self._created(resource, thing, by).copy()
            live = self._there(resource, key)
            self._check(resource, live, thing["metadata"])
            if rule.put_needs_version and not thing["metadata"].get("resourceVersion"):
                raise rules.invalid(resource, key[1], "metadata.resourceVersion", "must be specified for an update")
            return self._updated(resource, live, thing, by).copy()

    def patch(
        self,
        resource: Resource,
        name: str,
        patch: Json | Sequence[Json],
        namespace: str = "",
        *,
        kind: PatchKind = "merge",
        subresource: Subresource = "",
        manager: str = MANAGER,
    ) -> Json:
        """The object after a JSON merge patch or a JSON patch."""
        by = Manager("Update", manager, subresource, resource.api_version)
        with self._happened:
            live = self._there(resource, (namespace, name))
            if kind == "merge" and isinstance(patch, dict):
                new = merge_patched(live.thing, patch)
            elif kind == "json" and not isinstance(patch, dict):
                new = json_patched(live.thing, patch)
            else:
                raise StatusError(400, f"a {kind} patch is {'an object' if kind == 'merge' else 'a list'}")
            new = self._received(resource, new)
            if _key(new) != (namespace, name):
                raise StatusError(400, f"a patch may not change the name or namespace of {resource.name} {name!r}")
            return self._updated(resource, live, new, by).copy()

    def apply(
        self, resource: Resource, thing: Json, *, manager: str, force: bool = False, subresource: Subresource = ""
    ) -> Json:
        """Server-side apply."""
        if not manager:
            raise StatusError(422, "an apply needs a field manager")
        thing = self._received(resource, thing)
        if thing["metadata"].get("managedFields"):
            raise StatusError(400, "metadata.managedFields must be nil")
        by = Manager("Apply", manager, subresource, resource.api_version)
        wanted = rules.wanted_by_apply(resource, thing, subresource)
        with self._happened:
            live = self._shelf(resource).objects.get(_key(thing))
            if live is None:
                if subresource:
                    raise _missing(resource, _key(thing))
                if "uid" in thing["metadata"]:
                    raise StatusError(409, f'{resource.name} "{_key(thing)[1]}" of that uid is gone')
                return self._created(resource, wanted, by).copy()
            self._check(resource, live, thing["metadata"], ("resourceVersion",))
            new, owners = managers.applied(
                live.thing, wanted, by, shapes_of(resource.kind), _time(self._clock()), force=force
            )
            new["metadata"] = {**new["metadata"], "uid": thing["metadata"].get("uid", live.thing["metadata"]["uid"])}
            new = rules.changed(resource, live.thing, new, subresource)
            return self._stored(resource, live, new, owners).copy()

    def delete(
        self,
        resource: Resource,
        name: str,
        namespace: str = "",
        *,
        uid: str = "",
        resource_version: str = "",
        grace_seconds: int | None = None,
    ) -> None:
        """Remove it, or have it removed when its last finalizer goes; what it owns goes after it."""
        with self._happened:
            live = self._there(resource, (namespace, name))
            self._check(resource, live, {"uid": uid, "resourceVersion": resource_version})
            self._delete(resource, live, _grace(resource, live.thing, grace_seconds))

    def compact(self) -> None:
        """Forget the past, as an API server does after about five minutes: watches go on only by a new list."""
        with self._happened:
            for shelf in self._shelves.values():
                shelf.forget(self._version)
            self._happened.notify_all()

    def _received(self, resource: Resource, thing: Any) -> Json:
        return _json(rules.received(resource, thing, self._unknown.get(resource.kind, ())))

    # --- under the lock ------------------------------------------------------------------------------------------

    def _shelf(self, resource: Resource) -> Shelf:
        try:
            return self._shelves[resource]
        except KeyError:
            raise StatusError(404, f"the server has no {resource.name} of {resource.api_version}") from None

    def _there(self, resource: Resource, key: Key) -> Kept:
        try:
            return self._shelf(resource).objects[key]
        except KeyError:
            raise _missing(resource, key) from None

    def _check(self, resource: Resource, live: Kept, wanted: Json, names: Sequence[str] = CONDITIONS) -> None:
        """Whether it's the very object, in the very state, that somebody means."""
        there = live.thing["metadata"]
        for name in names:
            if wanted.get(name) and wanted[name] != there[name]:
                told = f"its {name} is {there[name]}, not {wanted[name]}: it has changed since it was read"
                raise StatusError(409, f'{resource.name} "{there["name"]}": {told}')

    def _created(self, resource: Resource, thing: Json, by: Manager) -> Kept:
        now = _time(self._clock())
        new = rules.created(
            resource,
            thing,
            now,
            str(uuid.UUID(int=self._chance.getrandbits(128), version=4)),
            "".join(self._chance.choices("bcdfghjklmnpqrstvwxz2456789", k=5)),
        )
        key = _key(new)
        if key in self._shelf(resource).objects:
            raise StatusError(409, f'{resource.name} "{key[1]}" already exists', ALREADY_EXISTS)
        owners = managers.after_creation(new, by, shapes_of(resource.kind), now)
        state = self._put(resource, key, None, new, owners)
        self._collect([(resource, key)])
        return state

    def _updated(self, resource: Resource, live: Kept, thing: Json, by: Manager) -> Kept:
        self._check(resource, live, thing["metadata"], ("resourceVersion",))
        new = rules.changed(resource, live.thing, thing, by.subresource)  # type: ignore[arg-type]  # it is a subresource
        owners = managers.after_update(live.thing, new, by, shapes_of(resource.kind), _time(self._clock()))
        return self._stored(resource, live, new, owners)

    def _stored(self, resource: Resource, live: Kept, new: Json, owners: Owners) -> Kept:
        """A write's last step: nothing, a new state, or the end of an object that waited for it."""
        before = {name: value for name, value in live.thing["metadata"].items() if name != "managedFields"}
        after = {name: value for name, value in new["metadata"].items() if name != "managedFields"}
        if {**new, "metadata": after} == {**live.thing, "metadata": before} and owners == managers.owners_of(
            live.thing
        ):
            return live
        key = _key(new)
        waits = after.get("finalizers") or after.get("deletionGracePeriodSeconds")
        if "deletionTimestamp" in after and not waits:
            return self._remove(resource, key, new)
        state = self._put(resource, key, live, new, owners)
        if after.get("ownerReferences") != before.get("ownerReferences"):
            self._collect([(resource, key)])
        return state

    def _put(self, resource: Resource, key: Key, before: Kept | None, new: Json, owners: Owners) -> Kept:
        self._version += 1
        metadata = {**new["metadata"], "resourceVersion": str(self._version)}
        metadata.pop("managedFields", None)
        if owners:
            metadata["managedFields"] = managers.managed_fields(owners)
        state = kept({**new, "metadata": metadata})
        self._happen(resource, Change(self._version, key, before, state, state))
        return state

    def _happen(self, resource: Resource, change: Change) -> None:
        before = change.before.thing if change.before else None
        self._owning.changed((resource, change.key), before, change.after.thing if change.after else None)
        self._shelves[resource].put(change)
        self._happened.notify_all()

    def _delete(self, resource: Resource, live: Kept, grace: int) -> None:
        metadata = live.thing["metadata"]
        if not metadata.get("finalizers") and not grace:
            self._remove(resource, _key(live.thing), live.thing)
            return
        if "deletionTimestamp" in metadata and metadata.get("deletionGracePeriodSeconds", 0) <= grace:
            return  # it's under way; a later end isn't asked for
        when = _time(self._clock() + timedelta(seconds=grace))
        told = {**metadata, "deletionTimestamp": when, "deletionGracePeriodSeconds": grace}
        if "generation" in metadata and "deletionTimestamp" not in metadata:
            told["generation"] += 1
        owners = managers.owners_of(live.thing)
        self._put(resource, _key(live.thing), live, {**live.thing, "metadata": told}, owners)

    def _remove(self, resource: Resource, key: Key, last: Json) -> Kept:
        before = self._shelf(resource).objects[key]
        self._version += 1
        state = kept({**last, "metadata": {**last["metadata"], "resourceVersion": str(self._version)}})
        self._happen(resource, Change(self._version, key, before, None, state))
        self._collect(self._owning.owned_by(before.thing["metadata"]["uid"]))
        return state

    def _collect(self, places: Sequence[tuple[Resource, Key]]) -> None:
        """Objects whose owners may be gone go too, or lose the references to them."""
        for resource, key in places:
            state = self._shelf(resource).objects.get(key)
            if state is None:
                continue
            left = self._owning.left(state.thing)
            if left is None:
                self._delete(resource, state, _grace(resource, state.thing, None))
            elif left != state.thing["metadata"].get("ownerReferences", []):
                metadata = {**state.thing["metadata"], "ownerReferences": left}
                by = Manager("Update", "kube-controller-manager", "", resource.api_version)
                self._updated(resource, state, {**state.thing, "metadata": metadata}, by)


def _grace(resource: Resource, thing: Json, asked: int | None) -> int:
    """Seconds that a pod has to end; of a pod that doesn't run, and of all else, 0."""
    if resource.kind != "Pod":
        return 0
    spec, phase = thing.get("spec", {}), thing.get("status", {}).get("phase")
    if not spec.get("nodeName") or phase in {"Failed", "Succeeded"}:
        return 0
    grace = spec.get("terminationGracePeriodSeconds", 30) if asked is None else asked
    return int(grace) if grace >= 0 else 1


def _key(thing: Json) -> Key:
    return thing["metadata"].get("namespace", ""), thing["metadata"].get("name", "")


def _missing(resource: Resource, key: Key) -> StatusError:
    return StatusError(404, f'{resource.name} "{key[1]}" not found')


def _time(now: datetime) -> str:
    return now.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _json(thing: Any) -> Json:
    """A copy that shares nothing with a client's object.

    Raises:
        StatusError: 400: JSON can't say it.
    """
    try:
        return msgspec.json.decode(msgspec.json.encode(thing))  # type: ignore[no-any-return]
    except (TypeError, ValueError, RecursionError) as error:
        raise StatusError(400, f"that is no JSON: {error}") from error
