"""From the pools that are wanted and the slices that are there to what has to be written. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from aliquot.dra.device import Slice
from aliquot.dra.read import KINDS
from aliquot.dra.slices.packing import pack
from aliquot.dra.slices.pool import Pool, Unfit
from aliquot.dra.write import slice_json
from aliquot.kube.reading.memo import Memo
from aliquot.kube.release import Kubernetes

Json = dict[str, Any]
_READER = next(kind for kind in KINDS if kind.name == "ResourceSlice" and "v1" in kind.versions)


@dataclass(frozen=True, slots=True)
class Gone:
    """A slice that is to be removed, as it was seen."""

    name: str
    uid: str
    resource_version: str


@dataclass(frozen=True, slots=True)
class Writing:
    """What has to be done, in this order: first removed, then updated, then created."""

    removed: tuple[Gone, ...] = ()
    updated: tuple[Json, ...] = ()
    created: tuple[Json, ...] = ()

    def __bool__(self) -> bool:
        """Whether there's anything to do."""
        return bool(self.removed or self.updated or self.created)


def reconcile(pools: Sequence[Pool], there: Mapping[str, Json], kubernetes: Kubernetes, owner: Json) -> Writing | Unfit:
    """What makes the slices of this node's drivers those that are wanted.

    Args:
        pools: what each driver of the agent has to offer; a driver without any has an empty pool.
        there: the slices of the node, by name, as the API server has them; other drivers' are passed over.
        kubernetes: the API server.
        owner: the owner reference to the Node: its end is theirs.
    """
    ours = {pool.driver for pool in pools}
    read = {name: slice_of(thing) for name, thing in there.items()}
    unreadable = [name for name, one in read.items() if one is None and _driver(there[name]) in ours]
    before = [one for one in read.values() if one is not None]
    removed = list(unreadable)
    updated: list[Json] = []
    created: list[Json] = []
    for pool in pools:
        packed = pack(pool, kubernetes, before)
        if isinstance(packed, Unfit):
            return packed
        kept = {one.meta.name for one in packed.slices}
        removed += [one.meta.name for one in before if one.driver == pool.driver and one.meta.name not in kept]
        for one in packed.slices:
            thing = there.get(one.meta.name)
            if thing is None or one.meta.name in unreadable:
                created.append(_owned(slice_json(one), owner))
            elif one.meta.name in packed.written or not _is_owned(thing, owner):
                updated.append(_owned({**thing, "spec": slice_json(one)["spec"]}, owner))
    return Writing(tuple(_gone(there[name]) for name in dict.fromkeys(removed)), tuple(updated), tuple(created))


def slice_of(thing: Json) -> Slice | None:
    """A ResourceSlice from its JSON; None where it can't be read."""
    found, _ = _READER.read(msgspec.json.encode(thing), Memo())
    return found if isinstance(found, Slice) else None


def _driver(thing: Json) -> str:
    return str(thing.get("spec", {}).get("driver", ""))


def _gone(thing: Json) -> Gone:
    metadata = thing["metadata"]
    return Gone(metadata["name"], metadata.get("uid", ""), metadata.get("resourceVersion", ""))


def _is_owned(thing: Json, owner: Json) -> bool:
    return any(one.get("uid") == owner["uid"] for one in thing["metadata"].get("ownerReferences", ()))


def _owned(thing: Json, owner: Json) -> Json:
    return {**thing, "metadata": {**thing["metadata"], "ownerReferences": [owner]}}
