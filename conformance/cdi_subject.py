"""CDI, compared: what loads, the minimum version, names, and the OCI spec after an injection.

Two defects of the Go library 1.1.0 are counted as ``listed``: `conflict_below` and `last_device_only` say which.
"""

from collections.abc import Iterator
from typing import Any, Final

import msgspec

from conformance import cdi
from conformance.compare import Json, Subject, replaced, without_key, without_one

CDI_RESULTS: Final[dict[str, tuple[str, ...]]] = {
    "probes_spec_load": ("minimumVersion", "vendor", "class", "spec"),
    "spec_load": ("minimumVersion", "vendor", "class"),
    "version_minimum": ("minimumVersion",),
    "probes_names": ("qualified", "parsed", "parseQualified", "qualifier"),
    "parser_qualified_name": ("qualified", "parsed", "parseQualified", "qualifier"),
}
"""Case file -> what of a result is compared; of injections: the OCI spec, and what the folders hold."""
CDI_FOLDERS: Final[tuple[str, ...]] = ("devices", "priorities", "vendors", "classes")


CDI_LISTED: Final = frozenset({"env null item", "field name in other case (CDIVersion, Kind)"})
"""Shared cases on which the library's YAML reader of 1.1.1 and later differs from the one that gave their answers."""


def cdi_differs(given: Json, ours: Json) -> list[str]:
    """Whether it worked, the category of what is wrong, and the result."""
    if given.get("skipped"):
        return []
    if conflict_below(given, ours) or last_device_only(given, ours) or given["name"] in CDI_LISTED:
        return ["listed"]
    if given["ok"] != ours["ok"]:
        return ["ok"]
    file = str(given["file"]).split(".", maxsplit=1)[0]
    named: tuple[str, ...] = CDI_RESULTS.get(file, (*CDI_FOLDERS, "oci" if given["ok"] else "unresolved"))
    if not given["ok"] and file in {"probes_spec_load", "spec_load"}:
        named = ()
    found = [each for each in named if bare(given["result"].get(each)) != bare(ours["result"].get(each))]
    if set(given["result"].get("errors") or ()) != set(ours["result"].get("errors") or ()):
        found.append("errors")
    return found + (["category"] if given["error_category"] != ours["error_category"] else [])


def conflict_below(given: Json, ours: Json) -> bool:
    """Two files of a low folder conflict, and Go drops the definition in a higher one too."""
    told = str(given["result"].get("errors") or "")
    more = set(ours["result"].get("devices") or ()) - set(given["result"].get("devices") or ())
    return bool(more) and all(f'conflicting device "{name}"' in told.replace("\\", "") for name in more)


def last_device_only(given: Json, ours: Json) -> bool:
    """Go asks only the last device for mounts.type and deviceNodes.hostPath (a captured variable)."""
    spec = given["result"].get("spec")
    if not spec or given["result"]["minimumVersion"] == ours["result"].get("minimumVersion"):
        return False
    seen = msgspec.json.decode(msgspec.json.encode(spec))
    for device in seen["devices"][:-1]:
        for mount in device["containerEdits"].get("mounts") or ():
            mount.pop("type", None)
        for node in device["containerEdits"].get("deviceNodes") or ():
            node.pop("hostPath", None)
    told = cdi.answer({"file": "version_minimum.json", "input": {"spec": seen}})
    return bool(told["result"].get("minimumVersion") == given["result"]["minimumVersion"])


def bare(value: Any) -> Any:
    """A value without the members that say nothing, as Go leaves them out."""
    if isinstance(value, dict):
        kept = {name: bare(item) for name, item in value.items()}
        return {name: item for name, item in kept.items() if item not in (None, [], {}, "", 0, False)}
    if isinstance(value, list | tuple):
        return [bare(item) for item in value]
    return [] if value is None else value


def cdi_smaller(case: Json) -> Iterator[Json]:
    """The case with one file, device, edit or member less."""
    given = case["input"]
    if "files" in given:
        for name, text in given["files"].items():
            rest = {other: kept for other, kept in given["files"].items() if other != name}
            yield replaced(case, ("input", "files"), rest)
            for leaner in leaner_texts(text):
                yield replaced(case, ("input", "files"), rest | {name: leaner})
        yield from without_one(case, ("input", "devices"))
        yield from without_key(case, ("input", "oci"))
    elif "data" in given:
        for leaner in leaner_texts(given["data"]):
            yield replaced(case, ("input", "data"), leaner)


def leaner_texts(text: str) -> Iterator[str]:
    """A spec's text with one thing less in it."""
    try:
        spec = {"spec": msgspec.json.decode(text)}
    except msgspec.DecodeError:  # YAML: as it stands
        return
    lists: tuple[tuple[str, ...], ...] = (
        ("spec", "devices"),
        ("spec", "containerEdits", "env"),
        ("spec", "containerEdits", "deviceNodes"),
        ("spec", "containerEdits", "mounts"),
        ("spec", "devices", "*", "containerEdits", "env"),
        ("spec", "devices", "*", "containerEdits", "deviceNodes"),
        ("spec", "devices", "*", "containerEdits", "mounts"),
        ("spec", "devices", "*", "containerEdits", "hooks"),
    )
    for path in lists:
        for leaner in without_one(spec, path):
            yield msgspec.json.encode(leaner["spec"]).decode()
    objects: tuple[tuple[str, ...], ...] = (
        ("spec",),
        ("spec", "containerEdits"),
        ("spec", "devices", "*", "containerEdits"),
    )
    for path in objects:
        for leaner in without_key(spec, path):
            yield msgspec.json.encode(leaner["spec"]).decode()


CDI: Final = Subject(
    name="cdi",
    verb="cdi",
    ours=cdi.answer,
    differs=cdi_differs,
    smaller=cdi_smaller,
    tolerated=frozenset({"category", "listed"}),
)
