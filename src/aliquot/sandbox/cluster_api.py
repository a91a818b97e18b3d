"""A cluster as a kubelet asks it: the kubelet stand-in on a cluster in memory, over HTTP, or on a real API server."""

import msgspec

from aliquot.cluster.items import ItemReader
from aliquot.cluster.objects.protocol import Objects
from aliquot.cluster.objects.resources import CLAIMS, SLICES
from aliquot.cluster.objects.status import StatusError
from aliquot.cluster.unavailable import UnavailableError
from aliquot.dra.claim import Claim


class ClusterApi:
    """`aliquot.sandbox.kubelet.api.Api` on a cluster's objects."""

    def __init__(self, objects: Objects) -> None:
        self._objects = objects

    def claim(self, namespace: str, name: str) -> Claim | None:
        """The ResourceClaim as it is now; None: there's none.

        Raises:
            OSError: the server can't be reached, or refuses.
        """
        try:
            thing = self._objects.get(CLAIMS, name, namespace)
        except StatusError as error:
            if error.missing:
                return None
            raise OSError(error.message) from error
        except UnavailableError as error:
            raise OSError(error.message) from error
        raw = msgspec.Raw(msgspec.json.encode(thing))
        for noun in ItemReader().item(raw, "", CLAIMS.api_version, CLAIMS.kind):
            if isinstance(noun, Claim):
                return noun
            raise OSError(f"ResourceClaim {namespace}/{name} can't be read: {noun}")
        return None

    def delete_slices(self, node: str, driver: str | None) -> None:
        """Delete the node's ResourceSlices (by spec.nodeName), of one driver or of all.

        Raises:
            OSError: the server can't be reached, or refuses.
        """
        fields = f"spec.nodeName={node}" + (f",spec.driver={driver}" if driver is not None else "")
        try:
            for thing in self._objects.list(SLICES, fields=fields).items:
                self._delete(thing["metadata"]["name"])
        except (StatusError, UnavailableError) as error:
            raise OSError(error.message) from error

    def _delete(self, name: str) -> None:
        try:
            self._objects.delete(SLICES, name)
        except StatusError as error:
            if not error.missing:  # somebody else was faster
                raise
