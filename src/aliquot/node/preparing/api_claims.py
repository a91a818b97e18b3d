"""Claims as the API server has them now."""

from collections.abc import Mapping
from typing import Any, Final

from aliquot.cluster.objects.protocol import Objects
from aliquot.cluster.objects.resources import CLAIMS
from aliquot.cluster.objects.status import StatusError
from aliquot.cluster.unavailable import UnavailableError
from aliquot.node.claims.protocol import ClaimsUnavailable

_GONE: Final = 404


class ApiClaims:
    """See `Claims`."""

    def __init__(self, objects: Objects) -> None:
        """Nothing is asked yet."""
        self._objects = objects

    def get(self, namespace: str, name: str) -> Mapping[str, Any] | None:
        """See `Claims`. A server that won't tell isn't one that has none."""
        try:
            return self._objects.get(CLAIMS, name, namespace)
        except StatusError as no:
            if no.code == _GONE:
                return None
            raise ClaimsUnavailable(no.message) from no
        except UnavailableError as outage:
            raise ClaimsUnavailable(outage.message) from outage

    def all(self) -> tuple[Mapping[str, Any], ...]:
        """See `Claims`."""
        try:
            return self._objects.list(CLAIMS).items
        except StatusError as no:
            raise ClaimsUnavailable(no.message) from no
        except UnavailableError as outage:
            raise ClaimsUnavailable(outage.message) from outage
