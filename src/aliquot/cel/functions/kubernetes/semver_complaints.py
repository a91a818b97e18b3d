"""Why a text is no semantic version, in the words of github.com/blang/semver."""

import re
from typing import Final

from aliquot.units.semver import SemverError, normalize

_DIGITS: Final = re.compile(r"[0-9]+", re.ASCII)
_ALPHANUMERIC: Final = re.compile(r"[0-9A-Za-z-]+", re.ASCII)


def semver_complaint(text: str, *, tolerant: bool = False) -> str:
    """Why github.com/blang/semver refuses a version, in its words."""
    if tolerant:
        try:
            text = normalize(text)
        except SemverError:
            return "short version cannot contain PreRelease/Build meta data"
    if not text:
        return "Version string empty"
    parts = text.split(".", 2)
    if len(parts) != 3:
        return "No Major.Minor.Patch elements found"
    rest, _, build = parts[2].partition("+")
    number, _, prerelease = rest.partition("-")
    for name, digits in (("major", parts[0]), ("minor", parts[1]), ("patch", number)):
        if not _DIGITS.fullmatch(digits):
            if not digits:
                return 'strconv.ParseUint: parsing "": invalid syntax'
            return f'Invalid character(s) found in {name} number "{digits}"'
        if len(digits) > 1 and digits[0] == "0":
            return f'{name.capitalize()} number must not contain leading zeroes "{digits}"'
        if int(digits[:30]) >= 2**64:
            return f'strconv.ParseUint: parsing "{digits}": value out of range'
    return _identifier_complaint(prerelease.split(".") if "-" in rest else [], build.split("."))


def _identifier_complaint(prerelease: list[str], build: list[str]) -> str:
    for identifier in prerelease:
        if not identifier:
            return "Prerelease is empty"
        if _DIGITS.fullmatch(identifier):
            if len(identifier) > 1 and identifier[0] == "0":
                return f'Numeric PreRelease version must not contain leading zeroes "{identifier}"'
            if int(identifier[:30]) >= 2**64:
                return f'strconv.ParseUint: parsing "{identifier}": value out of range'
        elif not _ALPHANUMERIC.fullmatch(identifier):
            return f'Invalid character(s) found in prerelease "{identifier}"'
    for identifier in build:
        if identifier and not _ALPHANUMERIC.fullmatch(identifier):
            return f'Invalid character(s) found in build meta data "{identifier}"'
    return "Build meta data is empty"
