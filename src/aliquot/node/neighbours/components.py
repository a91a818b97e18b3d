"""NVIDIA's components on a node, told by the labels of their pods."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import Final, cast

from aliquot.node.neighbours.found import Json


class Component(StrEnum):
    """In words for people."""

    DEVICE_PLUGIN = "NVIDIA's device plugin"
    DRA_DRIVER = "NVIDIA's DRA driver for GPUs"
    DOMAINS = "NVIDIA's DRA driver for compute domains (IMEX)"
    DCGM_EXPORTER = "dcgm-exporter"
    MIG_MANAGER = "NVIDIA's MIG manager"
    FEATURE_DISCOVERY = "GPU feature discovery"
    MPS_DAEMON = "the MPS daemon of NVIDIA's device plugin"
    TOOLKIT = "the GPU Operator's container toolkit"
    DRIVER = "the GPU Operator's driver"
    OTHER = "another component of the GPU Operator"


_BY_APP: Final[Mapping[str, Component]] = MappingProxyType(
    {
        "nvidia-device-plugin-daemonset": Component.DEVICE_PLUGIN,
        "nvidia-device-plugin": Component.DEVICE_PLUGIN,
        "nvidia-device-plugin-mps-control-daemon": Component.MPS_DAEMON,
        "gpu-feature-discovery": Component.FEATURE_DISCOVERY,
        "nvidia-dcgm-exporter": Component.DCGM_EXPORTER,
        "dcgm-exporter": Component.DCGM_EXPORTER,
        "nvidia-mig-manager": Component.MIG_MANAGER,
        "nvidia-container-toolkit-daemonset": Component.TOOLKIT,
        "nvidia-driver-daemonset": Component.DRIVER,
        "nvidia-dcgm": Component.OTHER,
        "nvidia-operator-validator": Component.OTHER,
        "nvidia-cc-manager": Component.OTHER,
        "nvidia-vfio-manager": Component.OTHER,
        "nvidia-vgpu-manager": Component.OTHER,
        "nvidia-sandbox-device-plugin-daemonset": Component.OTHER,
        "nvidia-sandbox-validator": Component.OTHER,
    }
)
"""The label `app` of the GPU Operator's pods, and `app.kubernetes.io/name` of the charts'.

Sources: NVIDIA/gpu-operator v26.7.0 (assets), the Helm charts of k8s-device-plugin 0.20 and dcgm-exporter 4.8.
"""
_DRA_LABELS: Final = ("dra-driver-nvidia-gpu-component", "nvidia-dra-driver-gpu-component")
_DRA_CONTAINERS: Final = MappingProxyType({"gpus": Component.DRA_DRIVER, "compute-domains": Component.DOMAINS})
"""What each container of the driver's pod serves: either can be switched off."""


@dataclass(frozen=True, slots=True)
class Pod:
    """A pod of NVIDIA's on this node."""

    component: Component
    namespace: str
    name: str
    owner: str = ""
    """`daemonset/nvidia-device-plugin-daemonset`, where it has one."""

    def __str__(self) -> str:
        return f"pod {self.namespace}/{self.name}"


def nvidias(pods: Sequence[Json], node: str) -> tuple[Pod, ...]:
    """Those of NVIDIA's pods that are on this node and haven't ended."""
    return tuple(found for pod in pods for found in _of(pod, node))


def _of(pod: Json, node: str) -> Iterator[Pod]:
    spec, status, meta = _map(pod, "spec"), _map(pod, "status"), _map(pod, "metadata")
    if spec.get("nodeName") != node or status.get("phase") in {"Succeeded", "Failed"}:
        return
    for component in dict.fromkeys(_components(_map(meta, "labels"), spec)):
        owner = next((f"{one['kind'].lower()}/{one['name']}" for one in meta.get("ownerReferences") or ()), "")
        yield Pod(component, str(meta.get("namespace", "")), str(meta.get("name", "")), owner)


def _components(labels: Json, spec: Json) -> Iterator[Component]:
    if any(labels.get(label) == "kubelet-plugin" for label in _DRA_LABELS):
        for container in spec.get("containers") or ():
            if container.get("name") in _DRA_CONTAINERS:
                yield _DRA_CONTAINERS[container["name"]]
        return
    for label in ("app", "app.kubernetes.io/name"):
        app = str(labels.get(label, ""))
        component = _BY_APP.get(app) or (Component.DRIVER if app.startswith("nvidia-driver-daemonset-") else None)
        if component is not None:
            yield component


def _map(thing: Json, key: str) -> Json:
    found = thing.get(key)
    return cast("Json", found) if isinstance(found, Mapping) else {}
