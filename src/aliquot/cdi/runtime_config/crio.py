"""Is CDI on in CRI-O? Judged from its main file and its drop-in files, in the order in which CRI-O reads them.

Source: CRI-O 1.24 to 1.36, pkg/config/config.go (UpdateFromFile, UpdateFromPath: every file below the folder counts,
whatever its name ends in, the last one that says something wins).
"""

import posixpath
from collections.abc import Iterator
from functools import partial
from typing import Any, Final

from aliquot.cdi.problems import Problem
from aliquot.cdi.runtime_config.assessment import DEFAULT_DIRS, Assessment, hints
from aliquot.cdi.runtime_config.config_files import ConfigFiles
from aliquot.cdi.runtime_config.rules import Rules
from aliquot.cdi.runtime_config.spec_dirs import notes_on, usable
from aliquot.cdi.runtime_config.toml_text import member, parsed, places_of, wrong_types

DROP_INS: Final = "crio.conf.d"
SECTION: Final = ("crio", "runtime")
KEY: Final = "cdi_spec_dirs"
_CONFIGURE: Final = "aliquot cdi runtime configure --runtime crio, then restart crio"


def files_read(path: str, files: ConfigFiles) -> tuple[str, ...]:
    """The files that count, first to last, for a main file or one of the drop-in files beside it."""
    folder = posixpath.dirname(path)
    if posixpath.basename(folder) == DROP_INS:
        main, drop_ins = posixpath.join(posixpath.dirname(folder), "crio.conf"), folder
    else:
        main, drop_ins = path, posixpath.join(folder, DROP_INS)
    return tuple(dict.fromkeys((main, *files.below(drop_ins))))


def judge(path: str, files: ConfigFiles, rules: Rules) -> Assessment:
    """Whether CDI is on with that main or drop-in file.

    Raises:
        SpecError: a file can't be read, or isn't TOML.
    """
    named: tuple[str, list[str]] | None = None
    faults: list[Problem] = []
    notes: list[str] = []
    for file in files_read(path, files):
        text = files.read(file)
        if text is None:
            continue
        data = parsed(text, file)
        faults += _refused(data, file)
        section = member(data, *SECTION)
        if section is not None and not faults and KEY in section:
            named = (file, section[KEY])
        for place in places_of(data, [KEY]):
            if place.table != SECTION:
                notes.append(f"{place.written} in {place} of {file} isn't read: it belongs into [crio.runtime]")
            elif not place.right:
                notes.append(f"{place.written} in {file} isn't read: it's called {KEY}")
    cdi = rules.row("cdi")
    answer = partial(Assessment, runtime="crio", version="", reads=rules.reads, rows=(cdi,))
    if faults:
        told = "; ".join(str(Problem(one.category, one.message, one.path, "", one.file)) for one in faults)
        reason = f"{rules.name} doesn't start: {told}"
        return answer(on=False, starts=False, reason=reason, fix=hints(faults), notes=tuple(notes))
    if cdi.value == "none":
        return answer(on=False, reason=f"{rules.name} knows no CDI", fix="update it to 1.24 or later")
    requests = rules.row("requests")
    if requests.value == "annotations":
        notes.append(f"before 1.28 {requests.does}")
    dirs = usable(named[1] if named is not None else DEFAULT_DIRS)
    if named is not None and not dirs:
        reason = f"{KEY} in {named[0]} leaves it no folder for specs"
        return answer(on=False, reason=reason, fix=_CONFIGURE, notes=tuple(notes), spec_dirs=())
    notes += notes_on(dirs, KEY if named is None else f"{KEY} in {named[0]}")
    reason = f"{rules.name} has CDI on where its configuration doesn't say"
    if named is not None:
        reason = f"it looks for specs where {named[0]} says"
    return answer(on=True, reason=reason, notes=tuple(notes), spec_dirs=dirs)


def _refused(data: dict[str, Any], file: str) -> Iterator[Problem]:
    """Tables that are something else, and a list that isn't one: CRI-O's decoder refuses them."""
    faults = wrong_types(data, {"crio": "table"}, "", file)
    if not faults:
        faults = wrong_types(data.get("crio", {}), {"runtime": "table"}, "crio", file)
    yield from faults
    if not faults:
        yield from wrong_types(member(data, *SECTION) or {}, {KEY: "list of strings"}, "crio.runtime", file)
