"""containerd's configuration as a release reads it: the main file, what it imports, merged by that release's rules.

Source: cmd/containerd/server/config/config.go of 2.x and services/server/config/config.go of 1.x (LoadConfig,
mergeConfig, resolveImports, v1Migrate), and plugins/cri/runtime/plugin.go (configMigration).
"""

import posixpath
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from aliquot.cdi.plain_data import is_object
from aliquot.cdi.problems import Problem
from aliquot.cdi.runtime_config.config_files import ConfigFiles, beside
from aliquot.cdi.runtime_config.rules import Rules
from aliquot.cdi.runtime_config.toml_text import Kind, dotted, parsed, wrong_types

SHORT: Final = "cri"
OLD: Final = "io.containerd.grpc.v1.cri"
NEW: Final = "io.containerd.cri.v1.runtime"
SECTIONS: Final = (NEW, OLD, SHORT)
"""The CRI plugin's names: in files of version 3 and later, of version 2, of version 1."""
KEYS: Final[Mapping[str, Kind]] = {"enable_cdi": "boolean", "cdi_spec_dirs": "list of strings"}

_ROOT: Final[Mapping[str, Kind]] = {
    "version": "integer",
    "root": "string",
    "state": "string",
    "temp": "string",
    "oom_score": "integer",
    "imports": "list of strings",
    "disabled_plugins": "list of strings",
    "required_plugins": "list of strings",
    "plugins": "table",
    "grpc": "table",
    "ttrpc": "table",
    "debug": "table",
    "metrics": "table",
    "cgroup": "table",
    "timeouts": "table",
    "proxy_plugins": "table",
}


@dataclass(frozen=True, slots=True)
class Placed:
    """A value, with the file that it's from."""

    value: Any
    file: str


@dataclass(frozen=True, slots=True)
class Lost:
    """A key of an earlier file that a later file's section took away."""

    key: str
    file: str
    by: str


@dataclass(slots=True)
class Loaded:
    """What a release has read. `sections` are the CRI sections by name, each with its keys."""

    version: int
    files: dict[str, dict[str, Any]] = field(default_factory=dict[str, dict[str, Any]])
    names: dict[str, list[Placed]] = field(default_factory=lambda: {"disabled_plugins": [], "required_plugins": []})
    sections: dict[str, dict[str, Placed]] = field(default_factory=dict[str, dict[str, Placed]])
    plugins: set[str] = field(default_factory=set[str])
    lost: list[Lost] = field(default_factory=list[Lost])
    refusals: list[Problem] = field(default_factory=list[Problem])


def loaded(path: str, files: ConfigFiles, rules: Rules) -> Loaded:
    """Read the main file and all that it imports. A file that isn't there is as good as an empty one.

    Raises:
        SpecError: a file can't be read, or isn't TOML.
    """
    how = rules.value("imports")
    found = Loaded(version=1 if how == "sections" else int(rules.value("file version")))
    first = 0
    pending = [path]
    while pending:
        at = pending.pop(0)
        if at in found.files:
            continue
        text = files.read(at)
        if text is None:
            if at != path:
                message = "it imports a file that isn't there"
                found.refusals.append(Problem("io", f"{message}: {at}", "imports", "make it, or take it out", path))
            continue
        data = found.files[at] = parsed(text, at)
        faults = wrong_types(data, _ROOT, "", at)
        if faults:
            found.refusals += faults
            found.files[at] = {}  # nothing of it counts
            continue
        version = data.get("version", 0)
        first = first or version
        if rules.value("import versions") == "rising" and version > first:
            message = f"its version {version} is higher than the first file's, {first}"
            found.refusals.append(Problem("version", message, "version", f"make it version = {first}", at))
        _MERGE[how](found, data, at, rules)
        pending += _imported(at, data, files, rules)
    if how == "keys" and found.version < int(rules.value("file version")) and OLD in found.sections:
        new = {} if rules.value("old section") == "replaces" else found.sections.get(NEW, {})
        found.sections[NEW] = {**found.sections[OLD], **new}
    _check_versions(found, path, rules)
    _check_required(found, rules)
    return found


def section_read(found: Loaded, rules: Rules) -> str:
    """The CRI section that counts in the end."""
    if rules.value("imports") != "sections":
        return NEW
    return SHORT if found.version == 1 else OLD


def section_disabled(found: Loaded, rules: Rules) -> bool:
    """Whether the plugin of the section that counts is disabled: 2.x's CRI service can be off without it."""
    return section_read(found, rules) in {placed.value for placed in found.names["disabled_plugins"]}


def cri_off(found: Loaded, rules: Rules) -> Placed | None:
    """The entry of `disabled_plugins` that takes the CRI service away, or None."""
    if rules.value("imports") != "sections":
        needed = {OLD, NEW, "io.containerd.cri.v1.images"}
    else:
        needed = {SHORT if found.version == 1 else OLD}
    return next((placed for placed in found.names["disabled_plugins"] if placed.value in needed), None)


def _imported(at: str, data: Mapping[str, Any], files: ConfigFiles, rules: Rules) -> Iterator[str]:
    for pattern in data.get("imports", ()):
        clean = posixpath.normpath(pattern)
        here = beside(at, clean)
        if "*" not in clean:
            yield here
        else:  # an old release seeks relative patterns where it was started: at the root, as a service
            yield from files.matching(
                here if rules.value("import patterns") == "beside" else posixpath.join("/", clean)
            )


def _tables(data: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for name, table in data.get("plugins", {}).items():
        if is_object(table):
            yield name, table


def _merge_sections(found: Loaded, data: Mapping[str, Any], at: str, rules: Rules) -> None:
    """1.x: the last version counts for everything, lists are joined, a plugin's section is replaced as a whole."""
    del rules
    found.version = data.get("version", 0) or found.version
    for key, names in found.names.items():
        names += [Placed(name, at) for name in data.get(key, ())]
    for name, value in data.get("plugins", {}).items():
        if not is_object(value):
            problem = Problem("syntax", "it isn't a table", dotted("plugins", name), "make it a table", at)
            found.refusals.append(problem)
    for name, table in _tables(data):
        found.plugins.add(name)
        if name in SECTIONS:
            now = {key: Placed(table[key], at) for key in KEYS if key in table}
            before = found.sections.get(name, {})
            found.lost += [Lost(key, placed.file, at) for key, placed in before.items() if key not in now]
            found.sections[name] = now


def _merge_keys(found: Loaded, data: Mapping[str, Any], at: str, rules: Rules) -> None:
    """2.0 to 2.2: by keys. A file of version 1 has its names made long, and counts as of the version so far."""
    version = data.get("version", 0)
    lengthen = version < 2
    if lengthen and found.version > int(rules.value("file version")):  # it's to be brought to a version nobody knows
        found.refusals.append(_too_new(found.version, at, rules))
    found.version = version if not lengthen else found.version
    _merge_lists(found, data, at, lengthen=lengthen)
    for name, table in _tables(data):
        section = found.sections.setdefault(OLD if lengthen and name == SHORT else name, {})
        section |= {key: Placed(table[key], at) for key in KEYS if key in table}


def _merge_migrated(found: Loaded, data: Mapping[str, Any], at: str, rules: Rules) -> None:
    """2.3 and later: each file is brought to the newest version by itself, then merged by keys."""
    version = data.get("version", 0)
    newest = int(rules.value("file version"))
    found.version = max(version, newest, found.version)
    _merge_lists(found, data, at, lengthen=version < 2)
    own: dict[str, dict[str, Placed]] = {}
    for name, table in _tables(data):
        section = own.setdefault(OLD if version < 2 and name == SHORT else name, {})
        section |= {key: Placed(table[key], at) for key in KEYS if key in table}
    if version < newest and OLD in own:
        own[NEW] = {**own[OLD], **own.get(NEW, {})}
    for name, section in own.items():
        found.sections.setdefault(name, {}).update(section)


def _merge_lists(found: Loaded, data: Mapping[str, Any], at: str, *, lengthen: bool) -> None:
    for key, names in found.names.items():
        for name in data.get(key, ()):
            full = _lengthened(name) if lengthen else name
            if full not in {placed.value for placed in names}:
                names.append(Placed(full, at))


def _lengthened(name: str) -> str:
    """A short name of version 1 in full; of those that aren't CRI's only that they have dots is kept."""
    return OLD if name == SHORT else name if "." in name else f"io.containerd.*.{name}"


_MERGE: Final = {"sections": _merge_sections, "keys": _merge_keys, "migrated": _merge_migrated}


def _check_versions(found: Loaded, path: str, rules: Rules) -> None:
    """What a release refuses once everything is merged."""
    newest, names = rules.value("file version"), rules.value("plugin names")
    if newest and found.version > int(newest):
        file = next((at for at, data in found.files.items() if data.get("version") == found.version), path)
        found.refusals.append(_too_new(found.version, file, rules))
        return
    if found.version < 2:
        return
    for key, placed in ((key, one) for key, all_ in found.names.items() for one in all_):
        if not _good_name(placed.value, names):
            message = (
                f'"{placed.value}" is a short name, which {rules.name} refuses in a file of version {found.version}'
            )
            full = OLD if placed.value == SHORT else "io.containerd.TYPE.vN.NAME"
            found.refusals.append(
                Problem("name", message, key, f'write it in full, "{full}", or take it out', placed.file)
            )
    if names == "dot":
        return
    for at, data in found.files.items():
        for name, _ in _tables(data):
            if not _good_name(name, names):
                message = f'"{name}" is a short name, which {rules.name} refuses in a file of version {found.version}'
                full = OLD if name == SHORT else "io.containerd.TYPE.vN.NAME"
                hint = f"name the section [{dotted('plugins', full)}]"
                found.refusals.append(Problem("name", message, dotted("plugins", name), hint, at))


def _too_new(version: int, file: str, rules: Rules) -> Problem:
    newest = rules.value("file version")
    message = f"{rules.name} refuses version = {version}: it knows files up to version {newest}"
    return Problem("version", message, "version", f"write it as version {newest}, or update {rules.runtime}", file)


def _check_required(found: Loaded, rules: Rules) -> None:
    """A required plugin that is disabled, or that this release hasn't got, stops it."""
    old = rules.value("imports") == "sections"
    disabled = {placed.value for placed in found.names["disabled_plugins"]}
    off = cri_off(found, rules)
    for placed in found.names["required_plugins"]:
        cri = placed.value in {OLD, SHORT} and off is not None
        if placed.value in disabled or cri:
            message = f'"{placed.value}" is required and disabled at once, so {rules.name} doesn\'t start'
            hint = "take it out of disabled_plugins"
        elif old and found.version == 1 and placed.value.startswith("io.containerd."):
            message = f'"{placed.value}" is a long name, which {rules.name} doesn\'t find from a file of version 1'
            hint = f'write "{SHORT}"' if placed.value in {OLD, NEW} else "write its short name, or take it out"
        elif old and found.version > 1 and placed.value.startswith("io.containerd.cri.v1."):
            message, hint = f'{rules.name} has no plugin "{placed.value}"', f'here it\'s called "{OLD}"'
        else:
            continue
        found.refusals.append(Problem("name", message, "required_plugins", hint, placed.file))


def _good_name(name: str, rule: str) -> bool:
    dots = name.count(".")
    return {"dot": dots >= 1, "dots": dots >= 3, "prefix": dots >= 3 and name.startswith("io.containerd.")}[rule]
