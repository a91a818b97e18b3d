"""Switching CDI on: changes are tried on the files as given, and read back by the runtime's own rules.

A change counts only if every release that is meant, and that started before, still starts and has CDI on. So nothing is
offered that would stop a runtime; what can't be done by a change of these files is said instead.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import product

from aliquot.cdi.problems import Problem, SpecError
from aliquot.cdi.runtime_config import crio, docker
from aliquot.cdi.runtime_config.assess import first_with_cdi, judged
from aliquot.cdi.runtime_config.assessment import DEFAULT_DIRS, Assessment
from aliquot.cdi.runtime_config.config_files import ChangedFiles, ConfigFiles
from aliquot.cdi.runtime_config.containerd_files import NEW, OLD, SECTIONS, SHORT, loaded
from aliquot.cdi.runtime_config.releases import Release, Runtime
from aliquot.cdi.runtime_config.rules import Rules
from aliquot.cdi.runtime_config.table import releases_meant
from aliquot.cdi.runtime_config.toml_text import member, parsed, with_value, without_items


@dataclass(frozen=True, slots=True)
class Configured:
    """The texts that change, by path (none where CDI is on already), and what is said about them."""

    texts: Mapping[str, str]
    notes: tuple[str, ...] = ()


def configured(runtime: Runtime, path: str, files: ConfigFiles, version: str = "") -> Configured:
    """The configuration with CDI on, for a version ("" for unknown). Comments and order stay.

    Raises:
        SpecError: it can't be read, the runtime knows no CDI, or no change of these files would switch CDI on and leave
            the runtime starting.
    """
    releases = releases_meant(runtime, version)
    before = {release: judged(runtime, path, files, release) for release in releases}
    able = [release for release in releases if first_with_cdi(runtime, release)]
    if not able:
        answer = before[releases[-1]]
        raise SpecError([Problem("version", answer.reason, hint=answer.fix)])
    starting = [release for release in able if before[release].starts]
    targets = starting or able
    if all(before[release].on for release in targets):
        return Configured({}, _notes(before, targets))
    for texts in _CANDIDATES[runtime](path, files):
        changed = ChangedFiles(files, texts)
        try:
            after = {release: judged(runtime, path, changed, release) for release in targets}
        except SpecError:
            continue
        if all(answer.on and answer.starts for answer in after.values()):
            return Configured(texts, (*_removed(before, targets), *_notes(after, targets)))
    answer = next(before[release] for release in targets if not before[release].on)
    message = f"no change of this file switches CDI on and leaves {runtime} starting: {answer.reason}"
    raise SpecError([Problem("io", message, hint=_by_hand(answer, runtime), file=path)])


def _by_hand(answer: Assessment, runtime: Runtime) -> str:
    if answer.fix and not answer.fix.startswith("aliquot cdi runtime configure"):
        return answer.fix
    return f"change it by hand, and ask `aliquot cdi runtime check --runtime {runtime}`; or give the --version"


def _notes(answers: Mapping[Release, Assessment], targets: list[Release]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(note for release in targets for note in answers[release].notes))


def _removed(before: Mapping[Release, Assessment], targets: list[Release]) -> tuple[str, ...]:
    """What is told of a change beyond the switch: names that were taken out of disabled_plugins."""
    reasons = (before[release].reason for release in targets)
    return tuple(
        dict.fromkeys(f"that is taken out now: {reason}" for reason in reasons if "disabled_plugins" in reason)
    )


# --- containerd -------------------------------------------------------------------------------------------------------
_OFF = frozenset({SHORT, OLD, NEW, "io.containerd.cri.v1.images"})


def _containerd(path: str, files: ConfigFiles) -> Iterator[Mapping[str, str]]:
    """From the smallest change on: CRI no longer disabled, then the switch in one section of one file, then folders."""
    texts = {at: files.read(at) or "" for at in _containerd_files(path, files)}
    enabled = {at: without_items(text, "disabled_plugins", _OFF) for at, text in texts.items()}
    base = {at: text for at, text in enabled.items() if text != texts[at]}
    if base:
        yield base
    for at, text in enabled.items():
        for head, sections, keys in product(_heads(text, at), _likely_sections(text, at), _SWITCHES):
            made = head + text
            for section, (key, value) in product(sections, keys.items()):
                made = with_value(made, ("plugins", section), key, value)
            yield {**base, at: made}


_DIRS = {"cdi_spec_dirs": list(DEFAULT_DIRS)}
_SWITCHES: tuple[Mapping[str, object], ...] = ({"enable_cdi": True}, _DIRS, {"enable_cdi": True, **_DIRS})


def _heads(text: str, at: str) -> tuple[str, ...]:
    """What may be put in front: a version where none is written and nothing depends on it."""
    data = parsed(text, at)
    depends = {"version", "plugins", "disabled_plugins", "required_plugins", "imports"} & set(data)
    return ("",) if depends else ("version = 2\n", "version = 3\n")


def _likely_sections(text: str, at: str) -> tuple[tuple[str, ...], ...]:
    """The CRI sections to try, first those that are there, then by the file's version; two for releases that differ."""
    data = parsed(text, at)
    there = [name for name in SECTIONS if member(data, "plugins", name) is not None]
    match data.get("version", 2 if _heads(text, at) != ("",) else 1):
        case 2:
            usual = [OLD, NEW, SHORT]
        case 1:
            usual = [SHORT, NEW, OLD]
        case _:
            usual = [NEW, OLD, SHORT]
    return (*((name,) for name in dict.fromkeys([*there, *usual])), (SHORT, NEW), (OLD, NEW))


def _containerd_files(path: str, files: ConfigFiles) -> tuple[str, ...]:
    """The main file and what it imports, as 2.x finds it."""
    return tuple(dict.fromkeys((path, *loaded(path, files, Rules("containerd", (2, 4, 0))).files)))


# --- the others -------------------------------------------------------------------------------------------------------
def _docker(path: str, files: ConfigFiles) -> Iterator[Mapping[str, str]]:
    text = files.read(path) or ""
    for dirs in (False, True):
        yield {path: docker.with_cdi(text, path, dirs=dirs)}


def _toml(tables: tuple[str, ...], key: str, path: str, files: ConfigFiles) -> Iterator[Mapping[str, str]]:
    yield {path: with_value(files.read(path) or "", tables, key, list(DEFAULT_DIRS))}


def _crio(path: str, files: ConfigFiles) -> Iterator[Mapping[str, str]]:
    """In the file that was named, else in the last one that counts: what is read later wins."""
    for file in dict.fromkeys((path, *reversed(crio.files_read(path, files)))):
        yield from _toml(crio.SECTION, crio.KEY, file, files)


def _podman(path: str, files: ConfigFiles) -> Iterator[Mapping[str, str]]:
    for main in reversed(path.split(":")):
        for file in (main, *reversed(files.matching(f"{main}.d/*.conf"))):
            yield from _toml(("engine",), "cdi_spec_dirs", file, files)


_CANDIDATES = {"containerd": _containerd, "crio": _crio, "docker": _docker, "podman": _podman}
