"""Is CDI on in containerd? Judged as the release reads its files."""

from collections.abc import Iterable, Iterator
from functools import partial
from typing import Final

from aliquot.cdi.problems import Problem
from aliquot.cdi.runtime_config.assessment import DEFAULT_DIRS, Assessment, hints
from aliquot.cdi.runtime_config.config_files import ConfigFiles
from aliquot.cdi.runtime_config.containerd_files import (
    KEYS,
    NEW,
    OLD,
    SHORT,
    Loaded,
    cri_off,
    loaded,
    section_disabled,
    section_read,
)
from aliquot.cdi.runtime_config.releases import Topic
from aliquot.cdi.runtime_config.rules import Rules
from aliquot.cdi.runtime_config.spec_dirs import notes_on, usable
from aliquot.cdi.runtime_config.toml_text import Kind, dotted, places_of, wrong_types

_CONFIGURE: Final = "aliquot cdi runtime configure --runtime containerd, then restart containerd"


def judge(path: str, files: ConfigFiles, rules: Rules) -> Assessment:
    """Whether CDI is on with that main file.

    Raises:
        SpecError: a file can't be read, or isn't TOML.
    """
    found = loaded(path, files, rules)
    cdi, read, off = rules.row("cdi"), section_read(found, rules), cri_off(found, rules)
    keys = found.sections.get(read, {})
    known = _known_keys(cdi.value)
    faults = list(found.refusals)
    if not section_disabled(found, rules):  # the section of a plugin that isn't loaded isn't decoded
        for key, placed in keys.items():
            kinds: dict[str, Kind] = {key: KEYS[key]} if key in known else {}
            faults += wrong_types({key: placed.value}, kinds, dotted("plugins", read), placed.file)
    notes = [*_unread(found, read, known, rules), *_lost(found, known)]
    answer = partial(Assessment, runtime="containerd", version="", reads=rules.reads)
    if faults:
        rows = tuple(dict.fromkeys(rules.row(_TOPICS.get(fault.path.partition(".")[0], "cdi")) for fault in faults))
        reason = f"{rules.name} doesn't start: {'; '.join(str(_bare(fault)) for fault in faults)}"
        return answer(on=False, starts=False, reason=reason, fix=hints(faults), notes=tuple(notes), rows=rows)
    if cdi.value == "none":
        return answer(on=False, reason=f"{rules.name} knows no CDI", fix="update it to 1.7 or later", rows=(cdi,))
    if off is not None:
        reason = f"its CRI service is off: {_disabled(found, off.file)}"
        notes.append("Kubernetes needs the CRI service, Docker doesn't: for Docker's containers check --runtime docker")
        return answer(on=False, reason=reason, fix=_CONFIGURE, notes=tuple(notes), rows=(cdi,))
    named = keys.get("cdi_spec_dirs")
    dirs = usable(named.value if named is not None else DEFAULT_DIRS)
    if named is not None and not dirs:
        reason = f"cdi_spec_dirs in {named.file} leaves it no folder for specs"
        return answer(on=False, reason=reason, fix=_CONFIGURE, notes=tuple(notes), rows=(cdi,), spec_dirs=())
    notes += notes_on(dirs, "cdi_spec_dirs")
    answer = partial(answer, spec_dirs=dirs)
    switch = keys.get("enable_cdi")
    if cdi.value == "always":
        if switch is not None:
            notes.append(f"enable_cdi in {switch.file} has no effect: {rules.name} doesn't know it any more")
        return answer(on=True, reason=f"{rules.name} always has it on", notes=tuple(notes), rows=(cdi,))
    if switch is not None:
        reason = f"its configuration switches CDI {'on' if switch.value else 'off'} ({switch.file})"
        fix = "" if switch.value else _CONFIGURE
        return answer(on=bool(switch.value), reason=reason, fix=fix, notes=tuple(notes), rows=(cdi,))
    on, reason, rows = (
        cdi.value == "on",
        f"{rules.name} has CDI {cdi.value} where its configuration doesn't say",
        (cdi,),
    )
    lost = next((one for one in found.lost if one.key == "enable_cdi"), None)
    if lost is not None:
        reason += f": {lost.by} is imported, and its CRI section takes the place of {lost.file}'s, enable_cdi with it"
        rows = (rules.row("imports"), cdi)
    elif not on and any("enable_cdi" in note for note in notes):
        reason += ", and its switch stands where it isn't read"
    return answer(on=on, reason=reason, fix="" if on else _CONFIGURE, notes=tuple(notes), rows=rows)


_TOPICS: Final[dict[str, Topic]] = {
    "version": "file version",
    "imports": "import patterns",
    "disabled_plugins": "plugin names",
    "required_plugins": "plugin names",
    "plugins": "plugin names",
}
"""Which rule a refusal comes from, by the key that it names."""


def _known_keys(cdi: str) -> frozenset[str]:
    """CDI's keys that a release knows."""
    return {"none": frozenset[str](), "always": frozenset({"cdi_spec_dirs"})}.get(cdi, frozenset(KEYS))


def _bare(fault: Problem) -> Problem:
    """The problem without its hint, which is told apart."""
    return Problem(fault.category, fault.message, fault.path, "", fault.file, fault.line)


def _disabled(found: Loaded, file: str) -> str:
    written: Iterable[str] = found.files[file]["disabled_plugins"]
    names = [name for name in written if name in {SHORT, OLD} or name.startswith("io.containerd.cri.v1.")]
    return f"disabled_plugins in {file} has {' and '.join(map(repr, names))}"


def _unread(found: Loaded, read: str, known: frozenset[str], rules: Rules) -> Iterator[str]:
    """Where one of CDI's keys stands in a place that this release doesn't read in a file of that version."""
    for file, data in found.files.items():
        version = data.get("version") or 1
        sections = {("plugins", name) for name in _sections_read(version, found.version, rules)}
        right = dotted("plugins", _right_section(version, read, rules))
        for place in places_of(data, known):
            if place.table not in sections:
                yield (
                    f"{place.written} in {place} of {file} isn't read by {rules.name} in a file of version {version}: "
                    f"it belongs into [{right}]"
                )
            elif not place.right:
                yield f"{place.written} in {file} isn't read: it's called {place.meant}"


def _lost(found: Loaded, known: frozenset[str]) -> Iterator[str]:
    """Keys that are gone in the end, and what can't be foretold."""
    for lost in found.lost:
        if lost.key in known and lost.key != "enable_cdi":
            yield f"{lost.key} in {lost.file} is lost: {lost.by} is imported, and its section replaces the whole"
    for file, data in found.files.items():
        if known and data.get("version", 0) < 2 and {SHORT, OLD} <= set(data.get("plugins", {})):
            yield f'{file} has [plugins.{SHORT}] and [plugins."{OLD}"]: 2.x takes one of them, by chance; keep one'


def _sections_read(version: int, merged: int, rules: Rules) -> tuple[str, ...]:
    """The CRI sections that a release reads in a file of a version; `merged` is the version that counts in the end."""
    match rules.value("imports"):
        case "sections":
            return (SHORT,) if merged == 1 else (OLD,)
        case "keys":
            if version < 2:
                return (NEW,) if merged > 2 else (NEW, OLD, SHORT)
            return (NEW,) if merged > 2 else (NEW, OLD)
        case _:
            return (NEW,) if version > 3 else (NEW, OLD, SHORT) if version < 2 else (NEW, OLD)


def _right_section(version: int, read: str, rules: Rules) -> str:
    """Where the key belongs in a file of that version."""
    if rules.value("imports") == "sections":
        return read
    return NEW if version != 2 else OLD
