"""Commands that a person is told to type, held against what they claim to be.

A shell line of kubectl with real verbs and flags, patches that are JSON, manifests that are YAML.
"""

import json
import re
import shlex
from collections.abc import Iterator
from typing import Any, Final

import yaml

OPERATORS: Final = frozenset({"|", "||", "&&", ";", ">", ">>"})
NAMESPACED: Final = frozenset({"-n", "--namespace"})
VALUED: Final = frozenset(
    {"-n", "--namespace", "-p", "--patch", "-o", "--output", "-f", "--filename", "-l", "--selector", "-c", "--type",
     "--replicas", "--for", "--timeout", "--dry-run", "--limits", "--requests", "--field-selector", "--sort-by",
     "--tail", "--subresource", "--to-revision"}
)  # fmt: skip
"""Flags that take a value."""
BARE: Final = frozenset({"--force", "--overwrite", "-A", "--all-namespaces", "--now", "-w", "--watch", "--previous",
                         "--ignore-daemonsets", "--delete-emptydir-data", "--wait", "--cascade"})  # fmt: skip
VERBS: Final = frozenset(
    {"annotate", "api-resources", "apply", "auth", "cordon", "create", "delete", "describe", "drain", "edit", "get",
     "label", "logs", "patch", "replace", "rollout", "scale", "set", "taint", "top", "uncordon", "wait"}
)  # fmt: skip
SCALABLE: Final = frozenset({"deployment", "statefulset", "replicaset", "replicationcontroller"})
INNER: Final = re.compile(r"\$\(([^()]*)\)")


def complaints(command: str) -> list[str]:
    """What is wrong with its lines; a comment alone claims nothing."""
    return [each for line in command.splitlines() for each in _line(line)]


def _line(command: str) -> list[str]:
    if command.lstrip().startswith("#"):
        return []
    try:
        lexer = shlex.shlex(command, posix=True, punctuation_chars="|&;>")
        lexer.whitespace_split = True
        lexer.commenters = "#"
        words = list(lexer)
    except ValueError as error:
        return [f"not a shell line ({error}): {command}"]
    found = [each for inner in INNER.findall(command) for each in complaints(inner)]
    before: list[str] = []
    for simple, operator in _simple(words):
        if simple:
            found += _about(simple, before if operator == "|" else [], command)
        before = simple
    return found


def _simple(words: list[str]) -> Iterator[tuple[list[str], str]]:
    """Each simple command, and the operator before it; where output goes isn't one of its words."""
    simple: list[str] = []
    operator = ""
    for word in words:
        if word not in OPERATORS:
            simple.append(word)
            continue
        if operator not in (">", ">>"):
            yield simple, operator
        simple, operator = [], word
    if operator not in (">", ">>"):
        yield simple, operator


def _about(words: list[str], before: list[str], command: str) -> list[str]:
    if words[0] == "printf":
        return []
    if words[0] != "kubectl":
        return [f"no command that a reader has: {words[0]} in {command}"]
    verb, rest = (words[1] if len(words) > 1 else ""), words[2:]
    if verb not in VERBS:
        return [f"kubectl has no verb {verb!r}: {command}"]
    flags: dict[str, str] = {}
    names: list[str] = []
    at = iter(rest)
    for word in at:
        flag, equals, value = word.partition("=")
        if not word.startswith("-") or word == "-":
            names.append(word)
        elif flag in BARE:
            flags[flag] = value
        elif flag in VALUED:
            flags[flag] = value if equals else next(at, "")
        else:
            return [f"kubectl {verb} is given {flag}: {command}"]
    return [f"{text}: {command}" for text in _judged(verb, names, flags, before)]


def _judged(verb: str, names: list[str], flags: dict[str, str], before: list[str]) -> Iterator[str]:
    if verb == "patch":
        yield from _patch(flags)
    if verb == "scale":
        if not flags.get("--replicas", "").isdecimal():
            yield "scale without a number of replicas"
        if names and names[0].partition("/")[0].lower() not in SCALABLE:
            yield f"{names[0]} can't be scaled"
    if verb == "taint" and not all(re.fullmatch(r"[\w./-]+(=[\w.-]*)?:\w+-?", each) for each in names[2:]):
        yield "not taints"
    if verb in ("delete", "cordon", "uncordon", "patch", "describe", "edit", "label") and not (
        names or "-f" in flags or "-l" in flags
    ):
        yield f"{verb} of nothing"
    if verb in ("apply", "replace") and flags.get("-f") == "-":
        yield from _manifest(before)
    if any(not flags[name] for name in NAMESPACED & flags.keys()):
        yield "an empty namespace"


def _patch(flags: dict[str, str]) -> Iterator[str]:
    kind = flags.get("--type", "strategic")
    if kind not in ("strategic", "merge", "json"):
        yield f"no type of patch: {kind}"
    try:
        patch = json.loads(flags.get("-p", ""))
    except ValueError:
        yield "the patch isn't JSON"
        return
    if kind != "json":
        if not isinstance(patch, dict):
            yield "the patch is no object"
    elif not isinstance(patch, list) or not all(_is_operation(one) for one in patch):
        yield "not the operations of a JSON patch"


def _is_operation(one: Any) -> bool:
    if not isinstance(one, dict) or not str(one.get("path", "")).startswith("/"):
        return False
    return one.get("op") in ("remove", "test") or (one.get("op") in ("add", "replace") and "value" in one)


def _manifest(before: list[str]) -> Iterator[str]:
    """What is piped into `apply -f -`: printed text that is a manifest, or kubectl's own output."""
    if before[:1] == ["kubectl"]:
        if not {"yaml", "json"} & set(before) and not any(each.startswith("-o=") for each in before):
            yield "kubectl's output isn't a manifest"
        return
    if before[:1] != ["printf"] or len(before) < 3:
        yield "nothing is piped into it"
        return
    text = before[2] if before[1] in ("%s", "%s\\n") else before[1].replace("%s", "{}")
    try:
        documents = list(yaml.safe_load_all(text))
    except yaml.YAMLError as error:
        yield f"the manifest isn't YAML ({error})"
        return
    if not all(isinstance(one, dict) and {"apiVersion", "kind", "metadata"} <= one.keys() for one in documents):
        yield "the manifest is no object of Kubernetes"
