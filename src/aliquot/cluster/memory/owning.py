"""Owners: what is left behind by an object that is gone (the garbage collector of kube-controller-manager)."""

from collections import defaultdict
from typing import Any

from aliquot.cluster.memory.shelf import Key
from aliquot.cluster.objects.resources import Resource

Json = dict[str, Any]
Where = tuple[Resource, Key]


class Owning:
    """Who is there, and who is owned by whom, by uid."""

    def __init__(self, resources: tuple[Resource, ...]) -> None:
        self._known = {(resource.group, resource.kind) for resource in resources}
        self._there: set[str] = set()
        self._owned: dict[str, set[Where]] = defaultdict(set)

    def changed(self, where: Where, before: Json | None, after: Json | None) -> None:
        """An object came, changed or went."""
        for reference in _owners(before):
            self._owned.get(reference["uid"], set()).discard(where)
        for reference in _owners(after):
            self._owned[reference["uid"]].add(where)
        if before is not None:
            self._there.discard(before["metadata"]["uid"])
        if after is not None:
            self._there.add(after["metadata"]["uid"])

    def owned_by(self, uid: str) -> list[Where]:
        """What names it as an owner."""
        return sorted(self._owned.pop(uid, ()), key=lambda where: (where[0].name, where[1]))

    def left(self, thing: Json) -> list[Json] | None:
        """The references to owners that are there; None: it's an orphan, for all its owners are gone.

        An owner of a kind that isn't kept here counts as there.
        """
        references = _owners(thing)
        there = [each for each in references if each["uid"] in self._there or _kind(each) not in self._known]
        return there if there or not references else None


def _owners(thing: Json | None) -> list[Json]:
    return (thing or {}).get("metadata", {}).get("ownerReferences", [])  # type: ignore[no-any-return]


def _kind(reference: Json) -> tuple[str, str]:
    return reference.get("apiVersion", "").rpartition("/")[0], reference.get("kind", "")
