"""VfioDeviceConfig: a GPU for a virtual machine. Its fields are read strictly; what it does isn't judged.

Fields and values: dra-driver-nvidia-gpu's `resource.nvidia.com/v1beta1` (iommu.go at 6bc0df7).
"""

from collections.abc import Iterator
from typing import Any, Final

import msgspec

from aliquot.kube.reading.shape import Fault, faults, found, is_object
from aliquot.kube.reading.strict import unknown_fields, without_unknown
from aliquot.sharing.claim_configs.driver_gates import PASSTHROUGH
from aliquot.sharing.claim_configs.shape import Wire
from aliquot.sharing.claim_configs.values import API_VERSION

KIND: Final = "VfioDeviceConfig"
WHY: Final = (
    "it hands a whole GPU to a virtual machine through vfio-pci, which Aliquot doesn't do (NVIDIA's own driver does, "
    f"with its feature gate {PASSTHROUGH})"
)
POLICIES: Final = ("LegacyOnly", "PreferIommuFD")


class _Iommu(Wire):
    backend_policy: str | None = None
    enable_api_device: bool | None = msgspec.field(default=None, name="enableAPIDevice")


class _Vfio(Wire):
    api_version: str | None = None
    kind: str | None = None
    iommu: _Iommu | None = None


def vfio_faults(value: dict[str, Any]) -> Iterator[Fault]:
    """What's wrong with the fields of one."""
    version = value.get("apiVersion")
    if version != API_VERSION:
        yield Fault("apiVersion", "missing" if version is None else f"{found(version)} isn't known", API_VERSION)
    yield from unknown_fields(value, _Vfio)
    yield from faults(known := without_unknown(value, _Vfio), _Vfio)
    iommu = known.get("iommu")
    if is_object(iommu):
        policy = iommu.get("backendPolicy")
        if policy is None:
            yield Fault("iommu.backendPolicy", "missing", " or ".join(POLICIES))
        elif isinstance(policy, str) and policy not in POLICIES:
            yield Fault("iommu.backendPolicy", f"{found(policy)} isn't known", " or ".join(POLICIES))
