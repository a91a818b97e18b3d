"""Where claims are read: the API server, as far as the core needs it."""

from collections.abc import Mapping
from typing import Any, Protocol


class ClaimsUnavailable(Exception):  # noqa: N818 - the outage is no error of the caller
    """The API server doesn't answer: whether there's such a claim isn't known."""


class Claims(Protocol):
    """ResourceClaims as the API server has them now: nothing remembered, in any version of their API."""

    def get(self, namespace: str, name: str) -> Mapping[str, Any] | None:
        """The claim of that name; None: there is none.

        Raises:
            ClaimsUnavailable: it can't be asked.
        """
        ...

    def all(self) -> tuple[Mapping[str, Any], ...]:
        """Every claim; asked only where the checkpoint is lost.

        Raises:
            ClaimsUnavailable: they can't be listed.
        """
        ...
