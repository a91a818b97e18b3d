"""The shapes of the opaque configurations, as manifests write them."""

from typing import Annotated, Any

import msgspec

from aliquot.kube.reading.shape import IsQuantity

Amount = Annotated[Any, IsQuantity()]
"""A quantity in an object that was read already."""


class Wire(msgspec.Struct, rename="camel"):
    """A part of a configuration."""


class WireTimeSlicing(Wire):
    """timeSlicingConfig."""

    interval: str | None = None


class WireMps(Wire):
    """mpsConfig."""

    default_active_thread_percentage: int | None = None
    default_pinned_device_memory_limit: Amount = None
    default_per_device_pinned_memory_limit: dict[str, Amount] | None = None
    multi_user: bool | None = None


class WireGpuSharing(Wire):
    """sharing of a GpuConfig."""

    strategy: str | None = None
    time_slicing_config: WireTimeSlicing | None = None
    mps_config: WireMps | None = None


class WireMigSharing(Wire):
    """sharing of a MigDeviceConfig: without time-slicing's settings, which a MIG device hasn't."""

    strategy: str | None = None
    mps_config: WireMps | None = None


class WireGpuConfig(Wire):
    """A GpuConfig."""

    api_version: str | None = None
    kind: str | None = None
    sharing: WireGpuSharing | None = None


class WireMigDeviceConfig(Wire):
    """A MigDeviceConfig."""

    api_version: str | None = None
    kind: str | None = None
    sharing: WireMigSharing | None = None
