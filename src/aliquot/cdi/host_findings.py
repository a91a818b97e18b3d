"""What a check of a spec asks a host, and what it answers."""

from dataclasses import dataclass
from typing import Literal, Protocol

from aliquot.cdi.host_nodes import HostNodes
from aliquot.cdi.problems import Problem

REGENERATE = "generate the spec again: aliquot cdi generate --output FILE"

Severity = Literal["error", "warning"]


@dataclass(frozen=True, slots=True)
class FileFacts:
    """A file or folder, links followed: permission bits, and whether users without root can reach it at all.

    `reachable` is False where a folder above can't be searched by everybody.
    """

    mode: int
    folder: bool = False
    reachable: bool = True


class HostFiles(HostNodes, Protocol):
    """What a check asks the host."""

    def file(self, path: str) -> FileFacts | None:
        """The file or folder at a path, or None."""
        ...

    def names(self, folder: str) -> tuple[str, ...]:
        """The names in a folder, sorted."""
        ...

    def driver_version(self) -> str | None:
        """The version of the NVIDIA kernel module that is loaded."""
        ...


@dataclass(frozen=True, slots=True)
class Missing:
    """Something that isn't there: findings of one kind can be told together."""

    kind: Literal["device node", "hook", "file"]
    path: str
    why: str = ""
    """Such as that there's no such file."""


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that doesn't fit. An error stops containers with the device; a warning stops some, or may later."""

    severity: Severity
    problem: Problem
    missing: Missing | None = None


def error(message: str, path: str, hint: str, missing: Missing | None = None) -> Finding:
    """A finding that stops containers with the device."""
    return Finding("error", Problem("host", message, path, hint), missing)


def warning(message: str, path: str, hint: str, missing: Missing | None = None) -> Finding:
    """A finding that stops some containers, or may do so later."""
    return Finding("warning", Problem("host", message, path, hint), missing)
