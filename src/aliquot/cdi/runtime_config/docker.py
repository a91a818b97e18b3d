"""Is CDI on in Docker's daemon.json? Judged as dockerd reads it.

Source: moby 25.0 to 29.7, daemon/config/config.go (getConflictFreeConfiguration, the types of Config's members) and
cmd/dockerd/daemon.go, from 29 on daemon/command/daemon.go (loadDaemonCliConfig, cdiEnabled).
"""

import json
import re
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any, Final

from aliquot.cdi.plain_data import is_list, is_object
from aliquot.cdi.problems import Problem, SpecError
from aliquot.cdi.runtime_config.assessment import DEFAULT_DIRS, Assessment, hints
from aliquot.cdi.runtime_config.config_files import ConfigFiles
from aliquot.cdi.runtime_config.docker_keys import KINDS, Kind
from aliquot.cdi.runtime_config.rules import Rules
from aliquot.cdi.runtime_config.spec_dirs import notes_on, usable

_CONFIGURE: Final = "aliquot cdi runtime configure --runtime docker, then restart docker"


def judge(path: str, files: ConfigFiles, rules: Rules) -> Assessment:
    """Whether CDI is on with that daemon.json.

    Raises:
        SpecError: the file can't be read, or isn't JSON.
    """
    data = parsed(files.read(path) or "", path)
    cdi = rules.row("cdi")
    answer = partial(Assessment, runtime="docker", version="", reads=rules.reads, rows=(cdi,))
    faults = list(_refused(data, path))
    if faults:
        reason = f"{rules.name} doesn't start: {'; '.join(f'{fault.path}: {fault.message}' for fault in faults)}"
        return answer(on=False, starts=False, reason=f"{reason} ({path})", fix=hints(faults))
    if cdi.value == "none":
        return answer(on=False, reason=f"{rules.name} knows no CDI", fix="update it to 25.0 or later")
    features: Mapping[str, Any] = data.get("features") or {}
    notes = tuple(_without_effect(data, features, path))
    named = data.get("cdi-spec-dirs")  # null is as good as nothing
    dirs = usable(named if named is not None else DEFAULT_DIRS)
    switch = bool(features["cdi"]) if "cdi" in features else None  # null is Go's false
    on = switch if switch is not None else cdi.value == "on"
    if not on:
        reason = f"{rules.name} has CDI off where its configuration doesn't say"
        if switch is not None:
            reason = f"its configuration switches CDI off: features.cdi in {path}"
        return answer(on=False, reason=reason, fix=_CONFIGURE, notes=notes)
    if not dirs:
        reason = f"cdi-spec-dirs in {path} leaves it no folder for specs, so CDI is off whatever features.cdi says"
        return answer(on=False, reason=reason, fix=_CONFIGURE, spec_dirs=(), notes=notes)
    reason = f"{rules.name} has CDI on where its configuration doesn't say"
    if switch:
        reason = f"its configuration switches CDI on: features.cdi in {path}"
    return answer(on=True, reason=reason, notes=(*notes, *notes_on(dirs, "cdi-spec-dirs")), spec_dirs=dirs)


def with_cdi(text: str, path: str, *, dirs: bool) -> str:
    """The text with CDI on; with `dirs` it names the usual folders, too. Indentation stays.

    Raises:
        SpecError: it isn't JSON, or something else stands where the switch belongs.
    """
    data = parsed(text, path)
    features = data.get("features")
    if features is not None and not is_object(features):
        raise SpecError([Problem("syntax", "it isn't an object", "features", file=path)])
    data["features"] = {**(features or {}), "cdi": True}
    if dirs:
        data["cdi-spec-dirs"] = list(DEFAULT_DIRS)
    indent = re.search(r"^([ \t]+)\"", text, re.MULTILINE)
    return json.dumps(data, indent=indent.group(1) if indent is not None else 2, ensure_ascii=False) + "\n"


def parsed(text: str, file: str) -> dict[str, Any]:
    """The object in a daemon.json; an empty one for an empty file.

    Raises:
        SpecError: it isn't JSON, or isn't an object.
    """
    bare = text.removeprefix("\ufeff")  # dockerd takes a byte order mark
    try:
        data: Any = json.loads(bare) if bare.strip() else {}
    except (ValueError, RecursionError) as error:
        raise SpecError([Problem("syntax", f"it isn't JSON: {error}", file=file)]) from None
    if not is_object(data):
        raise SpecError([Problem("syntax", "it isn't an object", file=file)])
    return data


def _without_effect(data: Mapping[str, Any], features: Mapping[str, Any], file: str) -> Iterator[str]:
    """Names that dockerd takes and that do nothing: its flag's name, and features that it doesn't know."""
    if "cdi-spec-dir" in data:
        yield f"cdi-spec-dir in {file} has no effect: here it's called cdi-spec-dirs"
    for name in features:
        if name != "cdi" and _letters(name) == "cdi":
            yield f"features.{name} in {file} has no effect: it's called features.cdi"


def _refused(data: Mapping[str, Any], file: str) -> Iterator[Problem]:
    """What dockerd doesn't start with: members of another type, and misspelt names of CDI's own."""
    for key, value in data.items():
        kind = KINDS.get(key)
        if kind is not None:
            yield from _wrong(key, value, kind, file)
        else:
            meant = next((name for name in ("features", "cdi-spec-dirs") if _letters(name) == _letters(key)), "")
            if _letters(key) == "cdi":
                yield Problem("syntax", "there's no such option", key, "write it into features: features.cdi", file)
            elif meant:
                yield Problem("syntax", "there's no such option", key, f"call it {meant}", file)


def _letters(name: str) -> str:
    return "".join(letter for letter in name.lower() if letter.isalnum())


def _wrong(key: str, value: Any, kind: Kind, file: str) -> Iterator[Problem]:
    """Null is fine everywhere: Go leaves the default."""
    if value is None:
        return
    if kind.startswith("object of"):
        member: Kind = "boolean" if kind == "object of booleans" else "string"
        if is_object(value):
            for name, inner in value.items():
                yield from _wrong(f"{key}.{name}", inner, member, file)
            return
        kind = "object"
    if kind == "list of strings" and is_list(value):
        if all(one is None or isinstance(one, str) for one in value):
            return
    elif _kind_of(value) == kind:
        return
    hint = f"make it a {kind}" if kind != "object" else "make it an object"
    if isinstance(value, str) and kind in {"boolean", "integer"}:
        hint = f"take the quotes away: {value.strip().lower() or 'false'}"
    yield Problem("syntax", f"{json.dumps(value)} is a {_kind_of(value)}, where a {kind} belongs", key, hint, file)


def _kind_of(value: Any) -> str:
    if isinstance(value, bool):
        return "boolean"
    if is_object(value):
        return "object"
    if is_list(value):
        return "list"
    names = ((int, "integer"), (float, "number"), (str, "string"))
    return next((name for python, name in names if isinstance(value, python)), "null")
