"""What `aliquot explain` says of a cluster, held against what its generator knows."""

import io
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from aliquot.advisor.document import document
from aliquot.cli.explain.answer import Answer
from aliquot.cli.explain.command import answered
from aliquot.cluster.files import FileCluster
from scenarios.drivers import Json
from scenarios.mixed.truth import Injected, Mixed

FIRST_WAYS = 3


@dataclass(frozen=True, slots=True)
class Verdict:
    """Of one pod: whether its cause is named, and a right remedy is among the first ways out."""

    injected: Injected
    told: Json
    """Its part of the document."""
    cause: bool
    remedy: bool

    def __str__(self) -> str:
        ways = [f"{way['kind']} {way['object']}" for way in self.told["waysOut"][:FIRST_WAYS]]
        cause = self.told["cause"] or {"kind": self.told["verdict"]}
        return f"{self.injected.kind} {self.injected.pod}: [{cause['kind']}] {self.told['sentence']} -> {ways}"


def answer(objects: Iterable[Json], target: str = "", namespace: str | None = None) -> Answer:
    """Asked as `aliquot explain -f -` asks; without a target about all that wait."""
    dump = msgspec.json.encode({"apiVersion": "v1", "kind": "List", "items": list(objects)})
    reading = FileCluster(["-"], io.BytesIO(dump)).read()
    found = answered(
        reading, target=target, namespace=namespace, labels={}, kubernetes=None, feature_gates="", spare=None
    )
    assert isinstance(found, Answer), found
    return found


def told(objects: Iterable[Json], target: str = "", namespace: str | None = None) -> Json:
    """The document of `-o json`, as a program reads it."""
    found = answer(objects, target, namespace)
    written = document(found.stories, kubernetes=found.release, source=found.source, warnings=[])
    read: Json = msgspec.json.decode(msgspec.json.encode(written))
    return read


def verdicts(made: Mixed, found: Json | None = None) -> list[Verdict]:
    """Each injected cause held against the document."""
    pods: dict[str, Any] = {each["pod"]: each for each in (found or told(made.objects))["pods"]}
    return [judged(one, pods[one.pod]) for one in made.injected]


def judged(one: Injected, said: Json) -> Verdict:
    """One pod's part held against the truth."""
    if said["verdict"] != one.verdict:
        return Verdict(one, said, cause=False, remedy=False)
    sentence = f"{said['sentence']} {said['forecast']}".lower()
    named = all(any(word.lower() in sentence for word in words) for words in one.names)
    kind = said["cause"]["kind"] if said["cause"] else ""
    cause = named and (not one.causes or kind in one.causes)
    return Verdict(one, said, cause, not one.remedies or _offered(one, said["waysOut"][:FIRST_WAYS]))


def _offered(one: Injected, ways: Sequence[Json]) -> bool:
    def about(way: Json) -> str:
        return " ".join((way["object"], way["title"], *(change["command"] for change in way["changes"])))

    return any(way["kind"] == right.kind and right.about in about(way) for right in one.remedies for way in ways)
