"""Is CDI on in a container runtime's configuration, and how does it get on? Texts in, texts out: no file is touched.

Facts of the versions: containerd 1.7 has CDI switched off, 2.0 and later on (2.3 warns of switching it off); CRI-O
has it on since 1.24 by annotations and since 1.27 by the kubelet's CDIDevices; Docker 25.0 to 28.1 want
`features.cdi`, 28.2 and later have it on; Podman has it since 3.2 (since 4.1 for specs from 0.3.0), and has nothing to
configure.
"""

import json
import re
from collections.abc import Mapping, MutableMapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, cast, get_args

import tomlkit
from tomlkit.exceptions import TOMLKitError

from aliquot.cdi.plain_data import is_list, is_object
from aliquot.cdi.problems import Problem, SpecError

Runtime = Literal["containerd", "crio", "docker", "podman"]
RUNTIMES: tuple[Runtime, ...] = get_args(Runtime)
Version: TypeAlias = tuple[int, int]
"""Major and minor number."""

CONFIG_FILES: Mapping[Runtime, str] = {
    "containerd": "/etc/containerd/config.toml",
    "crio": "/etc/crio/crio.conf.d/99-cdi.conf",
    "docker": "/etc/docker/daemon.json",
    "podman": "",
}
"""Where each runtime's switch is set; podman has none."""

DEFAULT_DIRS = ("/etc/cdi", "/var/run/cdi")
_SINCE: Mapping[Runtime, Version] = {"containerd": (1, 7), "crio": (1, 24), "docker": (25, 0), "podman": (3, 2)}
_ON_SINCE: Mapping[Runtime, Version] = {"containerd": (2, 0), "crio": (1, 24), "docker": (28, 2), "podman": (3, 2)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Assessment:
    """Whether CDI is on. `on` is None where that depends on a version that isn't known.

    `notes` are what else is worth knowing, `fix` what to do where it isn't on.
    """

    runtime: Runtime
    version: str
    on: bool | None
    reason: str
    fix: str = ""
    notes: tuple[str, ...] = ()


def assess(runtime: Runtime, text: str, version: str = "") -> Assessment:
    """Judge a runtime of that version ("" for unknown) with that configuration ("" for none).

    Raises:
        SpecError: the configuration or the version can't be read.
    """
    number = _number(version)
    set_to, notes = _setting(runtime, text)
    on, reason = _verdict(runtime, version, number, set_to)
    fix = "" if on or runtime == "podman" or (runtime == "crio" and on is None) else _fix(runtime)
    if number is not None and number < _SINCE[runtime]:
        fix = f"update it to {_since(_SINCE[runtime])} or later"
    elif runtime == "podman" and number is not None and number < (4, 1):
        notes = (*notes, "before 4.1 only specs of 0.2.0 and older are read: update podman")
    elif runtime == "crio" and number is not None and number < (1, 27):
        notes = (*notes, "before 1.27 it takes devices from annotations only, not from the kubelet's CDIDevices")
    return Assessment(runtime=runtime, version=version, on=on, reason=reason, fix=fix, notes=notes)


def _verdict(runtime: Runtime, version: str, number: Version | None, set_to: bool | None) -> tuple[bool | None, str]:
    """Whether CDI is on, and why."""
    if number is not None and number < _SINCE[runtime]:
        return False, f"{runtime} {version} knows no CDI"
    if set_to is not None:
        return set_to, f"its configuration switches CDI {'on' if set_to else 'off'}"
    if number is None and runtime in {"podman", "crio"}:
        return None, f"it's on since {_since(_SINCE[runtime])}, the version isn't known"
    if number is None:
        return None, f"its configuration doesn't say, and CDI is on by itself only since {_since(_ON_SINCE[runtime])}"
    on = number >= _ON_SINCE[runtime]
    return on, f"{runtime} {version} has CDI {'on' if on else 'off'} where its configuration doesn't say"


def _since(version: Version) -> str:
    return ".".join(map(str, version))


def configured(runtime: Runtime, text: str, version: str = "") -> str:
    """The configuration with CDI on; the same text where it's on already. Comments and order stay.

    Raises:
        SpecError: the configuration can't be read, or the runtime knows no CDI.
    """
    found = assess(runtime, text, version)
    if found.on is False and _number(version) is not None and cast("Version", _number(version)) < _SINCE[runtime]:
        raise SpecError([Problem("version", found.reason, hint=found.fix)])
    if found.on or runtime == "podman":
        return text
    if runtime == "docker":
        return _docker_on(text)
    if runtime == "crio":
        return _toml_on(text, ("crio", "runtime"), "cdi_spec_dirs", list(DEFAULT_DIRS))
    return _containerd_on(text, version)


def _fix(runtime: Runtime) -> str:
    return f"aliquot cdi runtime configure --runtime {runtime}, then restart {runtime}"


def _number(version: str) -> Version | None:
    if not version:
        return None
    match = re.match(r"v?(\d+)\.(\d+)", version)
    if match is None:
        hint = "give it as 1.7.22, or leave it out"
        raise SpecError([Problem("version", f"{version!r} isn't a version", "--version", hint)])
    return int(match.group(1)), int(match.group(2))


def _setting(runtime: Runtime, text: str) -> tuple[bool | None, tuple[str, ...]]:
    """What the configuration says by itself (None for nothing), and notes."""
    if runtime == "podman":
        return None, ()
    if runtime == "docker":
        data = _json(text)
        value = _member(data, "features", "cdi")
        return (value if isinstance(value, bool) else None), _dirs_note(data.get("cdi-spec-dirs"))
    document: dict[str, Any] = _toml(text).unwrap()
    if runtime == "crio":
        dirs = _member(document, "crio", "runtime", "cdi_spec_dirs")
        return (bool(dirs) if is_list(dirs) else None), _dirs_note(dirs)
    sections = [_member(document, "plugins", name) for name in _SECTIONS]
    found = [section for section in sections if is_object(section)]
    values = [section["enable_cdi"] for section in found if isinstance(section.get("enable_cdi"), bool)]
    notes = [note for section in found for note in _dirs_note(section.get("cdi_spec_dirs"))]
    if document.get("imports"):
        notes.append("it imports other files, which may say otherwise: `containerd config dump` shows the whole")
    return (bool(values[0]) if values else None), tuple(notes)


def _dirs_note(dirs: Any) -> tuple[str, ...]:
    if not is_list(dirs) or not dirs:
        return ()
    missing = [folder for folder in DEFAULT_DIRS if folder not in dirs]
    return (f"it doesn't look into {' and '.join(missing)}",) if missing else ()


def _member(data: Any, *keys: str) -> Any:
    for key in keys:
        data = data.get(key) if is_object(data) else None
    return data


# --- JSON -------------------------------------------------------------------------------------------------------------
def _json(text: str) -> dict[str, Any]:
    try:
        data: Any = json.loads(text) if text.strip() else {}
    except (ValueError, RecursionError) as error:
        raise SpecError([Problem("syntax", f"it isn't JSON: {error}")]) from None
    if not is_object(data) or not is_object(data.get("features", {})):
        raise SpecError([Problem("syntax", "it isn't an object, or its `features` isn't one")])
    return data


def _docker_on(text: str) -> str:
    data = _json(text)
    data["features"] = {**data.get("features", {}), "cdi": True}
    indent = re.search(r"^([ \t]+)\"", text, re.MULTILINE)
    return json.dumps(data, indent=indent.group(1) if indent is not None else 2, ensure_ascii=False) + "\n"


# --- TOML -------------------------------------------------------------------------------------------------------------
_CRI: Mapping[int, str] = {3: "io.containerd.cri.v1.runtime", 2: "io.containerd.grpc.v1.cri"}
"""The CRI plugin's name in each version of containerd's configuration."""
_SECTIONS = (*_CRI.values(), "cri")


def _toml(text: str) -> tomlkit.TOMLDocument:
    try:
        return tomlkit.parse(text)
    except TOMLKitError as error:
        raise SpecError([Problem("syntax", f"it isn't TOML: {error}")]) from None


def _containerd_on(text: str, version: str) -> str:
    document = _toml(text)
    number = _number(version)
    plain: dict[str, Any] = document.unwrap()
    switched = [name for name in _SECTIONS if isinstance(_member(plain, "plugins", name, "enable_cdi"), bool)]
    if switched:  # it's there, and off: whatever the file's version is
        for name in switched:
            text = _toml_on(text, ("plugins", name), "enable_cdi", value=True)
        return text
    written = plain.get("version")
    if isinstance(written, int):
        schema = int(written)
    elif "plugins" in document:
        schema = 1  # what a file without `version` means
    else:
        schema = 3 if number is not None and number >= (2, 0) else 2
    name = "cri" if schema == 1 else _CRI.get(schema, _CRI[3])
    if written is None and schema != 1:
        text = f"version = {schema}\n{text}"
    return _toml_on(text, ("plugins", name), "enable_cdi", value=True)


def _toml_on(text: str, tables: tuple[str, ...], key: str, value: object) -> str:
    document = _toml(text)
    at: MutableMapping[str, Any] = document
    for depth, name in enumerate(tables):
        if name not in at:
            at[name] = tomlkit.table(is_super_table=depth < len(tables) - 1)
        below = at[name]
        if not isinstance(below, MutableMapping):
            raise SpecError([Problem("syntax", "it isn't a table", ".".join(tables[: depth + 1]))])
        at = cast("MutableMapping[str, Any]", below)
    at[key] = value
    return tomlkit.dumps(document)
