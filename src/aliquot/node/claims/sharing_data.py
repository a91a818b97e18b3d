"""What a device is shared by, as the `sharing` block of its configuration; read leniently, as a checkpoint is."""

from typing import Any, Final

from aliquot.kube.reading.shape import is_object
from aliquot.sharing.claim_configs.read import read_config
from aliquot.sharing.claim_configs.values import API_VERSION, ClaimConfig, Mps, Sharing, TimeSlicing

_MIB: Final = "Mi"


def sharing_data(sharing: Sharing | None) -> dict[str, Any] | None:
    """The block as plain data."""
    if sharing is None:
        return None
    if isinstance(sharing, TimeSlicing):
        interval = sharing.interval.value.capitalize()
        return {"strategy": "TimeSlicing", "timeSlicingConfig": {"interval": interval}}
    return {"strategy": "MPS", "mpsConfig": _mps(sharing)}


def sharing_of(data: object, *, on_mig: bool) -> Sharing | None:
    """The block from plain data; what a newer version wrote beside it is passed over.

    Raises:
        FaultsError: it isn't one.
    """
    if data is None:
        return None
    block = data
    if on_mig and is_object(data):  # a MIG device has no time-slice that could be set
        block = {key: value for key, value in data.items() if key != "timeSlicingConfig"}
    kind = ClaimConfig(on_mig).kind
    return read_config({"apiVersion": API_VERSION, "kind": kind, "sharing": block}, strict=False).sharing


def _mps(sharing: Mps) -> dict[str, Any]:
    block: dict[str, Any] = {}
    if sharing.percent is not None:
        block["defaultActiveThreadPercentage"] = sharing.percent
    if sharing.memory_mib is not None:
        block["defaultPinnedDeviceMemoryLimit"] = f"{sharing.memory_mib}{_MIB}"
    if sharing.memory_mib_of:
        block["defaultPerDevicePinnedMemoryLimit"] = {
            key: f"{limit}{_MIB}" for key, limit in sharing.memory_mib_of.items()
        }
    if sharing.multi_user:
        block["multiUser"] = True
    return block
