"""The configuration that sets sharing up: NVIDIA's device plugin and mig-parted, as plain dicts to print as YAML."""

from collections.abc import Mapping
from typing import Any, Final

from aliquot.devices.mig import Geometry
from aliquot.devices.mig.legal_layouts import Uniform
from aliquot.sharing.strategies import Strategy

MIG_CONFIG_LABEL: Final = "nvidia.com/mig.config"
"""The node label that tells gpu-operator's mig-manager which layout to apply."""
PLUGIN_CONFIG_LABEL: Final = "nvidia.com/device-plugin.config"
"""The node label that chooses one of the device plugin's configurations."""


def device_plugin_config(
    strategy: Strategy,
    replicas: int,
    resource: str = "nvidia.com/gpu",
    *,
    rename: bool = False,
    fail_requests_greater_than_one: bool = True,
) -> dict[str, Any]:
    """A configuration file of NVIDIA's device plugin that offers each device `replicas` times.

    Args:
        strategy: time-slicing or MPS.
        replicas: 2 or more per device.
        resource: the devices to share.
        rename: whether the shared ones are called `nvidia.com/gpu.shared`, so that nobody gets a share unasked. Another
            name can't be chosen: the plugin passes over it.
        fail_requests_greater_than_one: whether asking for two replicas is refused: two give no more compute than one.

    Raises:
        ValueError: the strategy makes no replicas.
    """
    keys = {Strategy.TIME_SLICING: "timeSlicing", Strategy.MPS: "mps"}
    if strategy not in keys:
        raise ValueError(f"{strategy.value} makes no replicas; use time-slicing or MPS")
    shared: dict[str, Any] = {"name": resource, "replicas": replicas}
    options = {"failRequestsGreaterThanOne": fail_requests_greater_than_one, "resources": [shared]}
    if rename:
        options["renameByDefault"] = True
    return {"version": "v1", "sharing": {keys[strategy]: options}}


def mig_parted_config(name: str, counts: Mapping[str, int]) -> dict[str, Any]:
    """A mig-parted configuration with one layout for all GPUs of a node.

    Args:
        name: of the layout; the value of the label `nvidia.com/mig.config`.
        counts: instances per GPU by profile name.
    """
    layout = {"devices": "all", "mig-enabled": True, "mig-devices": dict(sorted(counts.items()))}
    return {"version": "v1", "mig-configs": {name: [layout]}}


def uniform_config(layout: Uniform) -> dict[str, Any]:
    """The mig-parted configuration of a layout of one profile all over."""
    return mig_parted_config(layout.name, {layout.profile.name: layout.count})


def balanced_counts(geometry: Geometry) -> dict[str, int] | None:
    """The instances of mig-parted's `all-balanced` on GPUs of seven slices: two 1g, one 2g, one 3g; else None."""
    if (geometry.memory_units, geometry.compute_units) != (8, 7):
        return None
    by_kind = {profile.kind: profile.name for profile in geometry.profiles}
    return {by_kind["1g"]: 2, by_kind["2g"]: 1, by_kind["3g"]: 1}
