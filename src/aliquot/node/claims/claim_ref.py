"""Which claim is meant."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ClaimRef:
    """A claim as the kubelet names it; only the UID tells it from one of the same name made later."""

    namespace: str
    name: str
    uid: str

    def __str__(self) -> str:
        return f"{self.namespace}/{self.name} ({self.uid})"
