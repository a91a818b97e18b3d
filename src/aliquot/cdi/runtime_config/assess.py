"""Is CDI on in a runtime's configuration? Asked of each release that a version may be; the answers are put together."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from typing import Final

from aliquot.cdi.runtime_config import containerd, crio, docker, podman
from aliquot.cdi.runtime_config.assessment import Assessment
from aliquot.cdi.runtime_config.config_files import ConfigFiles
from aliquot.cdi.runtime_config.releases import Release, Runtime, shown
from aliquot.cdi.runtime_config.rules import Rules
from aliquot.cdi.runtime_config.table import releases_meant, row

CONFIG_FILES: Mapping[Runtime, str] = {
    "containerd": "/etc/containerd/config.toml",
    "crio": "/etc/crio/crio.conf.d/99-cdi.conf",
    "docker": "/etc/docker/daemon.json",
    "podman": "/usr/share/containers/containers.conf:/etc/containers/containers.conf",
}
"""Where each runtime's configuration stands; Podman's are read one after the other."""

_JUDGES: Final[Mapping[Runtime, Callable[[str, ConfigFiles, Rules], Assessment]]] = {
    "containerd": containerd.judge,
    "crio": crio.judge,
    "docker": docker.judge,
    "podman": podman.judge,
}


def assess(runtime: Runtime, path: str, files: ConfigFiles, version: str = "") -> Assessment:
    """Judge a runtime of that version ("" for unknown) with that configuration file.

    Where the version leaves several releases open and they differ, `on` is None, and the reason says which does what.

    Raises:
        SpecError: the configuration or the version can't be read.
    """
    answers = [(release, judged(runtime, path, files, release)) for release in releases_meant(runtime, version)]
    return replace(_together(answers), version=version)


def judged(runtime: Runtime, path: str, files: ConfigFiles, release: Release) -> Assessment:
    """Judge one release.

    Raises:
        SpecError: the configuration can't be read.
    """
    rules = Rules(runtime, release)
    answer = _JUDGES[runtime](path, files, rules)
    newer = rules.newer_than_known
    return replace(answer, notes=(*answer.notes, newer)) if newer else answer


def _together(answers: Sequence[tuple[Release, Assessment]]) -> Assessment:
    if len(answers) == 1:
        return answers[0][1]
    told = [(shown(release), answer) for release, answer in answers]
    last = answers[-1][1]
    reads = {answer.reads for _, answer in answers}
    dirs = {answer.spec_dirs for _, answer in answers}
    alike = replace(
        last,
        reads=last.reads if len(reads) == 1 else None,
        spec_dirs=last.spec_dirs if len(dirs) == 1 else None,
        rows=(),
        notes=tuple(dict.fromkeys(note for _, answer in answers for note in answer.notes)),
    )
    first = told[0][0]
    if len({(answer.on, answer.starts) for _, answer in answers}) == 1:
        reasons = list(dict.fromkeys(answer.reason for _, answer in answers))
        reason = reasons[0] if len(reasons) == 1 else f"so it is in every release from {first} on: {reasons[-1]}"
        return replace(alike, reason=reason)
    parts: list[str] = []
    for word, group in groupby(told, key=lambda one: _word(one[1])):
        members = list(group)
        parts.append(f"{word} from {members[0][0]} on ({members[0][1].reason})")
    fixes = list(dict.fromkeys(answer.fix for _, answer in answers if answer.fix))
    fix = fixes[0] if fixes else ""
    reason = f"that depends on the release, which isn't known: {'; '.join(parts)}"
    return replace(alike, on=None, starts=True, reason=reason, fix=fix)


def _word(answer: Assessment) -> str:
    return "it doesn't start" if not answer.starts else f"CDI is {'on' if answer.on else 'off'}"


def first_with_cdi(runtime: Runtime, release: Release) -> bool:
    """Whether a release knows CDI at all."""
    found = row(runtime, "cdi", release)
    return found is not None and found.value != "none"
