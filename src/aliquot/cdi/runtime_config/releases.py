"""Releases of container runtimes, and which row of the table holds for one."""

import re
from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

from aliquot.cdi.problems import Problem, SpecError

Runtime = Literal["containerd", "crio", "docker", "podman"]
RUNTIMES: tuple[Runtime, ...] = get_args(Runtime)

Release: TypeAlias = tuple[int, int, int]
"""Major, minor and patch number."""

Topic = Literal[
    "cdi",  # none: it knows no CDI; off, on: where nothing is said; always: there's no switch
    "specs",  # the newest cdiVersion that its CDI library reads
    "spec dirs",  # the folders where it looks by itself, separated by ":"
    "spec dirs key",  # obeyed or ignored
    "requests",  # annotations: only they; fields: the kubelet's CDIDevices, too
    "file version",  # the newest version of its file that it knows; "" where it doesn't look
    "plugin names",  # how it judges them: dots, prefix, or dot
    "imports",  # how they are merged: by sections, keys, or migrated (each brought to the newest version, then by keys)
    "import patterns",  # where relative ones are sought: cwd or beside
    "import versions",  # any, or rising: a higher one than the first file's stops it
    "old section",  # what version 2's CRI section does to version 3's: replaces or fills
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """What a runtime does from a release on, until the next row of the same topic. `releases` is that span in words."""

    runtime: Runtime
    topic: Topic
    since: Release
    releases: str
    value: str
    does: str
    source: str

    def __str__(self) -> str:
        """One line for people."""
        return f"{self.runtime} {self.releases}: {self.does} ({self.source})"


def parsed(version: str) -> tuple[int, ...]:
    """The numbers of a version: two or three; none for "".

    Raises:
        SpecError: it isn't a version.
    """
    if not version:
        return ()
    match = re.match(r"v?(\d+)\.(\d+)(?:\.(\d+))?(?![\d.])", version)
    if match is None:
        hint = "give it as 1.7.22, or leave it out"
        raise SpecError([Problem("version", f"{version!r} isn't a version", "--version", hint)])
    return tuple(int(number) for number in match.groups() if number is not None)


def shown(release: Release) -> str:
    """The release as people write it."""
    return ".".join(map(str, release))
