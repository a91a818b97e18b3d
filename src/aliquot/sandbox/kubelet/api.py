"""What a kubelet asks of the API server."""

from typing import Protocol

from aliquot.dra.claim import Claim


class Api(Protocol):
    """The little of an API server that is needed here. A server that can't be reached raises `OSError`."""

    def claim(self, namespace: str, name: str) -> Claim | None:
        """The ResourceClaim as it is now; None: there's none."""
        ...

    def delete_slices(self, node: str, driver: str | None) -> None:
        """Delete the node's ResourceSlices (by spec.nodeName), of one driver or of all."""
        ...
