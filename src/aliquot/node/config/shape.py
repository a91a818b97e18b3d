"""A configuration file as it's written."""

from typing import Any

import msgspec


class WireConfig(msgspec.Struct, rename="camel", forbid_unknown_fields=True):
    """The file."""

    api_version: str
    kind: str
    metadata: Any = None
    offer: Any = None
    """See `device_plugin.offering.read_rules`."""
    mig: str | None = None
    device_plugin_config: str | None = None
    kubelet_root: str | None = None
    cdi_folder: str | None = None
    driver_root: str | None = None
    nic_driver: str | None = None
    net_devices: bool | None = None
    metrics_address: str | None = None
    dcgm_names: str | None = None
    taint_effect: str | None = None
    reconcile_seconds: int | None = None
    log_level: str | None = None
