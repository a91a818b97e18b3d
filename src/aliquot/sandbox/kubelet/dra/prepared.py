"""A claim as a driver sees it, and what it answers."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ClaimRef:
    """Which claim."""

    namespace: str
    uid: str
    name: str


@dataclass(frozen=True, slots=True)
class PreparedDevice:
    """A device of a prepared claim."""

    requests: tuple[str, ...]
    """Names of the claim's requests, without subrequests; empty: of all."""
    pool: str
    device: str
    cdi_ids: tuple[str, ...]
    share_id: str | None = None


@dataclass(frozen=True, slots=True)
class Answered:
    """A driver's answer for one claim; `error` empty: it's prepared."""

    devices: tuple[PreparedDevice, ...]
    error: str
