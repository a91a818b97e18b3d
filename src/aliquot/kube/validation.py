"""Amounts that the API server's validation refuses (apis/core/validation, ValidateResourceQuantityValue)."""

from aliquot.kube.pod import Refused
from aliquot.units.quantity import NANO, parse_quantity

MOST = 2**63 - 1
SHOWN = 24


def refused(field: str, name: str, text: str, amount: int) -> Refused | None:
    """What is wrong with one amount of a container's requests or limits; None: nothing.

    Args:
        field: where it stands: `resources.limits`.
        name: of the resource.
        text: as it was written.
        amount: as it was read.
    """
    said = text if len(text) <= SHOWN else f"{text[:SHOWN]}..."
    where = f"{field}.{name}"
    if amount < 0:
        message = f"{said}: the API server refuses this: amounts are never negative"
        return Refused(where, message, "judged as 0")
    if amount > MOST:
        return Refused(where, f"{said}: more than Kubernetes can count (64 bits)", "judged as what no node has")
    if _whole(name) and parse_quantity(text).nanos % NANO:
        message = f"{said}: the API server refuses this: {name} is given in whole numbers"
        return Refused(where, message, f"judged as {amount}")
    return None


def _whole(name: str) -> bool:
    """An extended resource: a name with a domain that isn't Kubernetes' own (helper.IsExtendedResourceName)."""
    return "/" in name and "kubernetes.io/" not in name
