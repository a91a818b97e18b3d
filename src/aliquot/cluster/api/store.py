"""The objects of a cluster as lists and watches tell of them, and the Reading that they make."""

from collections.abc import Iterable

import msgspec

from aliquot.cluster.admission import admitted
from aliquot.cluster.api.kinds import Wanted
from aliquot.cluster.items import ItemReader, Noun
from aliquot.cluster.listed import Listed, State
from aliquot.cluster.problem import Problem
from aliquot.cluster.reading import Reading
from aliquot.kube.reading.shape import Fault


class _Name(msgspec.Struct):
    name: str = ""
    namespace: str = ""


class _Named(msgspec.Struct):
    metadata: _Name


_named = msgspec.json.Decoder(_Named)


class Store:
    """Each kind's objects by their key, in the order in which they came."""

    def __init__(self, source: str) -> None:
        """An empty one; `source` names the cluster in problems."""
        self._source = source
        self._reader = ItemReader()
        self._nouns: dict[Wanted, dict[str, Noun]] = {}
        self._problems: dict[Wanted, dict[str, tuple[Problem, ...]]] = {}
        self._listed: dict[Wanted, Listed] = {}
        self._notes: dict[Wanted, Problem] = {}
        self.server = ""

    def replace(self, wanted: Wanted, version: str, items: Iterable[msgspec.Raw]) -> None:
        """These are all objects of the kind."""
        self._nouns[wanted], self._problems[wanted] = {}, {}
        self._notes.pop(wanted, None)
        self.add(wanted, version, items)

    def add(self, wanted: Wanted, version: str, items: Iterable[msgspec.Raw]) -> None:
        """Objects that are new or have changed."""
        nouns, problems = self._nouns[wanted], self._problems[wanted]
        api_version = wanted.api_version(version)
        for item in items:
            noun, faults = None, []
            for thing in self._reader.item(item, "", api_version, wanted.kind):
                if isinstance(thing, Fault):
                    faults.append(thing)
                else:
                    noun = thing
            key = noun.meta.key if noun is not None else _key(item)
            if noun is not None:
                nouns[key] = noun
            else:
                nouns.pop(key, None)
            problems.pop(key, None)
            if faults:
                problems[key] = tuple(self._problem(fault.under(f"{wanted.plural}[{key}]")) for fault in faults)
        self._listed[wanted] = Listed(
            kind=wanted.kind, resource=wanted.resource, version=version, count=len(nouns) + len(problems.keys() - nouns)
        )

    def drop(self, wanted: Wanted, item: msgspec.Raw) -> None:
        """An object is gone."""
        key = _key(item)
        self._nouns[wanted].pop(key, None)
        self._problems[wanted].pop(key, None)

    def missing(self, wanted: Wanted, state: State, message: str) -> None:
        """A kind that can't be listed; absent ones aren't worth a warning."""
        self._listed[wanted] = Listed(kind=wanted.kind, resource=wanted.resource, state=state)
        if state == "absent":
            return
        hint = f"kubectl auth can-i list {wanted.resource} -A" if state == "forbidden" else ""
        words = "you may not list them" if state == "forbidden" else "they can't be listed"
        self._notes[wanted] = Problem(self._source, f"{wanted.resource}: {words} ({message})", hint=hint)

    def reading(self) -> Reading:
        """The cluster as it is known now."""
        objects = tuple(noun for nouns in self._nouns.values() for noun in nouns.values())
        problems = (one for kind in self._problems.values() for found in kind.values() for one in found)
        return Reading(
            admitted(objects),
            (*self._notes.values(), *problems),
            dict(sorted(self._reader.skipped.items())),
            tuple(self._listed.values()),
            self.server,
        )

    def _problem(self, fault: Fault) -> Problem:
        return Problem(self._source, fault.message, fault.path, hint=fault.hint, lost=fault.lost)


def _key(item: msgspec.Raw) -> str:
    try:
        named = _named.decode(item).metadata
    except msgspec.MsgspecError:
        return "?"
    return f"{named.namespace}/{named.name}" if named.namespace else named.name
