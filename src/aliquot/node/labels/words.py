"""What may stand in a label."""

import re
from typing import Final

LONGEST: Final = 63
NVIDIA: Final = "nvidia.com/"
OWN: Final = "aliquot.dev/"

_REMOVED: Final = re.compile(r"[^A-Za-z0-9_. -]")
_VALUE: Final = re.compile(r"([A-Za-z0-9]([A-Za-z0-9_.-]*[A-Za-z0-9])?)?")


def spelled(*parts: str) -> str:
    """Names as a value: what a label can't hold is left out, blanks become hyphens."""
    return "-".join("-".join(_REMOVED.sub("", part).split()) for part in parts)


def fits(value: str) -> bool:
    """Whether the API server takes it as a value, or as the last part of a name."""
    return len(value) <= LONGEST and _VALUE.fullmatch(value) is not None


def family_of(compute_capability: str) -> str | None:
    """The architecture as GPU feature discovery spells it; None: newer than this table."""
    major, _, minor = compute_capability.partition(".")
    if not (major.isdecimal() and minor.isdecimal()):
        return None
    if major == "7":
        return "volta" if int(minor) < 5 else "turing"
    if major == "8":
        return "ampere" if int(minor) < 9 else "ada-lovelace"
    return _FAMILIES.get(int(major))


_FAMILIES: Final = {
    3: "kepler",
    5: "maxwell",
    6: "pascal",
    9: "hopper",
    10: "blackwell",
    12: "blackwell",
    13: "rubin",
}
