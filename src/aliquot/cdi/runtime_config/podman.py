"""Where Podman looks for specs: judged from containers.conf and its drop-in files.

Source: podman 3.2 to 5.8, libpod/container_internal_common.go (which folders it gives to the CDI library), and its
containers/common, pkg/config/new.go (the order of the files) and internal/attributedstring/slice.go (`append`).
"""

from collections.abc import Sequence
from functools import partial
from typing import Any, Final

from aliquot.cdi.plain_data import is_list, is_object
from aliquot.cdi.problems import Problem
from aliquot.cdi.runtime_config.assessment import Assessment, hints
from aliquot.cdi.runtime_config.config_files import ConfigFiles
from aliquot.cdi.runtime_config.rules import Rules
from aliquot.cdi.runtime_config.spec_dirs import not_searched, notes_on, usable
from aliquot.cdi.runtime_config.toml_text import kind_of, member, parsed, places_of, wrong_types

KEY: Final = "cdi_spec_dirs"


def judge(path: str, files: ConfigFiles, rules: Rules) -> Assessment:
    """Whether it finds specs with these containers.conf files: several paths, separated by ":", first to last.

    Raises:
        SpecError: a file can't be read, or isn't TOML.
    """
    cdi, by_itself, key = rules.row("cdi"), rules.row("spec dirs"), rules.row("spec dirs key")
    answer = partial(Assessment, runtime="podman", version="", reads=rules.reads)
    if cdi.value == "none":
        return answer(on=False, reason=f"{rules.name} knows no CDI", fix="update it to 3.2 or later", rows=(cdi,))
    default = tuple(by_itself.value.split(":"))
    notes: list[str] = []
    dirs, said_by, faults = _named(path, files, default, notes)
    if key.value == "ignored":
        if said_by:
            notes.append(f"{KEY} in {said_by} has no effect on {rules.name}: 5.5 is the first to obey it")
        dirs, said_by, faults = default, "", []
    if faults:
        told = "; ".join(str(Problem(one.category, one.message, one.path, "", one.file)) for one in faults)
        reason = f"{rules.name} doesn't start: {told}"
        return answer(on=False, starts=False, reason=reason, fix=hints(faults), rows=(key,))
    found = usable(dirs)
    if not found:
        fix = f"aliquot cdi runtime configure --runtime podman --config {said_by}"
        return answer(
            on=False, reason=f"{KEY} in {said_by} leaves it no folder for specs", fix=fix, rows=(key,), spec_dirs=()
        )
    if said_by:
        notes += notes_on(found, f"{KEY} in {said_by}")
        reason = f"it looks for specs where {said_by} says"
    else:
        missing = not_searched(found)
        if missing:
            both = ", ".join(f'"{folder}"' for folder in (*found, *missing))
            notes += notes_on(found, f"its default; {KEY} = [{both}] in [engine] of containers.conf mends that")
            notes.append(f"or: --cdi-spec-dir for each folder, a spec in {found[0]}, or an update to 5.6")
        reason = f"{rules.name} has CDI on, there's no switch"
    return answer(on=True, reason=reason, notes=tuple(notes), rows=(cdi, by_itself), spec_dirs=found)


def _named(
    path: str, files: ConfigFiles, default: Sequence[str], notes: list[str]
) -> tuple[tuple[str, ...], str, list[Problem]]:
    """The folders in the end, the last file that names some, and what Podman refuses; what isn't read is noted."""
    dirs, said_by, append = tuple(default), "", False
    faults: list[Problem] = []
    for main in path.split(":") if path else ():
        for file in (main, *files.matching(f"{main}.d/*.conf")):
            text = files.read(file)
            if text is None:
                continue
            data = parsed(text, file)
            for place in places_of(data, [KEY]):
                if place.table != ("engine",):
                    notes.append(f"{place.written} in {place} of {file} isn't read: it belongs into [engine]")
                elif not place.right:
                    notes.append(f"{place.written} in {file} isn't read: it's called {KEY}")
            faults += wrong_types(data, {"engine": "table"}, "", file)
            if faults or KEY not in (member(data, "engine") or {}):
                continue
            value = data["engine"][KEY]
            wrong = _wrong(value, file)
            faults += wrong
            if wrong:
                continue
            for item in value:
                append = item.get("append", append) if is_object(item) else append
            texts = tuple(item for item in value if isinstance(item, str))
            dirs, said_by = ((*dirs, *texts) if append else texts), file
    return dirs, said_by, faults


def _wrong(value: Any, file: str) -> list[Problem]:
    where = f"engine.{KEY}"
    if not is_list(value):
        message, hint = f"{value!r} is a {kind_of(value)}, where a list of strings belongs", f'write ["{value}"]'
        return [Problem("syntax", message, where, hint, file)]
    faults: list[Problem] = []
    for item in value:
        good = isinstance(item, str) or (is_object(item) and all(isinstance(item[key], bool) for key in item))
        if not good or (is_object(item) and set(item) - {"append"}):
            faults.append(Problem("syntax", f"{item!r} isn't a string", where, "write folders in quotes", file))
    return faults
