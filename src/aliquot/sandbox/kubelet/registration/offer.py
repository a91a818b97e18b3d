"""What a plugin says of itself, and who in the kubelet takes it."""

from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Offer:
    """The answer to GetInfo."""

    kind: str
    """DRAPlugin, DevicePlugin, …"""
    name: str
    endpoint: str
    """The socket of its service: its own, or the registration socket where it names none."""
    versions: tuple[str, ...]
    socket: str
    """Where it was found."""


class Taker(Protocol):
    """Takes plugins of one kind. A fault is a sentence, None is yes."""

    def validate(self, offer: Offer) -> str | None:
        """Whether it could be taken. May be asked more than once."""
        ...

    def register(self, offer: Offer) -> str | None:
        """Take it."""
        ...

    def deregister(self, offer: Offer) -> None:
        """Its registration socket is gone."""
        ...
