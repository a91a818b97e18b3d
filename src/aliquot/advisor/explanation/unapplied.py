"""Ways out of pods that aren't applied yet: what to change in their manifest, for no command finds its objects."""

import json
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import cast

from aliquot.advisor.explanation.value import Explanation
from aliquot.advisor.wayout import Advice, Change, Patch
from aliquot.snapshot.kinds import key_of, kind_of

READS = re.compile(r"\$\(kubectl get (?P<kind>\S+) (?P<name>\S+)(?: -n (?P<namespace>\S+))? -o")
"""A command that takes what another object holds."""
PLAIN = re.compile(r"[A-Za-z]\w*")


@dataclass(frozen=True, slots=True)
class Unapplied:
    """A manifest: its name for people, its objects as changes name them (`deployment ml/llm`), the pods it makes."""

    name: str
    objects: Collection[str]
    pods: Collection[str]

    @classmethod
    def of(cls, name: str, objects: Collection[object], pods: Collection[str]) -> "Unapplied":
        """From the manifest's `kube` and `dra` values."""
        return cls(name, frozenset(map(_target, objects)), pods)

    def told(self, story: Explanation) -> Explanation:
        """With its ways out as edits of the manifest."""
        ways = tuple(replace(way, changes=self.edits(way.changes)) for way in story.ways_out)
        return replace(story, ways_out=ways, advice=tuple(map(self._advice, story.advice)))

    def edits(self, changes: Sequence[Change]) -> tuple[Change, ...]:
        """Each change of an object of the manifest as what is to be written there; what restarts its pods is left."""
        return tuple(self._edit(one) for one in changes if not self._restarts(one))

    def _restarts(self, change: Change) -> bool:
        kind, _, key = change.target.partition(" ")
        return kind == "pod" and key in self.pods and (change.target not in self.objects or change.patch is None)

    def _edit(self, change: Change) -> Change:
        if change.target in self.objects and change.patch is not None:
            lines = "; ".join(_lines(change.patch))
            return Change(change.target, f"# in {self.name}, {change.target}: {lines}", change.patch)
        source = READS.search(change.command)
        if source is not None:
            key = "/".join(part for part in (source["namespace"], source["name"]) if part)
            read = f"{source['kind']} {key}"
            if read in self.objects:
                command = f"# in {self.name}, add {change.target}, with what {read} asks for there"
                return Change(change.target, command, change.patch)
        return change

    def _advice(self, advice: Advice) -> Advice:
        names = {one.rpartition("/")[2].rpartition(" ")[2] for one in (*self.objects, *self.pods)}
        return replace(advice, command="") if names & set(advice.command.split()) else advice


def _target(thing: object) -> str:
    kind = kind_of(thing)
    return f"{kind.lower()} {key_of(thing).removeprefix(f'{kind}/')}"


def _lines(patch: Patch) -> Iterator[str]:
    """What a patch says, field by field: `set spec.replicas to 2`, `take spec.nodeName away`."""
    operations = patch.get("jsonPatch")
    if isinstance(operations, list):
        for one in cast("list[Mapping[str, object]]", operations):
            yield from _operation(one)
        return
    yield from _fields("", patch)


def _fields(path: str, value: object) -> Iterator[str]:
    named = _named(value)
    table = cast("Patch", value) if isinstance(value, Mapping) else None
    if table:
        for key, inner in table.items():
            yield from _fields(_below(path, key), inner)
    elif named is not None:
        for name, fields in named:
            where = f"{path}[{name}]"
            if fields.get("$patch") == "delete":
                yield f"take {where} away"
            else:
                yield from _fields(where, {key: inner for key, inner in fields.items() if key != "name"})
    elif value is None:
        yield f"take {path} away"
    else:
        yield f"set {path} to {json.dumps(value, ensure_ascii=False)}"


def _named(value: object) -> list[tuple[str, Patch]] | None:
    """A list of things that go by their names, as a strategic merge patch has them; None: it's none."""
    entries = cast("list[object]", value) if isinstance(value, list) else []
    found = [cast("Patch", one) for one in entries if isinstance(one, Mapping) and "name" in one]
    return [(str(one["name"]), one) for one in found] if found and len(found) == len(entries) else None


def _operation(one: Mapping[str, object]) -> Iterator[str]:
    """Of a JSON patch."""
    path = ""
    steps = [step.replace("~1", "/").replace("~0", "~") for step in str(one["path"]).split("/")[1:]]
    for step in steps:
        path = f"{path}[{step}]" if step.isdecimal() else path if step == "-" else _below(path, step)
    value = json.dumps(one.get("value"), ensure_ascii=False)
    if one["op"] == "remove":
        yield f"take {path} away"
    elif one["op"] in ("add", "replace"):
        yield f"append {value} to {path}" if steps[-1:] == ["-"] else f"set {path} to {value}"


def _below(path: str, key: str) -> str:
    if not PLAIN.fullmatch(key):
        return f'{path}["{key}"]'
    return f"{path}.{key}" if path else key
