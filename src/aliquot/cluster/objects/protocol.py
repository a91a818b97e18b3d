"""What can be done with single objects, on an API server (`KubeCluster`) and in memory (`MemoryCluster`) alike."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Literal, Protocol, Self

from aliquot.cluster.objects.resources import Resource

Json = dict[str, Any]
Happening = Literal["ADDED", "MODIFIED", "DELETED", "BOOKMARK"]
PatchKind = Literal["merge", "json"]
Subresource = Literal["", "status"]

MANAGER = "aliquot"
"""The field manager of writes that name none."""


@dataclass(frozen=True, slots=True)
class Listing:
    """The objects of a collection at one moment."""

    items: tuple[Json, ...]
    """Ordered by namespace and name; each with apiVersion and kind."""
    resource_version: str
    """Of the whole list: a watch from here misses nothing."""


@dataclass(frozen=True, slots=True)
class WatchEvent:
    """Something that happened in a collection."""

    what: Happening
    thing: Json
    """The object as it is since then; DELETED: its last state; BOOKMARK: only metadata.resourceVersion."""

    @property
    def resource_version(self) -> str:
        """A watch from here goes on after this event."""
        return str(self.thing["metadata"]["resourceVersion"])


class Watch(Protocol):
    """What happens in a collection, in order. To be used with `with`, by one thread."""

    def __enter__(self) -> Self:
        """Begin it: whoever gets past this is watching.

        Raises:
            StatusError: the server's no.
            UnavailableError: no answer.
        """
        ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...

    def __iter__(self) -> Iterator[WatchEvent]:
        """The events, until the watch is over.

        Raises:
            StatusError: `expired`: the version to go on from is too old, list again; others: the server's no.
            UnavailableError: the connection broke.
        """
        ...

    def close(self) -> None:
        """Have it end now; any thread may."""
        ...


class Objects(Protocol):
    """Objects read and written one by one, by any number of threads.

    `namespace` is empty for kinds without namespaces; in lists and watches empty means all of them. Every method may
    raise `UnavailableError` (no answer) and `StatusError` (a no; which, is said by its `code` and `reason`).
    Objects that come back belong to the caller.
    """

    def get(self, resource: Resource, name: str, namespace: str = "") -> Json:
        """The object. 404: there's none."""
        ...

    def list(self, resource: Resource, namespace: str = "", *, labels: str = "", fields: str = "") -> Listing:
        """All objects that both selectors match (`app in (a,b)`, `spec.nodeName=n1`). 400: no such field to select."""
        ...

    def watch(
        self,
        resource: Resource,
        namespace: str = "",
        *,
        since: str,
        labels: str = "",
        fields: str = "",
        seconds: float | None = None,
    ) -> Watch:
        """What happens after `since` (a list's or an event's resourceVersion), for at most so many seconds.

        An object that begins to match the selectors is ADDED, one that ceases to is DELETED.
        """
        ...

    def create(self, resource: Resource, thing: Json, *, manager: str = MANAGER) -> Json:
        """A new object, as stored; `status` is dropped where it has a subresource (but for Nodes).

        409 AlreadyExists: there's one of that name. 422: it's invalid.
        """
        ...

    def update(self, resource: Resource, thing: Json, *, subresource: Subresource = "", manager: str = MANAGER) -> Json:
        """The whole object anew (or only its status), as stored; a change of nothing is none, and isn't watched.

        With metadata.resourceVersion it's only made if the object hasn't changed since: 409 Conflict. 404: it's gone.
        """
        ...

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
        """The object after a JSON merge patch (RFC 7386) or a JSON patch (RFC 6902); the server retries conflicts.

        409: the patch sets another resourceVersion than the object's. 422: a JSON patch's test fails.
        """
        ...

    def apply(
        self, resource: Resource, thing: Json, *, manager: str, force: bool = False, subresource: Subresource = ""
    ) -> Json:
        """Server-side apply: `thing` is all that `manager` wants of the object, which is created if it isn't there.

        Fields that it applied earlier and leaves out now are removed, unless somebody else has them too.
        409: somebody else owns a field that would change (`causes` says who and which), and `force` wasn't given.
        """
        ...

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
        """Remove it, or have it removed when its last finalizer goes; what it owns goes after it.

        A Pod on a node stays until somebody deletes it with `grace_seconds` 0, as its kubelet does.
        404: there's none. 409: it has another uid or resourceVersion than given.
        """
        ...
