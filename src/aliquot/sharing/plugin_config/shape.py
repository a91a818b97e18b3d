"""The shape of the device plugin's configuration file (NVIDIA/k8s-device-plugin at 1b826ac)."""

from typing import Any

import msgspec


class Wire(msgspec.Struct, rename="camel"):
    """A part of the file."""


class WirePluginFlags(Wire):
    """flags.plugin."""

    pass_device_specs: bool | None = None
    device_list_strategy: Any = None
    """One, or a list."""
    device_id_strategy: str | None = msgspec.field(default=None, name="deviceIDStrategy")
    cdi_annotation_prefix: str | None = None
    nvidia_ctk_path: str | None = msgspec.field(default=None, name="nvidiaCTKPath")
    container_driver_root: str | None = None
    shared_devices_allocation_policy: str | None = None


class WireGfdFlags(Wire):
    """flags.gfd."""

    oneshot: bool | None = None
    no_timestamp: bool | None = None
    sleep_interval: Any = None
    """A duration, nanoseconds, or `infinite`."""
    output_file: str | None = None
    machine_type_file: str | None = None


class WireFlags(Wire):
    """flags."""

    mig_strategy: str | None = None
    fail_on_init_error: bool | None = None
    mps_root: str | None = None
    nvidia_driver_root: str | None = None
    nvidia_dev_root: str | None = None
    gdrcopy_enabled: bool | None = None
    gds_enabled: bool | None = None
    mofed_enabled: bool | None = None
    use_node_feature_api: bool | None = msgspec.field(default=None, name="useNodeFeatureAPI")
    device_discovery_strategy: str | None = None
    plugin: WirePluginFlags | None = None
    gfd: WireGfdFlags | None = None


class WireResource(Wire):
    """An item of resources.gpus and resources.mig."""

    pattern: str
    name: str


class WireResources(Wire):
    """resources."""

    gpus: list[WireResource] | None = None
    mig: list[WireResource] | None = None


class WireReplicated(Wire):
    """An item of sharing.*.resources."""

    name: str
    replicas: int
    rename: str | None = None
    devices: Any = None
    """`all`, a count, or a list of indexes and UUIDs."""


class WireReplicas(Wire):
    """sharing.timeSlicing, sharing.mps."""

    resources: list[WireReplicated]
    rename_by_default: bool | None = None
    fail_requests_greater_than_one: bool | None = None


class WireSharing(Wire):
    """sharing."""

    time_slicing: WireReplicas | None = None
    mps: WireReplicas | None = None


class WireImex(Wire):
    """imex."""

    channel_ids: list[int] | None = msgspec.field(default=None, name="channelIDs")
    required: bool | None = None


class WireConfig(Wire):
    """The file."""

    version: str | None = None
    flags: WireFlags | None = None
    resources: WireResources | None = None
    sharing: WireSharing | None = None
    imex: WireImex | None = None
