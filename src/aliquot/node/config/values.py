"""The agent's configuration."""

from dataclasses import dataclass, field
from typing import Final, Literal

from aliquot.node.device_plugin.offering.division import Offering
from aliquot.node.health.policy import Effect
from aliquot.sharing.publish.options import NIC_DRIVER

API_VERSION: Final = "node.aliquot.dev/v1alpha1"
KIND: Final = "NodeConfig"


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeConfig:
    """What the agent does; read once, when it starts."""

    offer: Offering = field(default_factory=Offering)
    """Which GPUs go by DRA and which by the device plugin; never by both, since neither knows of the other."""
    mig: Literal["dynamic", "static"] = "dynamic"
    """Whether MIG instances are made for claims, or only those are offered that stand."""
    device_plugin_config: str = ""
    """The path of a file as NVIDIA's device plugin has it; empty: none."""
    kubelet_root: str = "/var/lib/kubelet"
    cdi_folder: str = "/var/run/cdi"
    driver_root: str = "/"
    nic_driver: str = NIC_DRIVER
    """The driver name of network cards; empty: they aren't published."""
    net_devices: bool = False
    """Whether the container runtime moves network interfaces (CDI 1.1, containerd 2.2 and newer)."""
    metrics_address: str = ""
    """HOST:PORT of /metrics, /healthz and /readyz; empty: none."""
    dcgm_names: Literal["auto", "on", "off"] = "auto"
    """Whether series have dcgm-exporter's names; auto: where that isn't on the node."""
    taint_effect: Effect = "NoSchedule"
    """Of a GPU that must not be given to new pods."""
    reconcile_seconds: int = 600
    log_level: Literal["debug", "info", "warning", "error"] = "info"
