"""What every Kubernetes object carries: its name, labels, owners and times."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

EMPTY: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Owner:
    """An entry of metadata.ownerReferences."""

    kind: str
    name: str
    uid: str = ""
    controller: bool = False
    api_version: str = ""


@dataclass(frozen=True, slots=True)
class Meta:
    """ObjectMeta. Times are RFC 3339 strings as the API prints them, or None."""

    name: str
    namespace: str = ""
    uid: str = ""
    labels: Mapping[str, str] = field(default_factory=lambda: EMPTY)
    annotations: Mapping[str, str] = field(default_factory=lambda: EMPTY)
    owners: tuple[Owner, ...] = ()
    created: str | None = None
    deleted: str | None = None
    """deletionTimestamp: set while the object is terminating."""
    generation: int = 0
    resource_version: str = ""
    finalizers: tuple[str, ...] = ()
    """While there are any, a deleted object stays."""

    @property
    def key(self) -> str:
        """`namespace/name`, or the name alone for cluster-scoped kinds."""
        return f"{self.namespace}/{self.name}" if self.namespace else self.name

    @property
    def controller(self) -> Owner | None:
        """The managing owner: the one marked as controller."""
        return next((owner for owner in self.owners if owner.controller), None)
