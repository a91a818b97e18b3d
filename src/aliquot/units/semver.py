"""Semantic versions, read and ordered as github.com/blang/semver/v4 does: what DRA's version attributes are."""

import re
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final

_UINT64_MAX: Final = 2**64 - 1
_NUMBER: Final = re.compile("[0-9]+")
_IDENTIFIER: Final = re.compile("[0-9A-Za-z-]+")


class SemverError(ValueError):
    """A text that isn't a semantic version; the message says which part is wrong."""


@dataclass(frozen=True, slots=True, eq=False)
class Semver:
    """A version; equality and order leave the build metadata out."""

    major: int
    minor: int
    patch: int
    prerelease: tuple[int | str, ...] = ()
    """Identifiers: numbers as int, others as text."""
    build: tuple[str, ...] = ()
    _rank: tuple[int, int, int, bool, tuple[tuple[bool, int, str], ...]] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        # A number sorts before a text, and a release after all its prereleases.
        identifiers = tuple((False, p, "") if isinstance(p, int) else (True, 0, p) for p in self.prerelease)
        rank = (self.major, self.minor, self.patch, not self.prerelease, identifiers)
        object.__setattr__(self, "_rank", rank)

    @staticmethod
    def parse(text: str) -> "Semver":
        """Read a version strictly: `MAJOR.MINOR.PATCH[-PRERELEASE][+BUILD]`, numbers within uint64.

        Raises:
            SemverError: it isn't one.
        """
        return _parse(text)

    @staticmethod
    def parse_tolerant(text: str) -> "Semver":
        """Read a version after `normalize`.

        Raises:
            SemverError: it still isn't one.
        """
        return _parse(normalize(text))

    def __str__(self) -> str:
        numbers = f"{self.major}.{self.minor}.{self.patch}"
        prerelease = f"-{'.'.join(map(str, self.prerelease))}" if self.prerelease else ""
        return numbers + prerelease + (f"+{'.'.join(self.build)}" if self.build else "")

    def __eq__(self, other: object) -> bool:
        return self._rank == other._rank if isinstance(other, Semver) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._rank)

    def __lt__(self, other: "Semver") -> bool:
        return self._rank < other._rank

    def __le__(self, other: "Semver") -> bool:
        return self._rank <= other._rank

    def __gt__(self, other: "Semver") -> bool:
        return self._rank > other._rank

    def __ge__(self, other: "Semver") -> bool:
        return self._rank >= other._rank

    def compare(self, other: "Semver") -> int:
        """-1, 0 or 1."""
        return (self > other) - (self < other)


def normalize(text: str) -> str:
    """What Kubernetes' CEL `semver(text, true)` does before reading.

    Drops one leading `v` and leading zeros of the three numbers, and adds a missing minor and patch. The result need
    not be a version.

    Raises:
        SemverError: a version short of three numbers has a prerelease or build metadata.
    """
    parts = text.removeprefix("v").split(".", 2)
    for index, part in enumerate(parts):
        if len(part) > 1:
            stripped = part.lstrip("0")
            parts[index] = stripped if stripped[:1] in tuple("123456789") else f"0{stripped}"
    if len(parts) < 3 and ("+" in parts[-1] or "-" in parts[-1]):
        raise SemverError(f"{text!r} has a prerelease or build metadata but not all of MAJOR.MINOR.PATCH")
    return ".".join(parts + ["0"] * (3 - len(parts)))


@lru_cache(maxsize=4096)
def _parse(text: str) -> Semver:
    parts = text.split(".", 2)
    if len(parts) != 3:
        raise SemverError(f"{text!r} is not a semantic version: write MAJOR.MINOR.PATCH, as in 1.2.3")
    rest, plus, build = parts[2].partition("+")
    patch, dash, prerelease = rest.partition("-")
    return Semver(
        _number(text, "major", parts[0]),
        _number(text, "minor", parts[1]),
        _number(text, "patch", patch),
        tuple(_prerelease(text, identifier) for identifier in prerelease.split(".")) if dash else (),
        tuple(_identifier(text, "build metadata", identifier) for identifier in build.split(".")) if plus else (),
    )


def _prerelease(text: str, identifier: str) -> int | str:
    if _NUMBER.fullmatch(identifier):
        return _number(text, "prerelease", identifier)
    return _identifier(text, "prerelease", identifier)


def _number(text: str, part: str, digits: str) -> int:
    if not _NUMBER.fullmatch(digits):
        raise SemverError(f"{text!r} is not a semantic version: its {part} part is {digits!r}, which is no number")
    if len(digits) > 1 and digits[0] == "0":
        raise SemverError(f"{text!r} is not a semantic version: its {part} number {digits} has a leading zero")
    if len(digits) > 20 or int(digits) > _UINT64_MAX:
        raise SemverError(f"{text!r} is not a semantic version: its {part} number doesn't fit 64 bits")
    return int(digits)


def _identifier(text: str, part: str, identifier: str) -> str:
    if not _IDENTIFIER.fullmatch(identifier):
        raise SemverError(
            f"{text!r} is not a semantic version: {identifier!r} in its {part} must be letters, digits and hyphens"
        )
    return identifier
