"""What a remedy's printed commands must be, as far as that's seen without kubectl."""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from conformance.commands.shell import ShellError, commands
from scenarios.drivers import Json

VERBS: Final = frozenset(
    re.findall(
        r"\S+",
        """
annotate api-resources apply cluster-info cordon create debug delete describe drain edit exec get
label logs patch replace rollout scale set taint top uncordon wait
""",
    )
)
CLUSTER_WIDE: Final = frozenset(
    re.findall(
        r"\S+",
        """
node nodes deviceclass deviceclasses resourceslice resourceslices persistentvolume persistentvolumes
pv pc priorityclass priorityclasses storageclass storageclasses namespace namespaces runtimeclass
runtimeclasses devicetaintrule devicetaintrules clusterqueue clusterqueues crd crds
""",
    )
)
"""Kinds without a namespace; those with a group in their name are left to kubectl."""


@dataclass(frozen=True, slots=True)
class Printed:
    """One command of a remedy, and the change that printed it."""

    words: Sequence[str]
    line: str
    patch: Any

    def given(self, *names: str) -> str | None:
        """The value of a flag, by any of its names."""
        for at, word in enumerate(self.words):
            for name in names:
                if word == name and at + 1 < len(self.words):
                    return self.words[at + 1]
                if word.startswith(f"{name}="):
                    return word.removeprefix(f"{name}=")
        return None

    def target(self) -> tuple[str, str]:
        """The kind and the name after the verb; empty where there's none."""
        kind, _, name = (self.words[2] if len(self.words) > 2 else "").partition("/")
        if not name and len(self.words) > 3 and not self.words[3].startswith("-"):
            name = self.words[3]
        return ("", "") if kind.startswith("-") else (kind.lower(), name)


def printed(document: Json) -> Iterator[tuple[Json, Printed | str]]:
    """Every command of every way out with its change; a text instead, where the line is none that a shell takes."""
    for pod in document["pods"]:
        for way in pod["waysOut"]:
            for change in way["changes"]:
                for key in ("command", "undo"):
                    line = change.get(key) or ""
                    try:
                        for words in commands(line):
                            yield change, Printed(words, line, change.get("patch") if key == "command" else None)
                    except ShellError as error:
                        yield change, f"{error}: {line}"


def mistakes(one: Printed) -> Iterator[str]:
    """What is wrong with a command."""
    if one.words[0] != "kubectl":
        return
    if len(one.words) < 2 or one.words[1] not in VERBS:
        yield "kubectl has no such verb"
        return
    kind, name = one.target()
    if name and one.words[1] in ("patch", "delete", "scale", "get", "describe") and "." not in kind:
        placed = one.given("-n", "--namespace") is not None or "-A" in one.words
        if placed == (kind in CLUSTER_WIDE):
            yield "its kind has no namespace" if placed else "it names no namespace"
    text = one.given("-p", "--patch")
    if one.words[1] == "patch":
        yield from _patch(one, text)


def _patch(one: Printed, text: str | None) -> Iterator[str]:
    if text is None:
        yield "it has no patch"
        return
    try:
        patch = json.loads(text)
    except ValueError:
        yield "its patch is no JSON"
        return
    if one.patch is None:
        return
    said = one.patch["jsonPatch"] if set(one.patch) == {"jsonPatch"} else one.patch
    if said != patch:
        yield f"its patch isn't the change's: {json.dumps(said)}"
